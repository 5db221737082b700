// Opens pages, by node:net and node:tls, and never those that stand in a network of our own: every address of a name
// has to be public, and the one that was looked at is the one that is called, so that a name cannot change its mind.
import { Resolver } from 'node:dns/promises'
import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip } from 'node:zlib'
import { Agent, buildConnector, request } from 'undici'
import { hostOf, isAddress, isPublic } from './addresses.ts'
import type { LinkPreviewEnvironment } from './handler.ts'

export type OutsideOptions = {
  /** All addresses of a name. */
  resolve?(name: string): Promise<string[]>
  ports?: readonly number[]
  /** What may be called although it is not public, as `address:port`: a test names its own listener. */
  exempt?: readonly string[]
}

const HEADERS = {
  accept: 'text/html, application/xhtml+xml',
  'accept-encoding': 'gzip, br',
  'user-agent': 'Kith (link preview)',
}

export function outside({
  resolve = resolver(),
  ports = [80, 443],
  exempt = [],
}: OutsideOptions = {}): LinkPreviewEnvironment['open'] {
  const mayCall = (address: string, port: number) =>
    ports.includes(port) && (isPublic(address) || exempt.includes(`${address}:${port}`))

  return async (url, signal) => {
    const host = hostOf(url)
    const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
    const addresses = isAddress(host) ? [host] : await resolve(host)
    const [address] = addresses
    if (!address || !addresses.every((one) => mayCall(one, port))) throw new Error('not to be called')
    signal.throwIfAborted()
    const dial = buildConnector({ allowH2: false, maxCachedSessions: 0 })
    const name = url.protocol === 'https:' && address !== host ? host : undefined
    const agent = new Agent({
      connect: (options, done) => dial({ ...options, hostname: address, port: String(port), servername: name }, done),
      pipelining: 0, // one request, and then the connection is closed
    })
    signal.addEventListener('abort', () => void agent.destroy())
    // not undici's fetch: in Deno 2.1, of which the edge runtime is made, a page of 60 kB never comes to its end
    const answer = await request(url, { dispatcher: agent, headers: HEADERS, signal })
    answer.body.on('error', () => {}) // whoever reads hears of it, and nobody has to
    const header = (name: string) => [answer.headers[name] ?? null].flat()[0] ?? null
    return { status: answer.statusCode, header, body: unpacked(answer.body, header('content-encoding')) }
  }
}

/** What was packed in one of the ways that we take; anything else as it came. */
function unpacked(body: Readable, encoding: string | null): Readable {
  const unpack = { gzip: createGunzip, 'x-gzip': createGunzip, br: createBrotliDecompress }
  const name = encoding?.trim().toLowerCase() ?? ''
  if (!Object.hasOwn(unpack, name)) return body
  return pipeline(body, unpack[name as keyof typeof unpack](), () => {})
}

/** Asks the name servers themselves: a lookup by the system would take one of the few threads that passwords need. */
function resolver(): (name: string) => Promise<string[]> {
  const servers = new Resolver({ timeout: 1500, tries: 2 })
  return async (name) => {
    const answers = await Promise.allSettled([servers.resolve4(name), servers.resolve6(name)])
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  }
}
