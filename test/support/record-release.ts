// Writes the file of a release, from a database in which people have one of everything: RECORD_RELEASE=<version> npm
// test -- test/upgrade.test.ts. For each operation it looks for a call that succeeds.
import { inject } from 'vitest'
import { operations } from '../../api-facade/generated/operations.ts'
import type { Pool } from './database.ts'
import { type Call, copyOut, createCaller, lackOf, type Outcome, type Release, writeRelease } from './release.ts'
import { createSamples, type Sample } from './samples.ts'
import { PEOPLE } from './settings.ts'

type Given = Record<string, unknown>
type Operation = { name: string; pool: Pool; required: string[]; types: string[] }

/** A value of each type whose values need no row. */
const plain: Record<string, unknown> = {
  integer: 1,
  bigint: 1,
  numeric: 1,
  boolean: true,
  jsonb: {},
  'timestamp with time zone': new Date().toISOString(),
  date: '1990-01-31',
  'uuid[]': [],
  'text[]': [],
}

/** @returns how many operations have a call, and the names of the others */
export async function recordRelease(version: string): Promise<{ recorded: number; without: string[] }> {
  const { races, samples } = await createSamples(PEOPLE)
  const { owner, database, admin } = races
  const at = new Date().toISOString()
  const rows = await copyOut(owner)
  const ask = createCaller(database)
  const found = await owner<Operation[]>`
    select p.proname as name,
           (select 'kith_' || r.pool from (values ('authenticated', 'user'), ('service_role', 'service'), ('gate', 'gate'),
                                            ('anon', 'anon'), ('worker', 'worker')) r(role, pool)
            where has_function_privilege(r.role, p.oid, 'execute') limit 1) as pool,
           coalesce(p.proargnames[1:p.pronargs - p.pronargdefaults], '{}') as required,
           array(select format_type(t, null) from unnest(p.proargtypes) t) as types
    from pg_proc p where p.pronamespace = 'api'::regnamespace and p.proname = any (${Object.keys(operations)})
    order by p.proname`

  const [me] = Object.values(samples).map(({ who }) => who)
  const texts = [...new Set(Object.values(samples).flatMap(({ given }) => Object.values(given)))].filter(
    (value) => typeof value === 'string' && value.length < 100,
  )
  const everyone = [me, samples.revoke_group_invitation?.who, { ...admin, role: 'admin' }] as Sample['who'][]

  /** Parameters that may make a call succeed: those of an operation with the same parameters, otherwise each known value. */
  function* guesses({ required, types }: Operation): Generator<Given> {
    const open = required.filter((_, at) => !((types[at] ?? '') in plain))
    const fixed = Object.fromEntries(required.map((name, at) => [name, plain[types[at] ?? '']]))
    if (open.length === 0) return yield fixed
    for (const { given } of Object.values(samples))
      if (open.every((name) => given[name])) yield { ...fixed, ...Object.fromEntries(open.map((n) => [n, given[n]])) }
    const [one] = open
    if (one && open.length === 1) for (const value of texts) yield { ...fixed, [one]: value }
  }

  function* candidates(operation: Operation): Generator<Call> {
    const { name, pool } = operation
    const sample = samples[name]
    if (sample)
      return yield { operation: name, pool, who: sample.who.id, role: sample.who.role ?? 'user', given: sample.given }
    for (const given of guesses(operation))
      for (const who of everyone) {
        const isNobody = pool === 'kith_anon' || pool === 'kith_gate'
        yield { operation: name, pool, who: isNobody ? null : who.id, role: who.role ?? 'user', given }
        if (isNobody) break
      }
  }

  const calls: Release['calls'] = []
  const without: string[] = []
  for (const operation of found) {
    let best: (Call & { outcome: Outcome }) | undefined
    for (const call of candidates(operation)) {
      const outcome = await ask(call)
      if (!('shape' in outcome)) continue
      const again = await ask(call)
      if ('shape' in again && !lackOf(outcome.shape, again.shape) && !lackOf(again.shape, outcome.shape))
        best = { ...call, outcome }
      if (outcome.shape !== null) break // null may mean that there was nothing
    }
    if (best) calls.push(best)
    else without.push(operation.name)
  }
  const migrations = await owner<{ version: string }[]>`
    select version from supabase_migrations.schema_migrations order by 1`
  const people = Object.values(inject('people')).map(({ email, password }) => ({ email, password }))
  writeRelease(version, { migrations: migrations.map((row) => row.version), at, people, ...rows, calls })
  return { recorded: calls.length, without }
}
