// A schema that changes after its baseline was frozen, in a copy of the repository. `npm run gen` drafts the migration.
// Then the comparison finds no difference, and the migration turns a database of the baseline with people in it into a
// database that is like a new one.

import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import postgres from 'postgres'
import { afterAll, expect, inject, test } from 'vitest'
import { migrate, preparePlatform } from '../supabase/embedded/migrate.ts'
import { catalogOf, differences, type Registry, type Row } from '../supabase/tools/catalog.ts'
import { rowStatements } from '../supabase/tools/draft.ts'
import { root } from '../supabase/tools/schema.ts'

const left = ['.git', '.data', 'node_modules']
const folder = mkdtempSync(join(tmpdir(), 'kith-frozen-'))
cpSync(root, folder, { recursive: true, filter: (path) => !left.includes(basename(path)) })
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
afterAll(() => rmSync(folder, { recursive: true }))

// the copy's own modules, which read and write in the copy
const { baselinePath, freeze, isBaselineRight, writeBaseline } = await import(join(folder, 'supabase/tools/schema.ts'))
const { missingMigrations, changesOf } = await import(join(folder, 'supabase/tools/compare.ts'))
const { PATH = '', HOME = '', NODE_COMPILE_CACHE } = process.env
const gen = (...args: string[]) =>
  promisify(execFile)(process.execPath, ['supabase/tools/generate.ts', ...args], {
    cwd: folder,
    env: { PATH, HOME, CI: 'true', ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) },
  })

function edit(file: string, from: string | RegExp, to: string): void {
  const text = readFileSync(join(folder, file), 'utf8')
  const edited = text.replace(from, to)
  if (edited === text) throw new Error(`${file} has no ${from}`)
  writeFileSync(join(folder, file), edited)
}

const inCopy = (path: string) => join(folder, 'supabase', path)
const migrations = () => readdirSync(inCopy('migrations')).sort()

// the copy begins as a repository before its freeze
rmSync(inCopy('frozen.sha256'), { force: true })
for (const file of migrations()) rmSync(inCopy(`migrations/${file}`))
writeBaseline()

const { ownerUrl, superuserUrl } = inject('postgres')
const name = `frozen_${process.pid}`
const at = (url: string, database: string) => Object.assign(new URL(url), { pathname: database }).href
const url = at(ownerUrl, name)
const server = postgres(at(superuserUrl, 'postgres'), { max: 1 })
await server.unsafe(`create database ${name} owner postgres`)
await preparePlatform(at(superuserUrl, name))
await migrate(url, { folder: inCopy('.') })
const owner = postgres(url, { max: 1, onnotice: () => {} })
afterAll(async () => {
  await owner.end()
  await server.unsafe(`drop database ${name}`)
  await server.end()
})

test('Before the freeze, the baseline takes every change, and there is no migration to draft.', async () => {
  await expect(gen('--name', 'add_kites')).rejects.toThrow('The baseline is not frozen')
})

test('After the freeze, a change of the schema is a migration that is drafted.', async () => {
  freeze()
  expect(isBaselineRight()).toBe(true)
  const frozen = readFileSync(baselinePath, 'utf8')

  edit(
    'sql/social/60_mutes.sql',
    /(create table app\.mutes \([^;]*)\n\);/,
    '$1,\n  reason text constraint kite_reason check (length(reason) < 9)\n);',
  )
  edit(
    'sql/social/60_mutes.sql',
    /$/,
    `
create table app.kites (
  id uuid primary key default gen_random_uuid(),
  owner_id uuid not null references app.users on delete restrict
);
comment on table app.kites is 'Kites.';
create index kites_owner_id_idx on app.kites (owner_id);
insert into private.errors (code, status, text) values ('kite_reason', 422, 'That''s too long.');
`,
  )
  edit(
    'policies/social.sql',
    /$/,
    `
alter table app.kites enable row level security;
grant select on app.kites to authenticated;
create policy select_all on app.kites for select to authenticated using (true);
comment on policy select_all on app.kites is 'Everybody.';
`,
  )
  edit(
    'sql/identity/40_jobs.sql',
    'return private.release_reservations();',
    'return 0 + private.release_reservations();',
  )
  edit('sql/posts/20_replies.sql', "('replies', 600)", "('replies', 601)")
  const missing = await missingMigrations()
  expect(missing).toEqual(
    expect.arrayContaining([
      'missing: column app.mutes.reason',
      'missing: relation app.kites',
      'missing: policy select_all of app.kites',
      'missing: row of private.errors kite_reason',
      'different: row of private.write_limits replies',
      'different: function private.job_release_reservations()',
    ]),
  )

  const { stdout, stderr } = await gen('--name', 'add_kites')
  expect(stdout).toMatch(/^Wrote supabase\/migrations\/\d{14}_add_kites\.sql\./)
  expect(stderr).toBe('') // stderr would say what missingMigrations() still finds
  expect(migrations()).toEqual([basename(baselinePath), expect.stringMatching(/^\d{14}_add_kites\.sql$/)])
  expect(readFileSync(baselinePath, 'utf8')).toBe(frozen)
  await expect(gen('--name', 'add_kites')).rejects.toThrow('There is already a migration add_kites.')
}, 240_000)

