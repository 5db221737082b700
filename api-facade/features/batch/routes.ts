// Several reads in one request, for screens that need more than one.
import type { z } from 'zod'
import { carryPosition } from '../../lib/call.ts'
import { compressed } from '../../lib/compress.ts'
import type { Context } from '../../lib/context.ts'
import { ApiError, errorAnswer } from '../../lib/errors.ts'
import { sendJson } from '../../lib/headers.ts'
import { API, routes } from '../../lib/routes.ts'
import { Batch, BatchAnswer } from './schemas.ts'

type Part = z.output<typeof Batch>['requests'][number]
/** Whether any answer contains a secret, and whether any has the position that the person has seen. */
type Parts = { hasSecret: boolean; hasPosition: boolean }
type Answered = { status: number; headers: Record<string, string>; body: string }

/**
 * No further read begins when the answers have this many characters together. A page of a list has at most half a
 * megabyte.
 */
const CHARACTERS = 4_000_000

/** Runs the reads one after the other, so that a batch takes one connection to the database, like any other request. */
async function batch(c: Context, { requests }: z.output<typeof Batch>): Promise<Response> {
  const parts: Parts = { hasSecret: false, hasPosition: false }
  const texts: string[] = []
  let characters = 0
  for (const request of requests) {
    const { status, headers, body } = characters < CHARACTERS ? await read(c, request, parts) : refused('batch_large')
    characters += body.length
    texts.push(`{"status":${status},"headers":${JSON.stringify(headers)},"body":${body || 'null'}}`)
  }
  if (parts.hasPosition) carryPosition(c)
  const text = `{"responses":[${texts.join(',')}]}`
  return sendJson(c, parts.hasSecret ? text : compressed(c, text), 200)
}

async function read(c: Context, { method, path, ifNoneMatch }: Part, parts: Parts): Promise<Answered> {
  const whole = wholePath(path)
  if (method !== 'GET' || whole === undefined) return refused('batch_request')
  const headers: Record<string, string> = ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch }
  const answer = await c.get('services').read(c, whole, headers, parts)
  parts.hasPosition ||= answer.headers.has('x-read-position')
  return { status: answer.status, headers: named(answer.headers), body: await answer.text() }
}

/** The path with `/api/v1`, which a client may leave out; undefined for an address of another host. */
function wholePath(path: string): string | undefined {
  const base = 'http://kith'
  if (!path.startsWith('/') || !URL.canParse(path, base)) return undefined
  const { origin, pathname, search } = new URL(path, base)
  if (origin !== base) return undefined
  return pathname.toLowerCase().startsWith(`${API}/`) ? path : `${API}${pathname}${search}`
}

function refused(code: 'batch_request' | 'batch_large'): Answered {
  const apiError = new ApiError(code)
  return { status: apiError.status, headers: { 'X-Error-Code': code }, body: errorAnswer(apiError).body }
}

/** The headers that the description lists, in its spelling. */
const named = (headers: Headers): Record<string, string> =>
  Object.fromEntries(
    ['ETag', 'Cache-Control', 'Retry-After', 'X-Error-Code'].flatMap((name) => {
      const value = headers.get(name)
      return value === null ? [] : [[name, value]]
    }),
  )

/** What the feature offers, for the API's description. */
export const about = 'Several reads in one request.'

export default routes('batch', {
  'POST /batch': {
    summary: 'Run several reads in one request',
    description:
      'Use this for a screen that needs several answers. Each read gets the answer and the status that a separate request would get, in the order of the requests. The batch counts as one request of your network; the limits of a route and of a person count each read. A read is 422 `batch_request` if its method is not GET, if its path is not a read of the API, or if it reads an export, a file or a calendar. When the answers have 4 million characters, the remaining reads are 413 `batch_large`. The answer is not compressed if it contains an invite code.',
    access: 'user',
    scope: 'any',
    id: 'batch',
    body: Batch,
    handler: batch,
    calls: [],
    answers: { 200: BatchAnswer },
    outcome: 'The answers in the order of the requests, each with its own status.',
  },
})
