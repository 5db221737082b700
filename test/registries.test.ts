// A feature can add its own kinds without changing a file of another feature: in a copy of the repository a feature
// with a row in every registry is inserted in the middle of the order. Then each row must work.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, expect, inject, test } from 'vitest'
import { migrate, preparePlatform } from '../supabase/embedded/migrate.ts'
import { baseline, root, schemaFiles } from '../supabase/tools/schema.ts'
import { applyEffects } from './support/database.ts'
import { featuresOf, schemaOffences } from './support/order.ts'

const feature = `
create table app.kites (id uuid primary key default gen_random_uuid(), owner_id uuid not null references app.users on delete restrict);
create index kites_owner_id_idx on app.kites (owner_id);
create table private.landed_kites (id uuid primary key, landed_at timestamptz not null);

insert into private.errors (code, status, text) values ('kite_unknown', 404, 'There is no such kite.');
insert into private.event_types (name, payload, happens) values ('kites.kite.flown', '{userId,byId,kiteId}', 'a kite is flown');
insert into private.notification_kinds (kind, rolls_up) values ('kite.flown', true);
insert into private.ledger_kinds (ledger, kind, points) values ('contribution', 'kite_flown', 7);
insert into private.retention (relation, counts_from, keep) values ('private.landed_kites', 'landed_at', '1 day');
insert into private.personal_data (relation, person_column, section) values ('app.kites', 'owner_id', 'kites');

create function private.notify_kite_flown(p_effects private.effects[]) returns void language plpgsql set search_path = '' as $$
begin
  perform private.notify(array(
    select (e.user_id, 'kite.flown', (e.payload ->> 'byId')::uuid, 'kite', e.payload ->> 'kiteId', '{}', null, null,
            e.caused_at)::private.notice
    from unnest(p_effects) e where e.user_id = (e.payload ->> 'userId')::uuid));
end $$;
create function private.earn_contribution_from_kites(p_effects private.effects[]) returns void language plpgsql set search_path = '' as $$
begin
  perform private.earn_contribution(array(
    select (e.user_id, null, 'kite_flown', (e.payload ->> 'kiteId')::uuid, null, e.caused_at)::private.earning
    from unnest(p_effects) e where e.user_id = (e.payload ->> 'byId')::uuid));
end $$;
insert into private.event_listeners (event, listener, position, timing) values
  ('kites.kite.flown', 'private.notify_kite_flown', 600, 'soon'),
  ('kites.kite.flown', 'private.earn_contribution_from_kites', 400, 'soon');

create function private.require_kite(p_type text, p_target text) returns uuid language plpgsql stable set search_path = '' as $$
begin
  if not exists (select from app.kites where id = p_target::uuid) then
    perform private.raise_error('kite_unknown');
  end if;
  return p_target::uuid;
end $$;
insert into private.report_targets (type, finder, author) values ('kite', 'private.require_kite', 'select owner_id from app.kites where id = $1');

create function private.land_kites(p_user app.users) returns void language plpgsql set search_path = ''
as $$ begin delete from app.kites where owner_id = p_user.id; end $$;
insert into private.account_steps (step, events, position) values ('private.land_kites', '{ban,erasure}', 500);

create function private.may_listen_to_kites(p_rest text) returns boolean language plpgsql set search_path = ''
as $$ begin return p_rest = 'all'; end $$;
insert into private.realtime_topics (prefix, audience, events) values ('kites', 'private.may_listen_to_kites', 'kites');

create function private.job_count_kites() returns integer language plpgsql set search_path = ''
as $$ begin return (select count(*) from app.kites); end $$;
insert into private.jobs (name, cron, expires) values ('count-kites', '* * * * *', 60);`

const policies = `
-- kites
alter table app.kites enable row level security;
grant select on app.kites to authenticated;
create policy select_all on app.kites for select to authenticated using (true);
grant execute on function private.require_kite to authenticated;`

const folder = mkdtempSync(join(tmpdir(), 'kith-scratch-'))
for (const part of ['sql', 'policies', 'supabase/config.toml'])
  cpSync(join(root, part), join(folder, part), { recursive: true })
mkdirSync(join(folder, 'sql/kites'))
writeFileSync(join(folder, 'sql/kites/10_kites.sql'), feature)
writeFileSync(join(folder, 'policies/kites.sql'), policies)
const order = readFileSync(join(folder, 'supabase/config.toml'), 'utf8')
const before = '  "../sql/messaging/*.sql"'
writeFileSync(
  join(folder, 'supabase/config.toml'),
  order.replace(before, `  "../sql/kites/*.sql", "../policies/kites.sql",\n${before}`),
)
mkdirSync(join(folder, 'supabase/migrations'))
writeFileSync(join(folder, 'supabase/migrations/20260101000000_baseline.sql'), baseline(folder))

