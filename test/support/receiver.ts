// A program that receives webhooks: a server in this process, or one that a test can kill. It verifies each request as
// the library of Standard Webhooks does.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { afterAll } from 'vitest'

export type Received = {
  id: string
  type: string
  sequence: number | null
  timestamp: string
  subject: { type: string; id: string }
  data: Record<string, unknown>
}
type Answer = { status?: number; body?: string; headers?: Record<string, string>; delay?: number; never?: boolean }

/** Call it at the top of a file. `answer` decides about each request, which counts as received only if it is 2xx. */
export async function receiver(port = 0) {
  const got: Received[] = []
  const refused: string[] = []
  const seen: { id: string; at: number }[] = []
  let running = 0
  const state = {
    got,
    /** Requests whose signature was wrong or missing. */
    refused,
    /** All requests, in the order in which they came. */
    seen,
    secrets: [] as string[],
    /** The largest number of requests that were being answered at once. */
    mostAtOnce: 0,
    url: '',
    port,
    answer: (_event: Received): Answer => ({}),
  }
  let server: Server
  const start = async () => {
    server = createServer(async (request, response) => {
      const chunks = await request.toArray().catch(() => undefined)
      if (!chunks) return
      const text = Buffer.concat(chunks).toString()
      const id = String(request.headers['webhook-id'])
      running++
      state.mostAtOnce = Math.max(state.mostAtOnce, running)
      try {
        for (const secret of state.secrets) new Webhook(secret).verify(text, request.headers as Record<string, string>)
        const event: Received = { id, ...JSON.parse(text) }
        seen.push({ id, at: Date.now() })
        const { status = 200, body = '', headers = {}, delay = 0, never = false } = state.answer(event)
        if (never) return
        if (status < 300) got.push(event)
        if (delay) await new Promise((resolve) => setTimeout(resolve, delay))
        response.writeHead(status, headers).end(body)
      } catch (error) {
        refused.push(String(error))
        response.writeHead(401).end('wrong signature')
      } finally {
        running--
      }
    })
    await new Promise<void>((listening) => server.listen(state.port, '127.0.0.1', listening))
    state.port = (server.address() as AddressInfo).port
    state.url = `http://127.0.0.1:${state.port}/hook`
  }
  const stop = async () => {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  }
  await start()
  afterAll(stop)
  return Object.assign(state, { start, stop })
}
