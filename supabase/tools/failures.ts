// Which error codes an operation may raise, as the comments on functions say it: "Fails: a, b, those of" another What
// the routes document is made of it, and test/failures.test.ts holds the comments against the code.
import type { Sql } from 'postgres'

/** A function of ours: `name` with its schema, what its comment says, its text. */
export type Routine = { name: string; comment: string; text: string }

/** Codes by function. A function that is named behind `Fails:` adds its own; `private.report_targets` its finders'. */
export function failuresOf(routines: readonly Routine[], codes: readonly string[], finders: readonly string[]) {
  const comments = new Map(routines.map(({ name, comment }) => [name, comment]))
  const known = new Set(codes)

  function find(name: string, above: readonly string[] = []): string[] {
    const [, said = ''] = /\bFails: ([\s\S]*)/.exec(comments.get(name) ?? '') ?? []
    const named = said.match(/\b(?:api|private)\.[a-z_]+/g) ?? []
    const others = named.flatMap((one) => (one === 'private.report_targets' ? finders : [one]))
    const own = (said.match(/[a-z_]+/g) ?? []).filter((word) => known.has(word))
    const theirs = others.filter((one) => !above.includes(one)).flatMap((one) => find(one, [...above, name]))
    return [...new Set([...own, ...theirs])].sort()
  }

  return new Map(routines.map(({ name }) => [name, find(name)]))
}

/** All that `failuresOf` needs, from a database. */
export async function readFailures(sql: Sql) {
  const routines = await sql<Routine[]>`
    select p.oid::regproc::text as name, coalesce(obj_description(p.oid, 'pg_proc'), '') as comment, p.prosrc as text
    from pg_proc p where p.pronamespace in ('api'::regnamespace, 'private'::regnamespace) order by 1`
  const codes = (await sql<{ code: string }[]>`select code from private.errors`).map(({ code }) => code)
  const finders = (await sql<{ finder: string }[]>`select finder from private.report_targets`).map((row) => row.finder)
  return { routines, codes, failures: failuresOf(routines, codes, finders) }
}
