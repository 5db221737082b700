// Checks every answer that any test gets: the shape of errors, the headers, and that nothing confidential leaks.
import { checkAgainst } from './contract.ts'
import { readOpenApi } from './openapi.ts'
import { record } from './recording.ts'

/** An answer with its text as received and the JSON in it, if any. */
export type Answer<Body = unknown> = { status: number; headers: Headers; text: string; body: Body }

/** The request. `path` is under /api/v1, or complete if it begins with `//`. `caller` is an internal id. */
export type Question = { method: string; path: string; caller: string | undefined; body?: unknown }

const documented = checkAgainst(readOpenApi())
const ERROR_KEYS = ['error', 'message', 'statusCode']
const SECRETS = [/passwordHash/, /password_hash/, /\$argon2/]

/** The path as it is sent. */
export const wholePath = (path: string) => (path.startsWith('//') ? path.slice(1) : `/api/v1${path}`)

/** Internal ids of the people of this test file: no public answer may contain one. */
export const internalIds = new Set<string>()

/** The claims in a token, unverified. Undefined if the token is malformed. */
export function claimsOf(token: unknown): { sub?: string } | undefined {
  if (typeof token !== 'string') return undefined
  try {
    return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  } catch {
    return undefined
  }
}

function errorFault({ status, headers, body }: Answer): string | undefined {
  if (typeof body !== 'object' || body === null) return 'an error without a JSON body'
  const keys = Object.keys(body).filter((key) => !(status === 422 && key === 'fields'))
  if (keys.sort().join() !== ERROR_KEYS.join()) return `an error body with the keys ${Object.keys(body)}`
  const { statusCode, error, message } = body as { statusCode: unknown; error: unknown; message: unknown }
  if (statusCode !== status) return `statusCode ${statusCode} in an answer ${status}`
  if (typeof error !== 'string' || error === '') return 'an error body whose error is no text'
  if (!Array.isArray(message) || message.length === 0 || message.some((line) => typeof line !== 'string')) {
    return 'an error body whose message is no list of texts'
  }
  if (!/^[a-z][a-z0-9_]*$/.test(headers.get('x-error-code') ?? '')) return 'an error without a code in X-Error-Code'
  if (status === 401 && !/^Bearer\b/.test(headers.get('www-authenticate') ?? '')) return '401 without WWW-Authenticate'
  return undefined
}

/** Whom the decision in a statement of reasons is about: the target in the content of its proof. */
function subjectOf(body: unknown): unknown {
  const { proof } = body as { proof?: { content: string } | null }
  return proof ? JSON.parse(proof.content)[4] : undefined
}

/**
 * Whether this answer may contain internal ids: the caller's own in their own objects, anyone's under /admin. A person
 * who proves their identity by the password is the caller too.
 */
function mayCarry(id: string, { path, caller }: Question, body: unknown) {
  if (/^\/admin(\/|\?|$)/i.test(path)) return true
  if (!/^\/(me|auth|identity)(\/|\?|$)/i.test(path) || /^\/identity\/users\//i.test(path)) return false
  const issued = typeof body === 'object' && body !== null && 'accessToken' in body ? body.accessToken : undefined
  if (path === '/auth/statement') return id === subjectOf(body)
  return id === caller || id === claimsOf(issued)?.sub
}

function leak(question: Question, { text, headers, body }: Answer): string | undefined {
  const said = `${text}\n${[...headers].join('\n')}`
  const secret = SECRETS.find((pattern) => pattern.test(said))
  if (secret) return `${secret} in an answer`
  const lower = said.toLowerCase()
  const id = [...internalIds].find((one) => lower.includes(one) && !mayCarry(one, question, body))
  return id && `the internal id ${id} in an answer`
}

/** The body of an answer as JSON. A success with a JSON content type must be JSON. 204 and empty bodies give null. */
export function parsed(status: number, headers: Headers, text: string): unknown {
  if (!/\bjson\b/.test(headers.get('content-type') ?? '')) return text === '' ? null : text
  if (status === 204 || text === '') throw new Error(`${status} with a JSON content type and no body`)
  return JSON.parse(text)
}

/**
 * A time in another format than UTC with milliseconds and Z, or undefined if there is none. A text may have JSON in it.
 */
export const oddTime = (text: string): string | undefined =>
  text
    .match(/"\d{4}-\d\d-\d\d[T ]\d\d:\d\d[^"]{0,25}"/g)
    ?.find((time) => !/^"[-\d]{10}T[\d:]{8}\.\d{3}Z\\?"$/.test(time))

/** Throws if an answer breaks a rule for all answers. `violation` checks the shape of a success. */
export function inspect(question: Question, answer: Answer, violation = documented) {
  const { method, path } = question
  const { status, headers, text, body } = answer
  const exchange = { method, path: wholePath(path), status, body, headers }
  const shape = () =>
    status < 400
      ? violation(exchange)
      : (errorFault(answer) ?? violation({ ...exchange, code: headers.get('x-error-code') }))
  const odd = oddTime(text)
  const time = odd && !/^\/\/openapi\.json/.test(path) ? `the time ${odd} in an answer` : undefined
  const isBatch = wholePath(path) === '/api/v1/batch' && status === 200
  if (isBatch) inspectParts(question, answer)
  const fault =
    (isBatch ? undefined : leak(question, answer)) ??
    time ??
    (headers.get('x-request-id') ? shape() : 'no X-Request-Id')
  if (fault) throw new Error(`${method} ${path} → ${status}: ${fault}\n${text.slice(0, 600)}`)
  record(method, exchange.path, status, body)
}

/** Checks each answer in a batch like any other answer. */
function inspectParts({ caller, body }: Question, { headers, body: answered }: Answer): void {
  const { requests } = body as { requests: { path: string }[] }
  const { responses } = answered as { responses: { status: number; headers: Record<string, string>; body: unknown }[] }
  if (requests.length !== responses.length) throw new Error(`${responses.length} answers to ${requests.length} reads`)
  for (const [n, part] of responses.entries()) {
    if (part.headers['X-Error-Code']?.startsWith('batch_')) continue
    const path = requests[n]?.path.replace('/api/v1', '') ?? ''
    const own = new Headers(headers)
    for (const [name, value] of Object.entries(part.headers)) own.set(name, value)
    inspect({ method: 'GET', path, caller }, { ...part, headers: own, text: JSON.stringify(part.body) })
  }
}
