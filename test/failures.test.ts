// Error codes are said once, in the comment on the function that raises them; routes and documents are made of it. Here
// the comments are held against the code, and the routes' own words against what they call.
import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { loadTables } from '../api-facade/lib/features.ts'
import { failuresOf, type Routine, readFailures } from '../supabase/tools/failures.ts'
import { createDatabase } from './support/database.ts'

const { owner } = await createDatabase()
const { routines, codes, failures } = await readFailures(owner)
const rows = (await loadTables()).flatMap(({ rows }) => Object.entries(rows))

/** What any operation may answer to a token that is missing or dead, and every list to a limit that is none. */
const general = ['token_missing', 'token_revoked', 'limit_out_of_range']
/** Raised by something that is called, and yet never by this operation. */
const never: Record<string, string[]> = {
  'api.get_post': ['cursor_unknown', 'reply_unknown'], // of api.list_replies
  'api.create_audio': ['interest_unknown'], // theirs may be any
  'api.create_video': ['interest_unknown'],
  'api.delete_project': ['writes_exceeded'], // no edit
}

/** Who calls it is told of one event, and not by all who hear any. */
const crossroads = 'private.dispatch_event'

/** Codes that a function raises itself, or those that it calls: what a text shows. */
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

/** What an operation raises and its comment does not say. */
const unsaid = (all: readonly Routine[], said: ReadonlyMap<string, string[]>): string[] =>
  all
    .filter(({ name }) => name.startsWith('api.'))
    .flatMap(({ name }) =>
      raisedBy(name, all)
        .filter((code) => ![...(said.get(name) ?? []), ...general, ...(never[name] ?? [])].includes(code))
        .map((code) => `${name}: ${code}`),
    )

test('the comment on an operation names every code that it raises', () => {
  expect(unsaid(routines, failures)).toEqual([])
})

test('one that it does not name is found, also behind a call', () => {
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

test('a comment names codes and functions that there are', () => {
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

test('what a route says that it never answers is something that its operations raise', () => {
  const wrong = rows.flatMap(([route, { operation, calls = [], never = [] }]) => {
    const raised = [...calls, operation].flatMap((name) => failures.get(`api.${name}`) ?? [])
    return never.filter((code) => !raised.includes(code)).map((code) => `${route}: ${code}`)
  })
  expect(wrong).toEqual([])
})

test('a route with a handler names the operations that it calls, and no other', () => {
  const texts = globSync('api-facade/features/**/*.ts').map((file) => readFileSync(file, 'utf8'))
  const called = texts.flatMap((text) => [...text.matchAll(/\bcall(?:For)?\(c, '(\w+)'/g)].map(([, name]) => name))
  const named = rows.flatMap(([, { calls = [] }]) => calls)
  expect(called.filter((name) => !named.some((one) => one === name))).toEqual([])
  expect(rows.filter(([, { handler, calls }]) => Boolean(handler) !== Boolean(calls)).map(([route]) => route)).toEqual(
    [],
  )
})
