// When Postgres refuses a row for a `.rpc()` caller, its error must not quote the row. Every operation that writes is
// called with null for each of its parameters, with unknown ids, and twice.
import { expect, test } from 'vitest'
import { UNKNOWN } from '../support/lists.ts'
import { callOf, createSamples, type Sample } from '../support/samples.ts'

const { races, samples } = await createSamples()
const { database, owner } = races

const codes = new Map(
  (await owner<{ code: string; text: string }[]>`select code, text from private.errors`).map(({ code, text }) => [
    code,
    text,
  ]),
)

type Given = Record<string, unknown>

/** The outcome of the last of these calls, which is rolled back: null, a code, or the error of Postgres. */
async function outcome({ who }: Sample, operation: string, ...calls: Given[]): Promise<string | null> {
  const undone = new Error('undone')
  return database
    .asCaller({ sub: who.id, role: who.role ?? 'user', ...who.token }, async (sql) => {
      for (const given of calls) await sql.unsafe(...callOf(operation, given))
      await sql`set constraints all immediate`
      throw undone
    })
    .catch((error) => {
      if (error === undone) return null
      const { code, message, detail } = error as { code: string; message: string; detail?: string }
      if (/^PT\d{3}$/.test(code) && codes.get(message) === detail) return message
      // Where people write under row-level security, Postgres names the column and nothing else (docs/decisions.md,
      // Errors)
      const bare = !detail && (code === '23502' || code === '42501')
      return bare ? 'bare' : `${code} ${message}: ${detail}`
    })
}

const isObject = (value: unknown): value is Given =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Variants of a call. Each has one value replaced by what `other` returns for it: the value of a parameter, or of a
 * member of a parameter that is an object. A value for which `other` returns undefined gives no variant.
 */
function* changed(given: Given, other: (value: unknown) => unknown): Generator<[string, Given]> {
  for (const [name, value] of Object.entries(given)) {
    const instead = other(value)
    if (instead !== undefined) yield [name, { ...given, [name]: instead }]
    if (isObject(value))
      for (const [inner, one] of changed(value, other)) yield [`${name}.${inner}`, { ...given, [name]: one }]
  }
}

async function expectNothingQuoted(tries: (given: Given) => Iterable<[string, Given[]]>) {
  const quoted: string[] = []
  for (const [name, sample] of Object.entries(samples))
    for (const [what, calls] of tries(sample.given)) {
      const error = await outcome(sample, name, ...calls)
      if (error !== null && error !== 'bare' && !codes.has(error)) quoted.push(`${name} ${what}: ${error}`)
    }
  expect(quoted).toEqual([])
}

test('Every operation that writes has a call that succeeds', async () => {
  const operations = await owner<{ name: string; given: string[] }[]>`
    select proname as name, coalesce(proargnames, '{}') as given from pg_proc
    where pronamespace = 'api'::regnamespace and provolatile = 'v'
      and has_function_privilege('authenticated', oid, 'execute') order by 1`
  expect(Object.keys(samples).sort()).toEqual(operations.map(({ name }) => name))
  for (const { name, given } of operations)
    expect([name, Object.keys(samples[name]?.given ?? {}).sort()]).toEqual([name, given.toSorted()])
  const refused: string[] = []
  for (const [name, sample] of Object.entries(samples)) {
    const error = await outcome(sample, name, sample.given)
    if (error !== null) refused.push(`${name}: ${error}`)
  }
  expect(refused).toEqual([])
})

test('A null for any parameter quotes no row', () =>
  expectNothingQuoted((given) => [...changed(given, () => null)].map(([what, one]) => [what, [one]])))

test('An unknown id quotes no key', () => {
  const isId = (value: unknown) => typeof value === 'string' && value.length === UNKNOWN.length && value[8] === '-'
  const unknown = (value: unknown) => (isId(value) ? UNKNOWN : undefined)
  return expectNothingQuoted((given) => [...changed(given, unknown)].map(([what, one]) => [what, [one]]))
})

test('Repeating a call quotes no key', () => expectNothingQuoted((given) => [['twice', [given, given]]]))
