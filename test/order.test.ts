// Tests the order of features and folders. The first tests show which violations the scanner of support/order.ts finds.
// The last ones expect that the repository has none.
import { expect, test } from 'vitest'
import { schemaFiles } from '../supabase/tools/schema.ts'
import { featuresOf, importOffences, schemaOffences } from './support/order.ts'
import { allFiles, readTexts } from './support/tree.ts'

const order = ['base', 'social', 'posts']
const posts = `
create table app.posts (id uuid);
create unlogged table private.heat (id uuid);
create function private.require_post(p_id uuid) returns app.posts language sql as $$ select null $$;
create type app.format as enum ('note');
select pgboss.create_queue('series-notices', '{}');
insert into private.event_types (name, payload, happens) values
  ('posts.post.published', '{postId}', 'a post goes out'),
  ('posts.post.closed', '{postId}', 'a post is closed');`

const social = (text: string) =>
  schemaOffences({ 'policies/posts.sql': '', 'sql/posts/10_posts.sql': posts, 'sql/social/10_ties.sql': text }, order)

test.each([
  ['a table', 'select 1;\nselect * from app.posts;', '2 social → posts: app.posts'],
  ['an unlogged table', 'table private.heat;', '1 social → posts: private.heat'],
  [
    'a function',
    'do $$ begin\n  perform private.require_post(null);\nend $$;',
    '2 social → posts: private.require_post',
  ],
  ['a type', 'alter table app.ties add column format app.format;', '1 social → posts: app.format'],
  [
    'a name in a literal',
    "insert into r values ('it''s', 'private.require_post');",
    '1 social → posts: private.require_post',
  ],
  ['an event', "if new.name = 'posts.post.published' then", '1 social → posts: posts.post.published'],
  ['an event registered beside another', "when 'posts.post.closed' then", '1 social → posts: posts.post.closed'],
  ['a queue', "perform private.enqueue('series-notices', '{}');", '1 social → posts: queue series-notices'],
])('A reference to a later feature is found: %s', (_what, text, found) => {
  expect(social(text)).toEqual([`sql/social/10_ties.sql:${found}`])
})

test('Policies are scanned too', () => {
  const policy = 'grant execute on function private.require_post to authenticated;'
  expect(schemaOffences({ 'sql/posts/10_posts.sql': posts, 'policies/social.sql': policy }, order)).toEqual([
    'policies/social.sql:1 social → posts: private.require_post',
  ])
})

test('Comments, a feature’s own objects, and objects made earlier are allowed', () => {
  const base = "create table app.users (id uuid);\ncomment on table app.users is 'Whoever writes\napp.posts.';"
  const ties = "select id from app.users; -- as app.posts, which isn't there yet\nselect '--' from app.ties;"
  const texts = { 'sql/posts/10_posts.sql': posts, 'sql/base/10_people.sql': base, 'sql/social/10_ties.sql': ties }
  expect(schemaOffences({ ...texts, 'sql/posts/20_cards.sql': 'select id from app.posts;' }, order)).toEqual([])
})

const routes = 'api-facade/features/social/routes.ts'
const handler = 'edge-functions/ai/handler.ts'

test.each([
  [routes, "import x from '../posts/schemas.ts'", '1 social → posts'],
  [routes, "import {\n  x,\n} from '../posts/schemas.ts'", '3 social → posts'],
  [routes, "const x = await import('../posts/schemas.ts')", '1 social → posts'],
  [routes, "import type { X } from '../../worker/jobs.ts'", '1 api-facade/features/social → api-facade/worker'],
  ['api-facade/lib/call.ts', "import '../features/ai/x.ts'", '1 api-facade/lib → api-facade/features/ai'],
  [handler, "import x from '../../api-facade/lib/log.ts'", '1 edge-functions/ai → api-facade/lib'],
  [handler, "export { x } from '../../supabase/x.ts'", '1 edge-functions/ai → supabase'],
  ['supabase/embedded/rpc.ts', "import x from '../../api-facade/app.ts'", '1 supabase/embedded → api-facade'],
])('A forbidden import is found: %s %s', (path, text, found) => {
  expect(importOffences({ [path]: text }, order)).toEqual([expect.stringContaining(`${path}:${found}: `)])
})

test('Imports of an earlier feature, of lib, and of a package are allowed', () => {
  const allowed = {
    'api-facade/features/posts/routes.ts': "import x from '../social/schemas.ts'\nimport y from '../../lib/call.ts'",
    'api-facade/lib/functions.ts': "import x from '../../edge-functions/ai/handler.ts'",
    'edge-functions/ai/handler.ts': "import { Hono } from 'hono'",
  }
  expect(importOffences(allowed, order)).toEqual([])
})

test('Files that import each other are found, even by types and through other files', () => {
  const texts = {
    'api-facade/lib/a.ts': "import { b } from './b.ts'",
    'api-facade/lib/b.ts': "import { c } from './c.ts'",
    'api-facade/lib/c.ts': "import type { A } from './a.ts'",
    'api-facade/app.ts': "import { a } from './lib/a.ts'",
  }
  expect(importOffences(texts, order)).toEqual([
    'api-facade/lib/a.ts:1 cycle: api-facade/lib/b.ts',
    'api-facade/lib/b.ts:1 cycle: api-facade/lib/c.ts',
    'api-facade/lib/c.ts:1 cycle: api-facade/lib/a.ts',
  ])
})

const features = featuresOf(schemaFiles())
const texts = readTexts(allFiles().filter((file) => /^(sql|policies|api-facade|edge-functions|supabase)\//.test(file)))

test('With the opposite order of features the scanner reports nearly everything in this repository', () => {
  expect(features[0]).toBe('base')
  expect(schemaOffences(texts, features.toReversed()).length).toBeGreaterThan(500)
})

test('No feature of the schema refers to a later one', () => {
  expect(schemaOffences(texts, features)).toEqual([])
})

test('No import leads to a later feature, to a forbidden folder or around a cycle', () => {
  expect(importOffences(texts, features)).toEqual([])
})
