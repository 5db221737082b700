// The push providers: the URLs of Expo, FCM and APNs, and the origins of browsers' push services.

import type { ApnsOptions } from './apns.ts'
import { fcmAccountOf } from './fcm.ts'

export const EXPO_URL = 'https://exp.host'
export const FCM_URL = 'https://fcm.googleapis.com'
export const APNS_URL = 'https://api.push.apple.com'
/** `*` stands for one or more labels of a host. */
export const PUSH_ORIGINS = [
  'https://fcm.googleapis.com',
  'https://*.push.services.mozilla.com',
  'https://*.push.apple.com',
  'https://*.notify.windows.com',
]

const withoutSlash = (url: string): string => url.replace(/\/$/, '')

/**
 * The settings of FCM; undefined if there is no account, so that FCM is off.
 * @param account the JSON file of the service account
 */
export function fcmOf(account: string | undefined, url = FCM_URL) {
  const read = account === undefined ? undefined : fcmAccountOf(account)
  return read && { account: read, url: withoutSlash(url) }
}

type Apns = { [N in keyof ApnsOptions]: string | undefined }
/** The settings of APNs. Undefined unless everything but the URL is given, so that APNs is off. */
export function apnsOf({ key, keyId, teamId, topic, url = APNS_URL }: Apns): ApnsOptions | undefined {
  if (!key || !keyId || !teamId || !topic) return undefined
  // A variable in one line can have \\n for a line break.
  return { key: key.replaceAll('\\n', '\n'), keyId, teamId, topic, url: withoutSlash(url) }
}

/** The contact for push services. `from` is an address, or `Name <address>`. */
export const contactOf = (from: string): string => `mailto:${/<([^>]+)>/.exec(from)?.[1] ?? from}`

/** Whether a URL has one of these origins. */
export function isPushEndpoint(endpoint: string, origins: readonly string[]): boolean {
  const url = URL.parse(endpoint)
  if (!url || url.username || url.password) return false
  return origins.some((origin) => {
    const [before = '', behind] = origin.split('*')
    if (behind === undefined) return url.origin === origin
    const middle = url.origin.slice(before.length, url.origin.length - behind.length)
    return url.origin.startsWith(before) && url.origin.endsWith(behind) && /^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(middle)
  })
}
