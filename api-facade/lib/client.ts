// Reads from a request who its client is: the IP address, the Idempotency-Key, and the key of the limits.
import type { IncomingMessage } from 'node:http'
import { isIP, type Socket } from 'node:net'
import type { Context } from './context.ts'
import { headerOf } from './headers.ts'

/** The client's IP address. */
export function clientAddress(c: Context): string {
  const hops = c.get('services').config.trustedProxyHops
  return addressOf(c.env?.incoming?.socket, hops > 0 ? headerOf(c, 'x-forwarded-for') : '', hops)
}

/** The client's IP address for a request that bypasses the app, such as the upgrade to a WebSocket. */
export const requestAddress = ({ socket, headers }: IncomingMessage, hops: number): string =>
  addressOf(socket, headers['x-forwarded-for']?.toString(), hops)

/**
 * Only the part of X-Forwarded-For that our own proxies wrote is trusted: TRUSTED_PROXY_HOPS entries from the right.
 * Clients can forge the rest.
 */
function addressOf({ remoteAddress: socket = '127.0.0.1' }: Partial<Socket> = {}, header = '', hops = 0): string {
  const forwarded = hops > 0 ? header : ''
  if (!forwarded) return plain(socket)
  const chain = forwarded.split(',').map((entry) => entry.trim())
  const entry = chain[Math.max(0, chain.length - hops)] ?? ''
  return plain(isIP(entry) ? entry : socket)
}

/** The Idempotency-Key. Node reads the bytes of a header as Latin-1; what clients send is UTF-8. */
export function keyOf(c: Context): string | undefined {
  const key = headerOf(c, 'idempotency-key')
  return key && Buffer.from(key, 'latin1').toString()
}

/** An IPv4 address that arrives on an IPv6 socket counts as the same client. */
export const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '')

/** The key of limits: an IPv4 address, or the /64 of an IPv6 address, because a customer usually has a whole /64. */
export function network(address: string): string {
  if (isIP(address) !== 6) return address
  const [head = '', tail] = address.replace(/%.*/, '').split('::')
  const groups = head === '' ? [] : head.split(':')
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length)
  const first = [...groups, ...Array<string>(Math.max(0, missing)).fill('0'), ...(tail?.split(':') ?? [])].slice(0, 4)
  return first.map((group) => Number.parseInt(group || '0', 16).toString(16)).join(':')
}