test('A database of the baseline, with people and settings of its operator, becomes like a new one.', async () => {
  const person = (first: string) => owner<{ id: string }[]>`
    select private.create_person(${`${first}@example.org`}, 'no hash', ${first}, 'Kite', '1990-01-31', 'DE', 'Berlin') as id`
  const [[ann], [ben]] = [await person('ann'), await person('ben')]
  if (!ann || !ben) throw new Error('nobody was created')
  await owner`insert into app.mutes (muter_id, muted_id) values (${ann.id}, ${ben.id})`
  await owner`update private.write_limits set per_hour = 7 where kind = 'replies'`

  expect((await migrate(url, { folder: inCopy('.') })).migrations).toEqual(migrations().slice(1))
  expect(await changesOf(url)).toEqual([])
  expect(await owner`select reason from app.mutes where muter_id = ${ann.id}`).toEqual([{ reason: null }])
  expect(await owner`select per_hour from private.write_limits where kind = 'replies'`).toEqual([{ per_hour: 7 }])
  expect(await owner`select text from private.errors where code = 'kite_reason'`).toEqual([
    { text: "That's too long." },
  ])
  const right = await catalogOf(url, { within: true })
  await owner`drop policy select_all on app.kites`
  const changed = await catalogOf(url, { within: true })
  expect(differences(changed, right)).toEqual(['missing: policy select_all of app.kites'])
}, 120_000)

test('Rows are deleted before others are written, from the last table to the first, and only where their table stays.', () => {
  const table = (name: string, ...rows: Row[]): [string, Registry & { rows: Map<string, Row> }] => [
    name,
    { table: name, key: ['id'], columns: ['id', 'text'], rows: new Map(rows.map((row) => [row.id ?? '', row])) },
  ]
  const before = [
    table('one', { id: '1', text: 'a' }),
    table('two', { id: '1', text: null }),
    table('gone', { id: '1', text: '' }),
  ]
  const after = [table('one', { id: '2', text: "it's" }), table('two', { id: '3', text: null })]
  expect(rowStatements(new Map(before), new Map(after))).toEqual([
    `delete from two where "id"::text = '1';`,
    `delete from one where "id"::text = '1';`,
    `insert into one ("id", "text")\nvalues ('2', 'it''s');`,
    `insert into two ("id", "text")\nvalues ('3', null);`,
  ])
  const changed = [table('one', { id: '1', text: 'b' }), table('two', { id: '1', text: 'c' })]
  expect(rowStatements(new Map(before), new Map(changed))).toEqual([
    `update one set "text" = 'b'\nwhere "id"::text = '1'\n  and "text"::text = 'a';`,
    `update two set "text" = 'c'\nwhere "id"::text = '1'\n  and "text" is null;`,
  ])
})

test('A frozen baseline may not change.', () => {
  edit(`supabase/migrations/${basename(baselinePath)}`, /$/, 'select 1;\n')
  expect(isBaselineRight()).toBe(false)
})
