// Calls addresses that others choose, by node:net and node:tls, but never in a private network. Every address of a name
// must be public, and the checked address is the one that is called, so that DNS rebinding does not work.
import { Resolver } from 'node:dns/promises'
import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip } from 'node:zlib'
import { Agent, buildConnector, request } from 'undici'
import { hostOf, isAddress, isPublic } from './addresses.ts'
import { NotPublic, type Open } from './open.ts'

type OutsideOptions = {
  /** Resolves all addresses of a name. */
  resolve?(name: string): Promise<string[]>
  ports?: readonly number[]
  /** Whether public addresses may be called without TLS; true by default. */
  withoutTls?: boolean
  /** Addresses that may be called although they are not public, as `address:port`. */
  exempt?: readonly string[]
}

const HEADERS = {
  accept: 'text/html, application/xhtml+xml, application/json',
  'accept-encoding': 'gzip, br',
  'user-agent': 'Kith (link preview)',
}

export function outside({
  resolve = resolver(),
  ports = [80, 443],
  exempt = [],
  withoutTls = true,
}: OutsideOptions = {}): Open {
  const isExempt = (address: string, port: number) => exempt.includes(`${address}:${port}`)
  const mayCall = (address: string, port: number, tls: boolean) =>
    isExempt(address, port) || (ports.includes(port) && isPublic(address) && (tls || withoutTls))

  return async (url, signal, sending) => {
    const host = hostOf(url)
    const tls = url.protocol === 'https:'
    const port = Number(url.port || (tls ? 443 : 80))
    const addresses = isAddress(host) ? [host] : await resolve(host)
    const [address] = addresses
    if (!address || !addresses.every((one) => mayCall(one, port, tls))) throw new NotPublic('not a public address')
    signal.throwIfAborted()
    const dial = buildConnector({ allowH2: false, maxCachedSessions: 0 })
    const name = tls && address !== host ? host : undefined
    const agent = new Agent({
      connect: (options, done) => dial({ ...options, hostname: address, port: String(port), servername: name }, done),
      pipelining: 0, // Each connection has one request.
    })
    signal.addEventListener('abort', () => void agent.destroy())
    // This is not undici's fetch: in Deno 2.1, on which the edge runtime is based, a page of 60 kB never ends.
    const answer = await request(url, { dispatcher: agent, signal, ...(sending ?? { headers: HEADERS }) })
    // The reader gets the error. Without this listener, an error that nobody reads would end the process.
    answer.body.on('error', () => {})
    const header = (name: string) => [answer.headers[name] ?? null].flat()[0] ?? null
    return { status: answer.statusCode, header, body: unpacked(answer.body, header('content-encoding')) }
  }
}

/** Decompresses the encodings that we accept; returns anything else unchanged. */
function unpacked(body: Readable, encoding: string | null): Readable {
  const unpack = { gzip: createGunzip, 'x-gzip': createGunzip, br: createBrotliDecompress }
  const name = encoding?.trim().toLowerCase() ?? ''
  if (!Object.hasOwn(unpack, name)) return body
  return pipeline(body, unpack[name as keyof typeof unpack](), () => {})
}

/** Queries the name servers directly: a lookup by the system would use one of the few threads for passwords. */
function resolver(): (name: string) => Promise<string[]> {
  const servers = new Resolver({ timeout: 1500, tries: 2 })
  return async (name) => {
    const answers = await Promise.allSettled([servers.resolve4(name), servers.resolve6(name)])
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  }
}
