// Tests the references in comments and documents. The first tests show which violations the scanner of
// support/references.ts finds. The last ones expect that the repository has none.
import { expect, test } from 'vitest'
import { proseOf, referenceOffences } from './support/references.ts'
import { allFiles, readTexts } from './support/tree.ts'

const tree = {
  'sql/posts/10_posts.sql':
    'create table app.posts (id uuid);\nalter table app.posts add column level smallint;\n' +
    'create function private.require_post() returns void language sql as $$ select null $$;\n' +
    'create function private.job_close_polls() returns void language sql as $$ select null $$;',
  'sql/posts/20_cards.sql': '',
  'api-facade/lib/call.ts': '',
  'docs/decisions.md': '# Decisions\n\n## Who sees what\n\n## Lists',
  'test/routes.tsv': 'GET\t/posts/:id\tuser\tposts\t\t200\nGET\t//.well-known/webfinger\tpublic\tidentity\t\t200',
}
const others =
  'sql sql/posts api-facade api-facade/app.ts api-facade/lib docs test edge-functions/deliver/handler.ts'.split(' ')

const scan = (path: string, text: string): string[] =>
  referenceOffences({ ...tree, [path]: text }, [...Object.keys(tree), ...others])
const inSql = (comment: string): string[] => scan('sql/posts/20_cards.sql', `select 1; -- ${comment}`)

test.each([
  'Specification: Limits',
  'Decisions: Names',
  'decisions: Visibility',
  'Notes: on speed',
  'Hearts count (specification, Counters)',
  'as interface-specification says',
  'where it stands: design, Database',
  'see the papers',
])('A citation of a paper that is not here is found: %s', (comment) => {
  expect(inSql(comment)).toEqual([expect.stringContaining('sql/posts/20_cards.sql:1 paper: ')])
})

test.each([
  ['sql/posts/11_upkeep.sql', 'sql/posts/11_upkeep.sql'],
  ['see sql/gone.', 'sql/gone'],
  ['policies/*.sql', 'policies/*.sql'],
  ['sql/<feature>/99_gone.sql', 'sql/<feature>/99_gone.sql'],
  ['11_upkeep.sql', '11_upkeep.sql'],
  ['call.ts', 'call.ts'],
  ['design.md', 'design.md'],
  ['decisions.md', 'decisions.md'],
])('A path that does not exist is found: %s', (comment, what) => {
  expect(inSql(comment)).toEqual([`sql/posts/20_cards.sql:1 path: ${what}`])
})

test.each([
  'docs/decisions.md, Lengths',
  'docs/decisions.md, "Lengths"',
  'docs/decisions.md, Lists; Lengths',
  'docs/decisions.md, Listings',
  'docs/decisions.md, Who\n-- sees that',
  'docs/decisions.md#lengths',
])('A heading that does not exist is found: %s', (comment) => {
  expect(inSql(comment)).toEqual([expect.stringContaining('sql/posts/20_cards.sql:1 heading: docs/decisions.md')])
})

test('A broken link is found', () => {
  const text = '# One\n[a](#two) [b](gone) [c](docs/decisions.md#gone) [d](https://example.org) [e](#one) [f](docs)'
  expect(scan('README.md', text)).toEqual([
    'README.md:2 heading: ](#two',
    'README.md:2 path: ](gone',
    'README.md:2 heading: docs/decisions.md#gone',
  ])
})

test.each([
  ['private.gone', 'private.gone'],
  ['app.posts.gone', 'app.posts.gone'],
  ['private.jab_<name>', 'private.jab_<'],
])('A name that the schema does not have is found: %s', (comment, what) => {
  expect(inSql(comment)).toEqual([`sql/posts/20_cards.sql:1 name: ${what}`])
})

test.each(['GET /gone', 'POST /posts/:id', 'GET /posts', 'GET /posts/:id/gone'])(
  'A route that does not exist is found: %s',
  (comment) => {
    expect(inSql(`${comment}.`)).toEqual([`sql/posts/20_cards.sql:1 route: ${comment}`])
  },
)

test('References to existing things are allowed', () => {
  const comment = `sql/posts, sql/posts/10_posts, sql/*/10_posts.sql, 10_posts.sql; api-facade/lib/call.ts, app.ts.
-- posts/10_posts.sql, api-facade/<room>/call.ts; test/routes.tsv. docs/decisions.md, Lists; Who sees
-- what. docs/decisions.md, "Lists", docs/decisions.md#who-sees-what.
-- private.require_post(), app.posts.level, private.job_<name>, https://a.b/c.ts
-- GET /posts/:id, GET /api/v1/posts/6f1c, GET /.well-known/webfinger, GET /health, POST /deliver/mail`
  expect(inSql(comment)).toEqual([])
  expect(scan('docs/habits.md', 'What the specification leaves open is in decisions.md.')).toEqual([])
})

test('Comments, COMMENT ONs and documents are scanned, and nothing else', () => {
  const words = (path: string, text: string) => proseOf(path, text).split(/\s+/).filter(Boolean)
  const sql = "create table a; -- one\ncomment on table a is 'it''s\ntwo'; select 'b';"
  expect(words('a.sql', sql)).toEqual(['one', "'it''s", "two'"])
  expect(words('a.ts', "const a = 'http://b' // one\n/** two\n * three */\nlet b = '*/'")).toEqual([
    'one',
    'two',
    'three',
  ])
  expect(words('a.toml', 'a = 1 # one\n# two')).toEqual(['one', 'two'])
  expect(words('a.md', '# one `two`')).toEqual(['#', 'one', '`two`'])
})

const files = allFiles()
const texts = readTexts(files)

test('Without files the scanner reports nearly every reference in this repository', () => {
  expect(referenceOffences(texts, []).length).toBeGreaterThan(100)
})

test('Every reference in a comment or a document has a target', () => {
  expect(referenceOffences(texts, files)).toEqual([])
})
