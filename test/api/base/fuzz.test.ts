// Sends valid requests, requests with one invalid field, and garbage to every route of api-facade/openapi.json. No
// answer may be a 500, and the crawler (test/support/crawler.ts) checks that every answer fits the description. Also
// tries extreme values for every number in a request. FUZZ_SEED sets the seed, FUZZ_RUNS the number of requests per
// route; a failure prints the request.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { UNKNOWN } from '../../support/lists.ts'
import { readOpenApi } from '../../support/openapi.ts'
import { publish, reply } from '../../support/posts.ts'
import { oneOfEach } from '../../support/things.ts'
import { world } from '../../support/world.ts'

const seed = Number(process.env.FUZZ_SEED ?? 20261122)
const runs = Number(process.env.FUZZ_RUNS ?? 1)

type Schema = {
  $ref?: string
  type?: string | string[]
  format?: string
  pattern?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  items?: Schema
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  properties?: Record<string, Schema>
  required?: string[]
}
type Operation = {
  security?: unknown[]
  parameters?: { name: string; in: string; schema: Schema }[]
  requestBody?: { content: Record<string, { schema?: Schema; example?: object }> }
}
type Document = { paths: Record<string, Record<string, Operation>>; components: { schemas: Record<string, Schema> } }
const document = readOpenApi<Document>()

const { alice, bob, admin, nobody, database } = await world({ env: { RATE_LIMIT_SCALE: '1000' } })
const post = await publish(alice)
const known = [UNKNOWN, post, await reply(alice, post), alice.id]

const strange = fc.constantFrom(
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '%',
  '_',
  '%_%',
  "'",
  '"',
  '\\',
  '\\u0000',
  "'; drop table app.users; --",
  '$1',
  '{}',
  '[]',
  'null',
  '🙂',
  '👩‍👩‍👧',
  'שלום',
  'مرحبا',
  '\u202eabc',
  '\u200b',
  'e\u0301',
  '\ud800',
  '\n',
  '\t=1',
  'x'.repeat(10_000),
  '-1',
  '0',
  '1e999',
  'NaN',
  'Infinity',
  '2026-02-30',
  '2026-13-01T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
  '+275760-09-13T00:00:00Z',
  'acct:',
  'acct:@',
  '@',
  'a@b@c',
  'javascript:alert(1)',
  'http://',
  'http://[',
  'not-a-uuid',
  `${UNKNOWN}0`,
  UNKNOWN.toUpperCase(),
  `{${UNKNOWN}}`,
)
const odd = fc.constantFrom<unknown>(
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  2 ** 31,
  [],
  {},
  [null],
  [[[]]],
  { a: { b: 1 } },
  'x',
)

/** Values that fit a schema, except for its patterns, which are ignored. */
function fitting(schema: Schema, depth = 0): fc.Arbitrary<unknown> {
  const { $ref, enum: words, anyOf, oneOf, allOf, items, properties = {}, required = [] } = schema
  if ($ref) return fitting(document.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {}, depth)
  if ('const' in schema) return fc.constant(schema.const)
  if (words) return fc.constantFrom(...words)
  const parts = anyOf ?? oneOf ?? allOf
  if (parts?.length) return fc.oneof(...parts.map((part) => fitting(part, depth)))
  const [type = 'object'] = [schema.type ?? []].flat()
  if (type === 'null') return fc.constant(null)
  if (type === 'boolean') return fc.boolean()
  if (type === 'integer') return fc.integer({ min: schema.minimum ?? -5, max: schema.maximum ?? 200 })
  if (type === 'number') return fc.double({ min: schema.minimum ?? -5, max: schema.maximum ?? 200, noNaN: true })
  if (type === 'array') return depth > 3 ? fc.constant([]) : fc.array(fitting(items ?? {}, depth + 1), { maxLength: 3 })
  if (type === 'string') {
    if (schema.format === 'uuid') return fc.constantFrom(...known)
    if (schema.format === 'date-time') return fc.constantFrom('2099-01-31T12:00:00.000Z', '2020-01-01T00:00:00+14:00')
    if (schema.format === 'uri') return fc.constantFrom('https://example.org/a.png', 'http://localhost/')
    if (schema.format === 'email') return fc.constant('ada@example.org')
    const least = schema.minLength ?? 0
    return fc.oneof(
      fc.constantFrom('alice', 'bob', 'videos', 'heart', '1', '10', 'true'),
      fc.string({
        unit: 'grapheme',
        minLength: least,
        maxLength: Math.max(least, Math.min(schema.maxLength ?? 60, 60)),
      }),
    )
  }
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name, fitting(field, depth + 1)]),
  )
  return fc.record(fields, { requiredKeys: required.filter((name) => name in fields) })
}

