// Lets the OAuth provider, which is made for Node's server, read a request of the facade and answer it.
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Context } from './context.ts'
import { ApiError } from './errors.ts'
import { bodyOf } from './input.ts'

/** The maximum bytes of a form. */
const FORM = 16_384

/** A request as the provider reads it. Its address begins with the issuer, whatever the header Host says. */
export function incomingOf(c: Context, issuer: URL, body: string): IncomingMessage {
  const { pathname, search } = new URL(c.req.url)
  const socket = new Socket()
  const incoming = new IncomingMessage(socket)
  const headers = { ...c.env.incoming?.headers }
  delete headers['content-length']
  delete headers['transfer-encoding']
  Object.assign(incoming, {
    method: c.req.method,
    url: pathname + search,
    headers: {
      ...headers,
      host: issuer.host,
      'x-forwarded-proto': issuer.protocol.slice(0, -1),
      'x-forwarded-host': issuer.host,
      ...(body && { 'content-length': String(Buffer.byteLength(body)) }),
    },
  })
  incoming.push(body || null)
  if (body) incoming.push(null)
  return incoming
}

export async function readForm(c: Context): Promise<string> {
  if (c.req.method !== 'POST') return ''
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of bodyOf(c)) {
    size += chunk.length
    if (size > FORM) throw new ApiError('body_too_large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** The provider's answer, held until the facade sends it. */
export function outgoingOf(incoming: IncomingMessage): { outgoing: ServerResponse; ended: Promise<Buffer> } {
  const outgoing = new ServerResponse(incoming)
  const chunks: Buffer[] = []
  const ended = new Promise<Buffer>((resolve) => {
    const add = (chunk: unknown) => {
      if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk as string))
    }
    outgoing.write = (chunk: unknown) => {
      add(chunk)
      return true
    }
    outgoing.end = (chunk?: unknown) => {
      add(chunk)
      resolve(Buffer.concat(chunks))
      return outgoing
    }
  })
  return { outgoing, ended }
}
