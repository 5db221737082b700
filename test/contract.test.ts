// What api-facade/openapi.json says about every route besides its schemas: the configured limits, and headers.
import { expect, test } from 'vitest'
import { defaultLimits } from '../api-facade/lib/config.ts'
import { loadTables } from '../api-facade/lib/features.ts'
import { API, spellings } from '../api-facade/lib/routes.ts'
import { readOpenApi } from './support/openapi.ts'

type Answer = {
  description: string
  headers?: Record<string, unknown>
  content?: object
}
type Operation = {
  description?: string
  parameters?: { name: string; in: string; description?: string }[]
  requestBody?: object
  'x-rate-limits'?: Record<string, string>
  responses: Record<string, Answer>
}
type Schema = {
  $ref?: string
  type?: unknown
  description?: string
  anyOf?: Schema[]
  properties?: Record<string, Schema>
}
const { paths, components } = readOpenApi<{
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema>; headers: Record<string, { 'x-every-answer'?: boolean }> }
}>()
const routes = spellings(await loadTables()).map(({ row, method, path }) => {
  const operation = paths[API + path.replace(/:([^/]+)/g, '{$1}')]?.[method.toLowerCase()]
  return { name: `${method} ${path}`, row, operation }
})

test('Every route states its own limits, as values and in words', () => {
  for (const { name, row, operation } of routes) {
    const own = [row.limit ?? [], row.limits ?? []].flat()
    const limits = Object.fromEntries(own.map((limit) => [limit, defaultLimits[limit]]))
    expect(operation?.['x-rate-limits'] ?? {}, name).toEqual(limits)
    for (const limit of own) expect(operation?.description, name).toContain(`Limit \`${limit}\`:`)
  }
})

test('The API description marks the headers that every answer has, and every error lists them', () => {
  const marked = Object.entries(components.headers).flatMap(([name, header]) =>
    header['x-every-answer'] ? [name] : [],
  )
  expect(marked).toEqual([
    'Deprecation',
    'RateLimit-Limit',
    'RateLimit-Policy',
    'RateLimit-Remaining',
    'RateLimit-Reset',
    'X-Request-Id',
  ])
  for (const { name, operation } of routes)
    for (const [status, { headers = {} }] of Object.entries(operation?.responses ?? {}))
      if (status >= '400') expect(Object.keys(headers), `${name} ${status}`).toEqual(expect.arrayContaining(marked))
})

test('Every success says in a few words what the answer is', () => {
  const said = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { responses }]) =>
      Object.entries(responses)
        .filter(([status]) => status.startsWith('2'))
        .map(([status, { description }]) => `${method} ${path} ${status}: ${description}`),
    ),
  )
  expect(said.length).toBeGreaterThanOrEqual(routes.length)
  expect(
    said.filter((line) => !/: [A-Z`]\S*( \S+){1,30}\.$/.test(line) || /: (OK|Done|Success|A body `)/i.test(line)),
  ).toEqual([])
})

/** Every property in a part of the description, with its place. Examples are no schemas. */
function propertiesOf(node: unknown, place: string): { name: string; property: Schema; isRequired: boolean }[] {
  if (typeof node !== 'object' || node === null) return []
  const { properties, required } = node as { properties?: Record<string, Schema>; required?: string[] }
  const own = Object.entries(properties ?? {}).map(([key, property]) => ({
    name: `${place}.${key}`,
    property,
    isRequired: required?.includes(key) ?? false,
  }))
  const inner = own.flatMap(({ name, property }) => propertiesOf(property, name))
  const others = Object.entries(node).filter(([key]) => !['properties', 'example', 'examples'].includes(key))
  return [...own, ...inner, ...others.flatMap(([, part]) => propertiesOf(part, place))]
}
const properties = [
  ...Object.entries(components.schemas).flatMap(([name, schema]) => propertiesOf(schema, name)),
  ...Object.entries(paths).flatMap(([path, operations]) => propertiesOf(operations, path)),
]
/** The words of a property, or those of the schema that it refers to. */
const wordsOf = ({ description, $ref = '' }: Schema): string =>
  description ?? components.schemas[$ref.split('/').at(-1) ?? '']?.description ?? ''
const isSentence = (text: string): boolean => /^\w*[^ ].{3,}\.$/s.test(text)

test('Every property has a description', () => {
  expect(properties.length).toBeGreaterThan(4000)
  const silent = properties.filter(({ property }) => !isSentence(wordsOf(property)))
  expect(silent.map(({ name, property }) => `${name}: ${wordsOf(property)}`)).toEqual([])
})

test('A property of an answer that can be null says when it is', () => {
  const canBeNull = ({ type, anyOf = [] }: Schema) =>
    (Array.isArray(type) && type.includes('null')) || anyOf.some((choice) => choice.type === 'null')
  const silent = properties.filter(
    ({ property, isRequired }) =>
      isRequired && canBeNull(property) && !/\bnull\b|\bonly\b/i.test(property.description ?? ''),
  )
  expect(silent.map(({ name, property }) => `${name}: ${property.description}`)).toEqual([])
})

test('Every parameter has a description', () => {
  const silent = Object.entries(paths).flatMap(([path, operations]) =>
    Object.values(operations).flatMap(({ parameters = [] }) =>
      parameters.filter(({ description = '' }) => !isSentence(description)).map(({ name }) => `${path} ${name}`),
    ),
  )
  expect(silent).toEqual([])
})
