// Decides which addresses may be called when a stranger chooses them.
import ipaddr from 'ipaddr.js'

/** A public address at which machines in Azure reach Azure's internal services. */
const AZURE = '168.63.129.16'

/** Whether the host of a URL is an IP address, not a name. */
export const isAddress = (host: string): boolean => /^[\d.]+$/.test(host) || host.includes(':')

/**
 * Whether an address is on the public Internet. IPv6 must be global unicast, without a prefix or interface that leads
 * to an IPv4 address: mapped, compatible, translated, NAT64, 6to4, Teredo, ISATAP.
 */
export function isPublic(text: string): boolean {
  if (text.includes('%') || !ipaddr.isValid(text)) return false
  const address = ipaddr.parse(text)
  if (address.range() !== 'unicast') return false
  if (!(address instanceof ipaddr.IPv6)) return address.toString() !== AZURE
  const [first = 0, , , , fifth = 0, sixth = 0] = address.parts
  const isatap = (fifth & 0xfdff) === 0 && sixth === 0x5efe
  return first >> 13 === 1 && !isatap
}

/** The host of a URL without the brackets of IPv6. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '')

/** The maximum length of a URL. */
const LONGEST = 2048

/** An http(s) URL without user name, password and fragment, in its canonical form; null for all others. */
export function webAddress(text: string, base?: URL): URL | null {
  const url = URL.parse(text, base?.href)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return null
  url.hash = ''
  return url.href.length > LONGEST ? null : url
}

/** Whether people's devices, which are in private networks, may be sent to this URL. */
export function isForEverybody(url: URL): boolean {
  const host = hostOf(url)
  if (url.port) return false
  return isAddress(host)
    ? isPublic(host)
    : /\../.test(host) && !/\.(localhost|local|internal|home\.arpa)\.?$/.test(host)
}
