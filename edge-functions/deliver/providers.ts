// The push providers: the URL of Expo, and the origins of browsers' push services.

export const EXPO_URL = 'https://exp.host'
/** `*` stands for one or more labels of a host. */
export const PUSH_ORIGINS = [
  'https://fcm.googleapis.com',
  'https://*.push.services.mozilla.com',
  'https://*.push.apple.com',
  'https://*.notify.windows.com',
]

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
