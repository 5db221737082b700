// What the operator says about the instance: /web/instance.json of the facade.
import { computed, signal } from './html.ts'
import { fetchText } from './session.ts'

type Instance = {
  domain: string
  /** What the instance is; empty if the operator wrote nothing. */
  about: string
  hasRules: boolean
  hasPrivacy: boolean
  apps: { name: string; url: string }[]
  /** The codes of the countries that a person may name. */
  countries: string[]
  /** Whether the instance serves Realtime at its own address. */
  hasRealtime: boolean
  /** The OpenID provider with which people can also log in. */
  oidc: { name: string } | null
  /** From where pictures and files are read; null if from the instance itself. */
  mediaOrigin: string | null
}

export const instance = signal<Instance | undefined>(undefined)
export const mediaOrigin = computed(() => instance.value?.mediaOrigin ?? location.origin)

async function read(): Promise<void> {
  instance.value = await (await fetchText('/web/instance.json')).json()
}
/**
 * Resolves when it was read or could not be. If it could not, the pages don't show the name of the instance, and the form
 * for joining waits.
 */
export const instanceRead = read().catch(() => undefined)

/** A text of the operator; empty if there is none. */
export const textOf = async (name: 'rules' | 'privacy'): Promise<string> => (await fetchText(`/web/${name}.txt`)).text()
