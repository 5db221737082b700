// Error codes are declared once, in the comment on the function that raises them; routes and documents are generated
// from that. This compares the comments with the code, and what routes declare with what they call.
import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { loadTables } from '../api-facade/lib/features.ts'
import { failuresOf, type Routine, readFailures } from '../supabase/tools/failures.ts'
import { createDatabase } from './support/database.ts'

const { owner } = await createDatabase()
const { routines, codes, failures } = await readFailures(owner)
const rows = (await loadTables()).flatMap(({ rows }) => Object.entries(rows))

/** Codes that any operation can raise for a missing or revoked token, and every list for an invalid limit. */
const general = ['token_missing', 'token_revoked', 'limit_out_of_range']
/** Raised by a function that is called, but never by this operation. */
const never: Record<string, string[]> = {
  'api.get_post': ['cursor_unknown', 'reply_unknown'], // by api.list_replies
  'api.create_audio': ['interest_unknown'], // theirs are not checked
  'api.create_video': ['interest_unknown'],
  'api.delete_project': ['writes_exceeded'], // deleting is no edit
}

/** Calls the listeners of one event only, not all listeners that its text contains. */
const crossroads = 'private.dispatch_event'

/** Codes that a function raises itself or through the functions that it calls, according to their texts. */
function raisedBy(name: string, all: readonly Routine[], seen = new Set<string>()): string[] {
  const text = all.find((one) => one.name === name)?.text.replace(/--.*/g, '')
  if (!text || name === crossroads || seen.has(name)) return []
  seen.add(name)
  const own = [...text.matchAll(/\bprivate\.(?:raise_error|error_response|require_card)\('(\w+)'/g)].map(
    ([, code = '']) => code,
  )
  const called = text.match(/\b(?:api|private)\.[a-z_]+(?=\()/g) ?? []
  return [...own, ...called.flatMap((one) => raisedBy(one, all, seen))]
}

/** Codes that an operation raises and its comment does not name. */
const unsaid = (all: readonly Routine[], said: ReadonlyMap<string, string[]>): string[] =>
  all
    .filter(({ name }) => name.startsWith('api.'))
    .flatMap(({ name }) =>
      raisedBy(name, all)
        .filter((code) => ![...(said.get(name) ?? []), ...general, ...(never[name] ?? [])].includes(code))
        .map((code) => `${name}: ${code}`),
    )

test('The comment on an operation names every code that it raises', () => {
  expect(unsaid(routines, failures)).toEqual([])
})

test('A code that the comment does not name is found, even behind a call', () => {
  const all = [
    { name: 'api.pay', comment: 'Pays. Fails: pay_oneself.', text: 'perform private.move(1);' },
    {
      name: 'private.move',
      comment: 'Moves.',
      text: "perform private.raise_error('insufficient_mana'); -- fail('gone')",
    },
  ]
  expect(unsaid(all, failuresOf(all, ['pay_oneself', 'insufficient_mana'], []))).toEqual(['api.pay: insufficient_mana'])
})

test('A comment names only codes and functions that exist', () => {
  const names = new Set(routines.map(({ name }) => name))
  const words = routines.flatMap(({ name, comment }) => {
    const [, said = ''] = /\bFails: ([\s\S]*)/.exec(comment) ?? []
    const listed = said.replace(/\([^)]*\)/g, '').match(/\b[a-z]+(?:_[a-z]+)+\b|\b(?:api|private)\.[a-z_]+/g) ?? []
    return listed.filter((word) => !codes.includes(word) && !names.has(word)).map((word) => `${name}: ${word}`)
  })
  expect(words.filter((word) => !word.endsWith(': private.report_targets') && !/: report_targets$/.test(word))).toEqual(
    [],
  )
})

test('A route can exclude only codes that its operations raise', () => {
  const wrong = rows.flatMap(([route, { operation, calls = [], never = [] }]) => {
    const raised = [...calls, operation].flatMap((name) => failures.get(`api.${name}`) ?? [])
    return never.filter((code) => !raised.includes(code)).map((code) => `${route}: ${code}`)
  })
  expect(wrong).toEqual([])
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
