// What may be called by its address, on the say-so of a stranger.
import ipaddr from 'ipaddr.js'

/** Azure's own services answer every machine of theirs here, though the address is a public one. */
const AZURE = '168.63.129.16'

/** Whether a text is an address and no name, in the form in which a URL has it. */
export const isAddress = (host: string): boolean => /^[\d.]+$/.test(host) || host.includes(':')

/**
 * Whether an address is of the public Internet. IPv6 has to be global unicast, and none whose prefix or interface leads
 * on to an IPv4 address: mapped, compatible, translated, NAT64, 6to4, Teredo, ISATAP.
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

/** Letters that an address on the Web may have. */
const LONGEST = 2048

/** An http(s) address without a name, password or fragment in it, spelt as everybody spells it; null for all others. */
export function webAddress(text: string, base?: URL): URL | null {
  const url = URL.parse(text, base?.href)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return null
  url.hash = ''
  return url.href.length > LONGEST ? null : url
}

/** Whether people's own devices may be sent there, which stand in networks of their own. */
export function isForEverybody(url: URL): boolean {
  const host = hostOf(url)
  if (url.port) return false
  return isAddress(host)
    ? isPublic(host)
    : /\../.test(host) && !/\.(localhost|local|internal|home\.arpa)\.?$/.test(host)
}
