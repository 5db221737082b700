// Finds the function of a request, and makes the statement that calls it. Names come from the catalog, never from the
// request; values are always parameters.
import type { Sql } from 'postgres'
import { RestError } from './errors.ts'
import type { Connections } from './site.ts'

type Parameter = { name: string; type: string; required: boolean }
type Routine = { name: string; volatile: boolean; parameters: Parameter[] }

/** Arguments by name: the JSON text of a body, or the texts of a query. */
export type Arguments = { names: string[]; json: string } | { names: string[]; texts: string[] }

export type Statement = { text: string; values: string[]; readOnly: boolean }

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

async function find(sql: Sql, name: string): Promise<Routine | undefined> {
  const [routine] = await sql<Routine[]>`
    select p.proname as name, p.provolatile = 'v' as volatile,
           coalesce((select json_agg(json_build_object('name', a.name, 'type', format_type(a.type, null),
                                                       'required', a.place <= p.pronargs - p.pronargdefaults))
                     from unnest(p.proargnames, p.proargtypes::oid[]) with ordinality as a (name, type, place)),
                    '[]') as parameters
    from pg_catalog.pg_proc p
    where p.pronamespace = 'api'::regnamespace and p.proname = ${name} and p.prokind = 'f'`
  return routine
}

function unknown(name: string, given: Arguments): RestError {
  const list = given.names.toSorted().join(', ')
  const searched = list && ` with parameter${given.names.length > 1 ? 's' : ''} ${list}`
  const alternative = 'json' in given ? ' or with a single unnamed json/jsonb parameter' : ''
  return new RestError(
    404,
    'PGRST202',
    `Could not find the function api.${name}${list ? `(${list})` : ' without parameters'} in the schema cache`,
    {
      details:
        `Searched for the function api.${name}${searched || ' without parameters'}${alternative}, ` +
        'but no matches were found in the schema cache.',
    },
  )
}

/**
 * The statement for a call: it selects `body`, the answer as JSON text. Postgres checks whether the caller may
 * execute the function, as on a real stack.
 * @param pool any: the catalog is the same for all
 * @throws RestError PGRST202 if no function has this name and exactly these arguments
 */
export async function statementFor(pool: Connections, name: string, given: Arguments): Promise<Statement> {
  const routine = await pool.run((sql) => find(sql, name))
  const fits =
    routine?.parameters.every((one) => !one.required || given.names.includes(one.name)) &&
    given.names.every((one) => routine.parameters.some((parameter) => parameter.name === one))
  if (!routine || !fits) throw unknown(name, given)

  const types = new Map(routine.parameters.map((parameter) => [parameter.name, parameter.type]))
  const list = (item: (name: string, at: number) => string) => given.names.map(item).join(', ')
  const call = (value: (name: string, at: number) => string) =>
    `select api.${quoted(routine.name)}(${list((one, at) => `${quoted(one)} => ${value(one, at)}`)})::text as body,
      current_setting('response.status', true) as status, current_setting('response.headers', true) as headers`
  const readOnly = !routine.volatile
  if ('texts' in given) {
    const text = call((one, at) => `$${at + 1}::text::${types.get(one)}`)
    return { text, values: given.texts, readOnly }
  }
  if (given.names.length === 0) return { text: call(() => ''), values: [], readOnly }
  const record = `json_to_record($1::text::json) as a (${list((one) => `${quoted(one)} ${types.get(one)}`)})`
  return { text: `${call((one) => `a.${quoted(one)}`)} from ${record}`, values: [given.json], readOnly }
}