/** Values that fit a schema except for one field, which gets a wrong value. */
const unfit = (schema: Schema): fc.Arbitrary<unknown> =>
  fc.tuple(fitting(schema), fc.nat(), fc.oneof(strange, odd)).map(([whole, place, wrong]) => {
    if (typeof whole !== 'object' || whole === null || Array.isArray(whole)) return wrong
    const names = Object.keys(
      document.components.schemas[schema.$ref?.split('/').at(-1) ?? '']?.properties ?? schema.properties ?? whole,
    )
    const name = names[place % Math.max(1, names.length)]
    return name === undefined ? wrong : { ...whole, [name]: wrong }
  })

type Parts = { params: Record<string, unknown>; body: unknown }
/** Half of the requests fit their schemas completely. */
const partsOf = (operation: Operation): fc.Arbitrary<Parts> =>
  fc.oneof(partsWith(operation, false), partsWith(operation, true))

function partsWith({ parameters = [], requestBody }: Operation, spoilt: boolean): fc.Arbitrary<Parts> {
  const schema = requestBody?.content['application/json']?.schema
  const values = (field: Schema) =>
    spoilt ? fc.oneof({ weight: 3, arbitrary: fitting(field) }, strange) : fitting(field)
  const params = parameters
    .filter((one) => one.in !== 'header')
    // a random cursor fits its schema but was never issued
    .filter((one) => spoilt || one.name !== 'cursor')
    .map((one) => [
      one.name,
      one.in === 'path' ? values(one.schema) : fc.option(values(one.schema), { nil: undefined }),
    ])
  const bodies = schema && (spoilt ? fc.oneof(fitting(schema), unfit(schema), odd) : fitting(schema))
  return fc.record({ params: fc.record(Object.fromEntries(params)), body: bodies ?? fc.constant(undefined) })
}

// these routes end the caller’s session or notify everybody
const left = ['/auth/logout', '/identity/logout', '/admin/broadcast']
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
)
const asked = operations.filter(
  ({ path }) => path.startsWith('/api/v1/') && !left.includes(path.replace('/api/v1', '')),
)

/** A lone surrogate cannot be encoded in a URL, so clients replace it, as here. */
const encoded = (value: unknown) => encodeURIComponent(String(value).toWellFormed())

const answers = { taken: 0, refused: 0 }

test.each(asked)('$method $path never answers 500 to random input', async ({ method, path, operation }) => {
  const who = operation.security?.length === 0 ? nobody : path.startsWith('/api/v1/admin') ? admin : alice
  for (const { params, body } of fc.sample(partsOf(operation), { seed, numRuns: runs })) {
    const filled = path.replace(/\{(\w+)\}/g, (_, name) => encoded(params[name]) || '%20')
    const query = (operation.parameters ?? []).filter((one) => one.in === 'query' && params[one.name] !== undefined)
    const search = query.map(({ name }) => `${name}=${encoded(params[name])}`).join('&')
    const address = `${filled.replace('/api/v1', '')}${search && `?${search}`}`.slice(0, 12_000)
    const { status, text } = await who.request(method, address, body)
    expect(status, `${method} ${address} ${JSON.stringify(body)?.slice(0, 500)} → ${text.slice(0, 300)}`).not.toBe(500)
    answers[status < 400 ? 'taken' : 'refused'] += 1
  }
})

