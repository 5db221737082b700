// A website, and traps: listeners on other addresses at the same port, which must never be called.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll } from 'vitest'

type Page = (request: IncomingMessage, answer: ServerResponse) => void
export type Site = {
  /** The origin of the site, the only one that may be called. */
  origin: string
  port: number
  /** The paths that were requested. */
  asked: string[]
  /** How many connections the traps got. */
  trapped(): number
  /** The options with which the function reaches the site: names resolve to it, or to what a test sets. */
  options: { names: Record<string, string[][]>; ports: number[]; exempt: string[] }
}

const SITE = '127.0.0.3'
const TRAPS = ['127.0.0.1', '127.0.0.2', '::1']

const open = (server: Server, host: string, port: number): Promise<boolean> =>
  new Promise((opened) => {
    server.once('error', () => opened(false))
    server.listen(port, host, () => opened(true))
  })

/** Call it at the top of a file: everything closes after the last test there. */
export async function site(
  pages: Readonly<Record<string, Page>>,
  names: Record<string, string[][]> = {},
): Promise<Site> {
  const asked: string[] = []
  const server = createServer((request, answer) => {
    const path = request.url ?? ''
    asked.push(path)
    const page = pages[path.split('?')[0] ?? '']
    if (page) page(request, answer)
    else answer.writeHead(404, { 'content-type': 'text/html' }).end('<title>Nothing here</title>')
  })
  // looks for a port that is free at all of the addresses, of which a machine may lack those of IPv6
  let trapped = 0
  const traps: Server[] = []
  let port = 0
  for (let ready = false; !ready; ) {
    if (server.listening) server.close()
    for (const trap of traps.splice(0)) trap.close()
    await open(server, SITE, 0)
    port = (server.address() as AddressInfo).port
    ready = true
    for (const host of TRAPS) {
      const trap = createServer((_, answer) => answer.writeHead(200, HTML).end('<title>A secret</title>'))
      trap.on('connection', () => trapped++)
      const opened = await open(trap, host, port)
      if (opened) traps.push(trap)
      else if (host !== '::1') ready = false
    }
  }
  afterAll(() => {
    for (const one of [server, ...traps]) {
      one.closeAllConnections()
      one.close()
    }
  })
  const all = { 'site.test': [[SITE]], ...names }
  return {
    origin: `http://site.test:${port}`,
    port,
    asked,
    trapped: () => trapped,
    options: { names: all, ports: [80, 443, port], exempt: [`${SITE}:${port}`] },
  }
}

export const HTML = { 'content-type': 'text/html; charset=utf-8' }

/** A page with this text. */
export const html =
  (text: string | Buffer, headers: Record<string, string> = HTML): Page =>
  (_, answer) =>
    void answer.writeHead(200, headers).end(text)

export const packed =
  (text: string): Page =>
  (_, answer) =>
    void answer.writeHead(200, { ...HTML, 'content-encoding': 'gzip' }).end(gzipSync(text))

/** Redirects to the address in the query. */
export const moved: Page = (request, answer) =>
  void answer
    .writeHead(302, { location: Buffer.from(decodeURIComponent(request.url?.split('?')[1] ?? '')).toString('latin1') })
    .end()

/** Sends a beginning and then a gigabyte, as fast as the client reads. `sent` counts megabytes. */
export function gigabyte(beginning: string): { page: Page; sent: () => number } {
  let sent = 0
  const megabyte = Buffer.alloc(1 << 20, ' ')
  const page: Page = (_, answer) => {
    const more = (): void => {
      while (sent < 1024 && !answer.destroyed) {
        sent++
        if (!answer.write(megabyte)) return void answer.once('drain', more)
      }
      answer.end()
    }
    answer.writeHead(200, HTML).write(beginning)
    more()
  }
  return { page, sent: () => sent }
}
