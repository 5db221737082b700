// Parses the functions in a file of types for supabase-js, made by any generator, and reads those of the database.
import type { Sql } from 'postgres'

/** Each function's arguments, as `p_limit?: number`, sorted. */
export type Arguments = Record<string, string[]>

/** Parses the functions from the text. Omits results, because ours are more precise than those of the database. */
export function argumentsIn(text: string): Arguments {
  const [, functions = ''] = /\n {4}Functions: \{\n([\s\S]*?)\n {4}\}/.exec(text) ?? []
  const found = functions.split(/\n(?= {6}\w)/).map((entry) => {
    const [, name = ''] = /^ {6}(\w+): /.exec(entry) ?? []
    const [, args = ''] = /Args: \{([^}]*)\}/.exec(entry) ?? []
    return [
      name,
      args
        .split(/[;\n]/)
        .flatMap((one) => one.trim() || [])
        .sort(),
    ]
  })
  return Object.fromEntries(found)
}

export type Routine = { name: string; parameters: { name: string; type: string; optional: boolean }[] }

/** The functions of schema `api`, with the Postgres types of their arguments. */
export const routinesOf = (sql: Sql) => sql<Routine[]>`
  select p.proname as name, coalesce(json_agg(json_build_object(
           'name', a.name, 'type', format_type(a.type, null), 'optional', a.at > p.pronargs - p.pronargdefaults)
           order by a.at) filter (where a.at is not null), '[]') as parameters
  from pg_proc p
  left join lateral unnest(p.proargnames, p.proargtypes::oid[]) with ordinality as a (name, type, at) on true
  where p.pronamespace = 'api'::regnamespace group by p.oid order by p.proname collate "C"`

/** The arguments, with each Postgres type written as `types` says. */
export const argumentsBy = (types: Record<string, string>, { parameters }: Routine): string[] =>
  parameters.map(({ name, type, optional }) => `${name}${optional ? '?' : ''}: ${types[type] ?? type}`).sort()