/** The paths to all numbers in a schema, from its root. */
function numbersIn(schema: Schema, way: string[] = []): string[][] {
  const { $ref, anyOf = [], oneOf = [], allOf = [], properties = {}, items } = schema
  if ($ref) return numbersIn(document.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {}, way)
  const isNumber = [schema.type ?? []].flat().some((type) => type === 'integer' || type === 'number')
  return [
    ...(isNumber ? [way] : []),
    ...[...anyOf, ...oneOf, ...allOf].flatMap((part) => numbersIn(part, way)),
    ...Object.entries(properties).flatMap(([name, part]) => numbersIn(part, [...way, name])),
    ...(items ? numbersIn(items, [...way, '0']) : []),
  ]
}

/** A copy with another value at the end of the path. */
function changed(whole: unknown, [name, ...rest]: string[], value: unknown): unknown {
  if (name === undefined) return value
  if (name === '0') return [changed((whole as unknown[] | undefined)?.[0], rest, value)]
  const fields = (whole ?? {}) as Record<string, unknown>
  return { ...fields, [name]: changed(fields[name], rest, value) }
}

const extremes = [-1, 0, 0.5, 32_768, -(2 ** 31) - 1, 2 ** 31 - 1, 2 ** 31, 2 ** 53, -1e300, 1e300]
const things = await oneOfEach(admin, [alice, bob], database)
const [interest] = await database.owner<{ id: string }[]>`select id from app.interests where slug = 'music'`
/** An example with its placeholders replaced by an interest, a post and a person that exist here. */
const real = (example: object): unknown =>
  JSON.parse(
    JSON.stringify(example)
      .replaceAll('3f1c8e52-7a0b-4d6e-9c1f-2b5a8d7e6f10', interest?.id ?? '')
      .replaceAll(/"postId":"[^"]+"/g, `"postId":"${things['/posts']}"`)
      .replaceAll('acct:ada@localhost', 'bob'),
  )

const numbered = asked.flatMap(({ method, path, operation }) => {
  const { schema, example } = operation.requestBody?.content['application/json'] ?? {}
  const isNumber = ({ schema: { type } }: { schema: Schema }) => type === 'integer' || type === 'number'
  const parameters = (operation.parameters ?? []).filter((one) => one.in !== 'header' && isNumber(one))
  const ways = [
    ...new Map((schema ? numbersIn(schema) : []).map((way) => [`body ${way.join('.')}`, way])),
    ...parameters.map(({ in: where, name }) => [`${where} ${name}`, undefined] as const),
  ]
  return ways.map(([place, way]) => ({ method, path, place, way, example }))
})

test('The description has numbers in bodies, queries and paths', () => {
  expect(numbered.length).toBeGreaterThan(130)
  for (const where of ['body ', 'query ', 'path '])
    expect(numbered.some(({ place }) => place.startsWith(where))).toBe(true)
})

// the ids in the path exist and the rest of the body fits, so that the number gets as far as possible
test.each(numbered)(
  '$method $path never answers 500, whatever number is sent as $place',
  async ({ method, path, place, way, example = {} }) => {
    const [where, name = ''] = place.split(' ')
    for (const number of extremes) {
      const filled = path
        .replace('/api/v1', '')
        .replace(/\{(\w+)\}/g, (_, parameter: string, at: number, whole: string) => {
          if (where === 'path' && parameter === name) return String(number)
          return things[whole.slice(0, at - 1).replace(/\{\w+\}/g, '*')] ?? UNKNOWN
        })
      const address = where === 'query' ? `${filled}?${name}=${number}&q=x` : filled
      const body = method === 'GET' ? undefined : way ? changed(real(example), way, number) : real(example)
      const { status, text } = await admin.request(method, address, body)
      expect(status, `${method} ${address} ${JSON.stringify(body)} → ${text.slice(0, 300)}`).toBeLessThan(500)
    }
  },
)

test('Some of the random input was accepted and some rejected', () => {
  expect(answers.taken).toBeGreaterThan(20)
  expect(answers.refused).toBeGreaterThan(100)
})
