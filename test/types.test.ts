// The types for supabase-js have the arguments that Supabase's own generator, postgres-meta, would write. The generator
// is not installed. npm run verify:types compares the types function by function, and has recorded how the generator
// writes each Postgres type.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { typesPath } from '../supabase/tools/cli.ts'
import { createDatabase } from './support/database.ts'
import { argumentsBy, argumentsIn, routinesOf } from './support/types.ts'

const { types } = JSON.parse(readFileSync('test/support/postgres-meta.json', 'utf8')) as {
  types: Record<string, string>
}
const { owner } = await createDatabase()
const routines = await routinesOf(owner)
const ours = argumentsIn(readFileSync(typesPath, 'utf8'))

test('The recorded types of postgres-meta cover every argument type of an operation', () => {
  const taken = new Set(routines.flatMap(({ parameters }) => parameters.map(({ type }) => type)))
  expect(
    [...taken].filter((type) => !types[type]),
    'run npm run verify:types',
  ).toEqual([])
})

test('Every function has the arguments that postgres-meta would write, in name, optionality and type', () => {
  expect(Object.keys(ours).length).toBeGreaterThan(350)
  const expected = Object.fromEntries(
    routines.filter(({ name }) => ours[name]).map((one) => [one.name, argumentsBy(types, one)]),
  )
  expect(ours).toEqual(expected)
})

test('A file is parsed whether an entry is on one line or on several', () => {
  const file = (entry: string) => `\n    Functions: {\n${entry}\n    }\n    Enums`
  expect(argumentsIn(file('      one: { Args: { p_b?: string; p_a: number[] }; Returns: Json }'))).toEqual({
    one: ['p_a: number[]', 'p_b?: string'],
  })
  const several =
    '      none: { Args: never; Returns: Json }\n      two: {\n        Args: {\n          p_a: Json\n        }'
  expect(argumentsIn(file(`${several}\n        Returns: Json\n      }`))).toEqual({ none: [], two: ['p_a: Json'] })
})