const { ownerUrl, superuserUrl } = inject('postgres')
const named = (url: string, name: string) => Object.assign(new URL(url), { pathname: name }).href
const server = postgres(named(superuserUrl, 'postgres'), { max: 1 })
const name = `scratch_${process.pid}`
await server.unsafe(`create database ${name} owner postgres`)
await preparePlatform(named(superuserUrl, name))
await migrate(named(ownerUrl, name), { folder: join(folder, 'supabase') })
const sql = postgres(named(ownerUrl, name), { max: 1, onnotice: () => {} })

afterAll(async () => {
  await sql.end()
  await server.unsafe(`drop database ${name}`)
  await server.end()
  rmSync(folder, { recursive: true })
})

const person = async (first: string): Promise<string> => {
  const [row] = await sql<{ id: string }[]>`
    select private.create_person(${`${first}@example.org`}, 'no hash', ${first}, 'Kite', '1990-01-31', 'DE', 'Berlin') as id`
  return row?.id ?? ''
}
const ann = await person('ann')
const ben = await person('ben')
const [kite] = await sql<{ id: string }[]>`insert into app.kites (owner_id) values (${ann}) returning id`
const kiteId = kite?.id ?? ''
const flown = sql.json({ userId: ann, byId: ben, kiteId })
await sql`select private.emit('kites.kite.flown', ${flown}::json, ${[ann, ben]}::uuid[])`
await applyEffects(sql)

/** Calls as the facade does for a person. */
const asPerson = <T>(id: string, work: (tx: postgres.TransactionSql) => Promise<T>) =>
  sql.begin(async (tx) => {
    await tx`select set_config('role', 'authenticated', true)`
    const now = Math.floor(Date.now() / 1000)
    await tx`select private.enter(${JSON.stringify({ sub: id, role: 'user', iat: now, exp: now + 60 })}::text)`
    return work(tx)
  })

test('The new feature refers to no later feature, and no earlier feature refers to the new one', () => {
  const files = schemaFiles(folder)
  const texts = Object.fromEntries(files.map((file) => [file, readFileSync(join(folder, file), 'utf8')]))
  expect(featuresOf(files)).toContain('kites')
  expect(schemaOffences(texts, featuresOf(files))).toEqual([])
  expect(files.filter((file) => !file.includes('kites'))).toEqual(schemaFiles())
})

test('A new kind of notification is delivered', async () => {
  expect(await sql`select kind, count from app.notifications where user_id = ${ann}`).toEqual([
    { kind: 'kite.flown', count: 1 },
  ])
})

test('A new kind of ledger entry is earned', async () => {
  expect(await sql`select score::integer from app.contribution_scores where user_id = ${ben}`).toEqual([{ score: 7 }])
})

test('A new report target is found, and an unknown one raises its own code', async () => {
  const report = (target: string) =>
    asPerson(ben, (tx) => tx`select api.report('kite', ${target}, 'too high') as report`)
  expect((await report(kiteId))[0]?.report).toMatchObject({ targetType: 'kite', targetId: kiteId })
  await expect(report(ben)).rejects.toMatchObject({ code: 'PT404', message: 'kite_unknown' })
})

test('A new channel can be joined by its audience only', async () => {
  const hears = (topic: string) => asPerson(ben, (tx) => tx`select private.may_listen(${topic}) as may`)
  expect(await hears('kites:all')).toEqual([{ may: true }])
  expect(await hears('kites:one')).toEqual([{ may: false }])
})

test('A new job is on the worker’s list, and expired rows of a new table are purged', async () => {
  const [{ work } = { work: '' }] = await sql`select private.list_work()::text as work`
  expect(work).toContain('"count-kites"')
  await sql`insert into private.landed_kites select gen_random_uuid(), now() - n * interval '1 hour' from unnest(array[23, 25]) n`
  await sql`select private.job_purge()`
  expect(await sql`select from private.landed_kites`).toHaveLength(1)
})

test('A person’s rows in a new table are in their export', async () => {
  const [{ page } = { page: null }] = await sql`select private.export_page(${ann}, 'kites') as page`
  expect(page).toMatchObject({ items: [{ id: kiteId }] })
})

test.each(['banned', 'erased'])('a new step of account changes runs when a person is %s', async (state) => {
  const gone = await person(state)
  await sql`insert into app.kites (owner_id) values (${gone})`
  await sql`update app.users set ${sql({ [`${state}_at`]: new Date() })} where id = ${gone}`
  expect(await sql`select from app.kites where owner_id = ${gone}`).toEqual([])
})
