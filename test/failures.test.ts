// supabase/tools/failures.ts derives the error codes of an operation from the bodies of its functions. Comments list
// only the codes that it can't find there. These tests check both, and the codes that routes declare.
import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { loadTables } from '../api-facade/lib/features.ts'
import { spellings } from '../api-facade/lib/routes.ts'
import { failuresOf, general, listed, type Routine, readFailures } from '../supabase/tools/failures.ts'
import { createDatabase } from './support/database.ts'

const { owner } = await createDatabase()
const { routines, codes, targets, failures } = await readFailures(owner)
const tables = await loadTables()
const rows = tables.flatMap(({ rows }) => Object.entries(rows))

describe('A code is found', () => {
  const routine = (name: string, text: string, comment = '', parameters: string[] = []): Routine => ({
    ...{ name, text, comment, parameters },
  })
  const fail = routine('private.raise_error', '', '', ['p_code', 'p_headers'])
  const known = ['debate_unknown', 'insufficient_mana', 'pay_oneself', 'spaces_exhausted', 'token_missing']
  const found = (...all: Routine[]) => failuresOf([fail, ...all], known).get('api.do') ?? []

  test('in a called function, and not in a comment', () => {
    const move = routine(
      'private.move',
      "perform private.raise_error('insufficient_mana'); -- private.raise_error('pay_oneself')",
    )
    expect(found(routine('api.do', 'perform private.move(1);'), move)).toEqual(['insufficient_mana'])
  })

  test.each([
    ['by its place', "'debate', p_id"],
    ['by its name', "p_id => (p_id), p_kind => 'debate'"],
    ['behind a comma within a text', "p_id => 'a, (b', p_kind => 'debate'"],
  ])('that an argument makes, given %s', (_how, given) => {
    const require = routine('private.require', "perform private.raise_error(p_kind || '_unknown');", '', [
      'p_kind',
      'p_id',
    ])
    const pass = routine('private.pass', 'perform private.require(p_kind, p_id);', '', ['p_kind', 'p_id'])
    expect(found(routine('api.do', `perform private.pass(${given});`), pass, require)).toEqual(['debate_unknown'])
    expect(found(routine('api.do', 'perform private.pass(v_kind, 1);'), pass, require)).toEqual([])
  })

  test('that a comment declares after Fails, but none that it excludes after Never', () => {
    const move = routine('private.move', '', 'Moves. Fails: insufficient_mana, pay_oneself (to whom).')
    const none = 'Moves. Never: insufficient_mana (it is held).'
    expect(found(routine('api.do', 'perform private.move(1);', none), move)).toEqual(['pay_oneself'])
    expect(found(routine('api.do', '', 'Fails: private.move. Says more: pay_oneself.'), move)).toEqual([
      ...['insufficient_mana', 'pay_oneself'],
    ])
  })

  test('in functions that call each other', () => {
    const one = routine('private.one', "perform private.two(); perform private.raise_error('pay_oneself');")
    const two = routine('private.two', "perform private.one(); perform private.raise_error('spaces_exhausted');")
    expect(found(routine('api.do', 'perform private.two();'), one, two)).toEqual(['pay_oneself', 'spaces_exhausted'])
  })

  test('except those that the check of the caller raises in every operation', () => {
    expect(found(routine('api.do', "perform private.raise_error('token_missing');"))).toEqual([])
  })
})

test('A comment names only codes and functions that exist', () => {
  const names = new Set([...codes, ...routines.map(({ name }) => name), 'private.report_targets'])
  const words = routines.flatMap(({ name, comment }) => {
    const said = `${listed('Fails', comment)} ${listed('Never', comment)}`.replace(/\([^)]*\)/g, '')
    const all = said.match(/\b(?:api|private)\.[a-z_]+|\b[a-z]+(?:_[a-z]+)+\b/g) ?? []
    return all.filter((word) => !names.has(word)).map((word) => `${name}: ${word}`)
  })
  expect(words).toEqual([])
})

test('A comment adds only codes that no body shows, or explains them', () => {
  const shown = failuresOf(routines, codes, targets, (word, { comment }) =>
    word === 'Fails' ? '' : listed(word, comment),
  )
  const needless = routines.flatMap(({ name, comment, text }) => {
    const bare = listed('Fails', comment).replace(/[a-z_.]+\s*\([^)]*\)/g, '')
    const words = bare.match(/\b(?:api|private)\.[a-z_]+|\b[a-z][a-z_]+\b/g) ?? []
    return words
      .filter((word) => shown.get(name)?.includes(word) || text.includes(`${word}(`))
      .map((word) => `${name}: ${word}`)
  })
  expect(needless).toEqual([])
})

test('A comment excludes only codes that a call would raise', () => {
  const without = failuresOf(routines, codes, targets, (word, { comment }) =>
    word === 'Never' ? '' : listed(word, comment),
  )
  const needless = routines.flatMap(({ name, comment }) => {
    const never = (listed('Never', comment).match(/[a-z_]+/g) ?? []).filter((word) => codes.includes(word))
    return never
      .filter((code) => !without.get(name)?.includes(code) || failures.get(name)?.includes(code))
      .map((code) => `${name}: ${code}`)
  })
  expect(needless).toEqual([])
  expect(general.filter((code) => !codes.includes(code))).toEqual([])
})

test('A route can exclude only codes that its operations raise', () => {
  const wrong = rows.flatMap(([route, { operation, calls = [], never = [] }]) => {
    const raised = [...calls, operation].flatMap((name) => failures.get(`api.${name}`) ?? [])
    return never.filter((code) => !raised.includes(code)).map((code) => `${route}: ${code}`)
  })
  expect(wrong).toEqual([])
})

test('A route takes an Idempotency-Key exactly if one of its operations keeps its answer', () => {
  const keeping = spellings(tables).filter(({ row: { operation, calls = [] } }) =>
    [...calls, operation].some((name) => failures.get(`api.${name}`)?.includes('idempotency_key_reused')),
  )
  const taking = spellings(tables).filter(({ row }) => row.idempotent)
  const named = (routes: typeof taking) => routes.map(({ method, path }) => `${method} ${path}`)
  expect(named(taking)).toEqual(named(keeping))
})

test('A route with a handler names exactly the operations that it calls', () => {
  const texts = globSync('api-facade/features/**/*.ts').map((file) => readFileSync(file, 'utf8'))
  const called = texts.flatMap((text) => [...text.matchAll(/\bcall(?:For)?\(c, '(\w+)'/g)].map(([, name]) => name))
  const named = rows.flatMap(([, { calls = [] }]) => calls)
  expect(called.filter((name) => !named.some((one) => one === name))).toEqual([])
  expect(rows.filter(([, { handler, calls }]) => Boolean(handler) !== Boolean(calls)).map(([route]) => route)).toEqual(
    [],
  )
})
