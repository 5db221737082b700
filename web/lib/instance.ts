// Reads the operator's data about the instance from /web/instance.json of the facade.

import { fetchText } from './fetch-text.ts'
import { signal } from './html.ts'

type Instance = {
  domain: string
  /** What the instance is; empty if the operator wrote nothing. */
  about: string
  hasRules: boolean
  hasPrivacy: boolean
  /** Whether people and public posts have pages for everybody who has the link. */
  hasPublicPages: boolean
  apps: { name: string; url: string }[]
  /** Whether everyone may register third-party apps, and not only admins. */
  everyoneRegistersApps: boolean
  /** The codes of the countries that a person may name. */
  countries: string[]
  /** The anonymous key for Realtime; null if the instance does not serve Realtime at its own address. */
  realtimeKey: string | null
  /** The origin of the addresses that the instance gives. A page can be open at another address of the instance. */
  origin: string
  /** The OpenID provider with which people can also log in. */
  oidc: { name: string } | null
  /** The origin of pictures and files; null if it is the instance itself. */
  mediaOrigin: string | null
}

export const instance = signal<Instance | undefined>(undefined)

/**
 * An address from the instance, as this page can reach it: if its origin is the instance's, it gets the page's origin.
 */
export function reachable(url: string): string {
  const { origin } = new URL(url, location.origin)
  return origin === instance.value?.origin ? location.origin + url.slice(origin.length) : url
}

/** The address at which this page may load a picture or a file; undefined if its policy refuses it. */
export function showable(url: string): string | undefined {
  const at = URL.canParse(url, location.origin) ? reachable(url) : ''
  const { origin } = new URL(at, location.origin)
  const known = [location.origin, instance.value?.mediaOrigin]
  return at && known.includes(origin) ? at : undefined
}

async function read(): Promise<void> {
  instance.value = await (await fetchText('/web/instance.json')).json()
}
/**
 * Resolves when the data was read, or when that failed. After a failure, the pages don't show the name of the
 * instance, and the form for joining waits.
 */
export const instanceRead = read().catch(() => undefined)

/** A text of the operator; empty if there is none. */
export const textOf = async (name: 'rules' | 'privacy'): Promise<string> => (await fetchText(`/web/${name}.txt`)).text()
