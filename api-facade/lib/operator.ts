// The operator's texts for people and the addresses of apps, for the pages of web/. The texts are in files.
import { readFileSync, statSync } from 'node:fs'
import type { Config } from './config.ts'
import { countryCodes } from './fields.ts'
import { type StaticFile, staticFile } from './static.ts'

/** The largest text of an operator, in bytes. */
const LARGEST_TEXT = 100_000

/** The texts that the operator wrote, by name. @throws Error if a file is missing or too large */
function operatorTexts({ texts }: Config): Record<keyof Config['texts'], string | undefined> {
  const read = (path: string | undefined, setting: string): string | undefined => {
    if (path === undefined) return undefined
    try {
      if (statSync(path).size <= LARGEST_TEXT) return readFileSync(path, 'utf8')
    } catch {
      throw new Error(`${setting} must be a file that Kith can read`)
    }
    throw new Error(`${setting} must have at most ${LARGEST_TEXT} bytes`)
  }
  return {
    about: read(texts.about, 'ABOUT_FILE'),
    rules: read(texts.rules, 'RULES_FILE'),
    privacy: read(texts.privacy, 'PRIVACY_FILE'),
  }
}

/** The files that web/lib/instance.ts reads, by address. @throws Error if a text can't be read */
export function operatorFiles(config: Config, anonKey: string): [string, StaticFile][] {
  const { about = '', rules, privacy } = operatorTexts(config)
  const facts = {
    domain: config.instanceDomain,
    about,
    hasRules: rules !== undefined,
    hasPrivacy: privacy !== undefined,
    hasPublicPages: config.publicPages !== 'off',
    apps: config.apps,
    everyoneRegistersApps: config.registerApps === 'everyone',
    countries: countryCodes,
    realtimeKey: config.realtime === 'embedded' ? anonKey : null,
    origin: new URL(config.facadeUrl).origin,
    oidc: config.oidc ? { name: config.oidc.name } : null,
    mediaOrigin: config.storage ? new URL(config.storage.publicUrl).origin : null,
  }
  const fresh = { 'Cache-Control': 'no-cache' }
  const textFile = (text: string): StaticFile => staticFile(text, 'text/plain; charset=utf-8', fresh)
  return [
    ['/web/instance.json', staticFile(JSON.stringify(facts), 'application/json', fresh)],
    ['/web/rules.txt', textFile(rules ?? '')],
    ['/web/privacy.txt', textFile(privacy ?? '')],
  ]
}
