// Bodies that no client sends: a megabyte in one text, or half a million values in one list.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { operations } from '../../../api-facade/generated/operations.ts'
import type { Scene } from './people.ts'

const BYTES = 1_000_000
const fill = (piece: string, bytes = BYTES) => piece.repeat(Math.floor(bytes / Buffer.byteLength(piece)))

/** Each text is the worst case of one thing that Postgres does with texts, such as normalising or pattern matching. */
const texts = {
  letters: fill('a'),
  blanks: fill(' '),
  accents: fill('é'),
  combining: fill(`e${'\u0301\u0316'.repeat(100)} `),
  colons: `http://${fill(':0')}`,
  words: fill('@ab.a-"'),
} as const

const one: Record<string, unknown> = {
  uuid: '00000000-0000-4000-8000-000000000000',
  integer: 1,
  bigint: 1,
  boolean: true,
  'timestamp with time zone': '2099-01-01T00:00:00Z',
  jsonb: {},
  json: {},
  text: 'x',
}
const values = (type: string): [string, unknown][] => {
  if (type === 'text') return Object.entries(texts)
  if (type === 'uuid[]')
    return [['ids', Array.from({ length: 25_000 }, (_, n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`)]]
  if (type.endsWith('[]')) return [['items', Array(BYTES / 4).fill('a')]]
  if (type.startsWith('json'))
    return [
      ['numbers', Array(BYTES / 2).fill(1)],
      ['objects', Array(BYTES / 20).fill({ url: 'http://x' })],
      ['keys', Object.fromEntries(Array.from({ length: Math.floor(BYTES / 12) }, (_, n) => [`k${n}`, 1]))],
    ]
  return []
}

/** Operations that end the session, after which the reader would have to log in again. */
const endsSession = /^(erase|log_out|end_(other_)?sessions?|change_password)/

const rpc: Scene[] = Object.entries(operations as Record<string, Record<string, string>>)
  .filter(([name]) => !endsSession.test(name))
  .flatMap(([name, parameters]) =>
    Object.entries(parameters).flatMap(([parameter, type]) =>
      values(type).map(([kind, value]) => ({
        what: `rpc ${name}, ${parameter}: ${kind}`,
        async plant(fresh, { reader }) {
          const others = Object.fromEntries(
            Object.entries(parameters)
              .filter(([other]) => /^p_(id|body|title|name|q|slug|username|person)$/.test(other))
              .map(([other, its]) => [other, one[its] ?? null]),
          )
          const body = JSON.stringify({ ...others, [parameter]: value })
          return () => fresh.rpc(name, body, reader.token)
        },
      })),
    ),
  )

type Schema = {
  $ref?: string
  type?: string
  items?: Schema
  properties?: Record<string, Schema>
  anyOf?: Schema[]
  allOf?: Schema[]
  oneOf?: Schema[]
}
const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../../api-facade/openapi.json'), 'utf8'))
const resolve = (schema: Schema): Schema =>
  schema.$ref ? resolve(document.components.schemas[schema.$ref.split('/').at(-1) ?? '']) : schema

/** Fields of a body, including nested ones, each with a hostile value. */
function hostile(schema: Schema, depth = 0): [string, unknown][] {
  const { type, items, properties, anyOf, allOf, oneOf } = resolve(schema)
  const inner = [...(anyOf ?? []), ...(allOf ?? []), ...(oneOf ?? [])].flatMap((part) => hostile(part, depth))
  if (depth > 3) return []
  if (properties)
    return Object.entries(properties).flatMap(([name, field]) =>
      hostile(field, depth + 1).map(([kind, value]): [string, unknown] => [`${name} ${kind}`, { [name]: value }]),
    )
  if (items)
    return [
      ['numbers', Array(BYTES / 2).fill(1)],
      ['nothing', Array(Math.floor(BYTES / 3)).fill('')],
      ['objects', Array(Math.floor(BYTES / 3)).fill({})],
      ...hostile(items, depth + 1).map(([kind, value]): [string, unknown] => [`[${kind}]`, [value]]),
    ]
  if (type === 'string') return Object.entries(texts)
  return inner
}

const routes: Scene[] = Object.entries(
  document.paths as Record<string, Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>>,
).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { requestBody }]) => {
    const schema = requestBody?.content['application/json']?.schema
    return (schema ? hostile(schema) : []).map(
      ([kind, value]): Scene => ({
        what: `${method.toUpperCase()} ${path}, ${kind}`,
        async plant(fresh, { reader }) {
          const token = path.includes('/admin/') ? fresh.staff : reader.token
          const body = JSON.stringify(value)
          return () =>
            fresh.ask(
              method.toUpperCase(),
              path.replace(/\{[^}]*\}/g, '00000000-0000-4000-8000-000000000000'),
              body,
              token,
            )
        },
      }),
    )
  }),
)

export const bodies: Scene[] = [...rpc, ...routes]
