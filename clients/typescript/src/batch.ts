import { jsonOf, type Sent } from './transport.ts'

/** The most reads of one batch: `POST /batch`. */
const MOST = 20

type Waiting = { request: Sent; resolve(response: Response): void; reject(error: unknown): void }
type Part = { status: number; headers: Record<string, string>; body: unknown }

/** Collects the reads that are made in one tick, and sends them as one request. */
export class Batches {
  readonly #send: (request: Sent) => Promise<Response>
  #waiting: Waiting[] = []

  constructor(send: (request: Sent) => Promise<Response>) {
    this.#send = send
  }

  read(request: Sent): Promise<Response> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject })
      if (this.#waiting.length === 1) setTimeout(() => this.#flush())
    })
  }

  #flush(): void {
    const all = this.#waiting
    this.#waiting = []
    for (let at = 0; at < all.length; at += MOST) void this.#run(all.slice(at, at + MOST))
  }

  async #run(batch: Waiting[]): Promise<void> {
    const parts = batch.length > 1 ? await this.#ask(batch).catch(() => undefined) : undefined
    for (const [at, { request, resolve, reject }] of batch.entries()) {
      const part = parts?.[at]
      // if the read can't be part of a batch, or the batch failed, it is sent as a request of its own
      if (!part || [413, 429, 503].includes(part.status) || part.headers['X-Error-Code'] === 'batch_request') {
        this.#send(request).then(resolve, reject)
      } else {
        const { status, headers, body } = part
        resolve(
          new Response(status === 304 ? null : JSON.stringify(body), { status, headers: { ...headers, ...JSON_TYPE } }),
        )
      }
    }
  }

  async #ask(batch: Waiting[]): Promise<Part[]> {
    const requests = batch.map(({ request: { path, headers } }) => {
      const ifNoneMatch = headers.get('if-none-match')
      return { method: 'GET', path: `/api/v1${path}`, ...(ifNoneMatch && { ifNoneMatch }) }
    })
    const response = await this.#send({
      method: 'POST',
      path: '/batch',
      headers: new Headers(JSON_TYPE),
      body: JSON.stringify({ requests }),
    })
    return ((await jsonOf(response)) as { responses: Part[] }).responses
  }
}

const JSON_TYPE = { 'content-type': 'application/json' }
