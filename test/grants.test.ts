// A definer function of schema private is granted only to roles that reach it: through an operation, a policy, a view, a
// constraint, a default or a trigger that runs with the caller's rights, or because the facade calls it itself.
import { globSync, readFileSync } from 'node:fs'
import type { Sql } from 'postgres'
import { expect, test } from 'vitest'
import { loadTables } from '../api-facade/lib/features.ts'
import { spellings } from '../api-facade/lib/routes.ts'
import { createDatabase } from './support/database.ts'

const roles = ['anon', 'authenticated', 'gate', 'service_role'] as const
type Role = (typeof roles)[number]
type Routine = { name: string; definer: boolean; trigger: boolean; text: string; granted: Role[] }
type Root = { text: string; granted: Role[] }

const calls = (text: string): string[] => text.replace(/--.*/g, '').match(/\b(?:private|app)\.[a-z_0-9]+(?=\()/g) ?? []

/** Called by the facade, PostgREST and Realtime themselves: in the text of the facade, and as the gates of routes. */
const gates = spellings(await loadTables()).flatMap(({ row }) => (row.gate ? [`private.${row.gate.check}`] : []))
const facade = globSync(['api-facade/{lib,worker}/**/*.ts', 'supabase/embedded/**/*.ts'])
const entrances = ['private.check_caller', ...gates, ...facade.flatMap((file) => calls(readFileSync(file, 'utf8')))]

const { owner } = await createDatabase()

/** Grants to a role that doesn't reach the function, as `role: function`. */
async function needless(sql: Pick<Sql, 'unsafe'>): Promise<string[]> {
  const mayRun = `array(select r from unnest('{${roles}}'::text[]) r where has_function_privilege(r, p.oid, 'execute'))`
  const mayUse = (relation: string, verbs: string) =>
    `array(select r from unnest('{${roles}}'::text[]) r where has_any_column_privilege(r, ${relation}, 'select, insert, update')
           or has_table_privilege(r, ${relation}, '${verbs}'))`
  const routines = await sql.unsafe<Routine[]>(`
    select p.pronamespace::regnamespace || '.' || p.proname as name, p.prosecdef as definer,
           p.prorettype = 'trigger'::regtype as trigger,
           coalesce(pg_get_function_sqlbody(p.oid), p.prosrc) as text, ${mayRun} as granted
    from pg_proc p where p.pronamespace::regnamespace::text in ('app', 'private', 'api')`)
  const roots = await sql.unsafe<Root[]>(`
    select pg_get_viewdef(c.oid) as text, ${mayUse('c.oid', 'select')} as granted from pg_class c
    where c.relkind = 'v' and c.relnamespace::regnamespace::text in ('app', 'private')
    union all
    select concat(pg_get_expr(polqual, polrelid), ' ', pg_get_expr(polwithcheck, polrelid)),
           ${mayUse('polrelid', 'select, insert, update, delete')}
    from pg_policy
    union all
    select pg_get_constraintdef(k.oid), ${mayUse('k.conrelid', 'insert, update')} from pg_constraint k
    where k.contype = 'c' and k.conrelid <> 0
    union all
    select pg_get_constraintdef(k.oid), '{${roles}}' from pg_constraint k where k.contype = 'c' and k.contypid <> 0
    union all
    select pg_get_expr(d.adbin, d.adrelid), ${mayUse('d.adrelid', 'insert, update')} from pg_attrdef d
    union all
    select p.prosrc, ${mayUse('t.tgrelid', 'insert, update, delete')} from pg_trigger t join pg_proc p on p.oid = t.tgfoid
    where not t.tgisinternal and not p.prosecdef
    union all
    -- the condition of a trigger
    select pg_get_triggerdef(t.oid), ${mayUse('t.tgrelid', 'insert, update, delete')} from pg_trigger t
    where not t.tgisinternal`)
  // registries whose functions are called by name with the caller's rights
  const [registries] = await sql.unsafe<{ names: string[] }[]>(`
    select array(select finder from private.report_targets union select cards from private.space_kinds
                 union select (regexp_match(words, 'private\\.\\w+'))[1] from private.notification_targets) as names`)

  return roles.flatMap((role) => {
    const reached = new Set<string>()
    const follow = (names: readonly string[]): void => {
      for (const name of names) {
        if (reached.has(name)) continue
        reached.add(name)
        // a definer function calls other functions with its owner's rights
        for (const one of routines) if (one.name === name && !one.definer) follow(calls(one.text))
      }
    }
    follow([...entrances, ...(registries?.names ?? [])])
    for (const one of routines) if (one.name.startsWith('api.') && one.granted.includes(role)) follow([one.name])
    for (const one of roots) if (one.granted.includes(role)) follow(calls(one.text))
    return routines
      .filter(
        (one) => one.name.startsWith('private.') && one.definer && one.granted.includes(role) && !reached.has(one.name),
      )
      .map((one) => `${role}: ${one.name}`)
  })
}

test('Each role may run only those definer functions of schema private that it reaches.', async () => {
  expect(await needless(owner)).toEqual([])
})

test('A needless grant is found.', async () => {
  await owner
    .begin(async (sql) => {
      await sql.unsafe('grant execute on function private.erase_more, private.hide_or_show_posts to authenticated')
      expect((await needless(sql)).sort()).toEqual([
        'authenticated: private.erase_more',
        'authenticated: private.hide_or_show_posts',
      ])
      throw new Error('undone')
    })
    .catch((error: Error) => expect(error.message).toBe('undone'))
})
