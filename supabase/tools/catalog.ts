// Reads a database's schema as one text for each object, so that two databases can be compared: relations and the order
// of their columns, constraints, indexes, triggers, policies, functions, types, rights, comments, roles; and the rows
// that the schema's files insert.
import postgres, { type Sql } from 'postgres'

/** The definition of each object by its kind and name. */
type Catalog = ReadonlyMap<string, string>

/** The schemas whose relations, functions and types belong to Kith. In other schemas, only policies and rights do. */
const own = `('app', 'private', 'api', 'pgboss')`

const relation = 'c.oid::regclass::text'
const comment = (oid: string, catalog: string) => `obj_description(${oid}, '${catalog}')`
/** Rights as a sorted list. Without an entry these are the default rights, which depend on the kind and the owner. */
const rights = (acl: string, kind: string, owner: string) =>
  `(select array_agg(a::text order by a::text collate "C") from unnest(coalesce(${acl}, acldefault('${kind}', ${owner}))) a)`
const columnRights = `(select array_agg(r::text order by r::text collate "C") from unnest(a.attacl) r)`
const inOwn = (column: string) => `(select nspname from pg_namespace where oid = ${column}) in ${own}`

/** For each kind of object a query of name and definition. */
const queries: Record<string, string> = {
  schema: `
    select nspname, jsonb_build_array(nspowner::regrole, ${rights('nspacl', 'n', 'nspowner')}, ${comment('oid', 'pg_namespace')})
    from pg_namespace where nspname !~ '^pg_' and nspname <> 'supabase_migrations'`,
  extension: `select extname, jsonb_build_array(extnamespace::regnamespace) from pg_extension`,
  role: `
    select r.rolname, jsonb_build_array(
      to_jsonb(r) - '{oid,rolname,rolpassword,rolconfig}'::text[],
      (select jsonb_agg(jsonb_build_array(coalesce(d.datname, ''), s.setconfig) order by d.datname collate "C" nulls first)
       from pg_db_role_setting s left join pg_database d on d.oid = s.setdatabase
       where s.setrole = r.oid and s.setdatabase in (0, (select oid from pg_database where datname = current_database()))),
      (select jsonb_agg(jsonb_build_array(m.roleid::regrole, m.admin_option, m.inherit_option, m.set_option)
                        order by m.roleid::regrole::text collate "C", m.grantor::regrole::text collate "C")
       from pg_auth_members m where m.member = r.oid), shobj_description(r.oid, 'pg_authid'))
    from pg_roles r where r.rolname !~ '^pg_'`,
  'default rights': `
    select concat_ws(' ', defaclrole::regrole, defaclnamespace::regnamespace, defaclobjtype),
           jsonb_build_array((select array_agg(a::text order by a::text collate "C") from unnest(defaclacl) a))
    from pg_default_acl where defaclnamespace = 0 or ${inOwn('defaclnamespace')}`,
  relation: `
    select ${relation}, jsonb_build_array(
      c.relkind, c.relpersistence, c.relowner::regrole, c.reloptions, c.relrowsecurity, c.relforcerowsecurity,
      c.relreplident, ${rights('c.relacl', 'r', 'c.relowner')}, ${comment('c.oid', 'pg_class')},
      case when c.relkind in ('v', 'm') then pg_get_viewdef(c.oid) end,
      pg_get_partkeydef(c.oid), pg_get_expr(c.relpartbound, c.oid),
      (select array_agg(i.inhparent::regclass) from pg_inherits i where i.inhrelid = c.oid))
    from pg_class c where c.relkind in ('r', 'p', 'v', 'm', 'c', 'f') and ${inOwn('c.relnamespace')}`,
  sequence: `
    select ${relation}, jsonb_build_array(
      c.relowner::regrole, ${rights('c.relacl', 's', 'c.relowner')}, ${comment('c.oid', 'pg_class')},
      to_jsonb(s) - '{seqrelid}'::text[])
    from pg_class c join pg_sequence s on s.seqrelid = c.oid where ${inOwn('c.relnamespace')}`,
  // generated files, and inserts without column names, depend on the order
  'order of the columns of': `
    select ${relation}, jsonb_agg(a.attname order by a.attnum)
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind in ('r', 'p', 'v', 'm', 'c') and ${inOwn('c.relnamespace')}
    group by c.oid`,
  column: `
    select ${relation} || '.' || quote_ident(a.attname), jsonb_build_array(
      format_type(a.atttypid, a.atttypmod), a.attnotnull,
      a.attidentity, a.attgenerated, pg_get_expr(d.adbin, d.adrelid), a.attcollation, a.attstorage, a.attcompression,
      a.attstattarget, a.attoptions, ${columnRights}, col_description(c.oid, a.attnum))
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relkind in ('r', 'p', 'v', 'm', 'c', 'f') and ${inOwn('c.relnamespace')}`,
  constraint: `
    select concat_ws(' of ', quote_ident(c.conname), coalesce(nullif(c.conrelid, 0)::regclass::text, nullif(c.contypid, 0)::regtype::text)),
           jsonb_build_array(pg_get_constraintdef(c.oid), c.convalidated, ${comment('c.oid', 'pg_constraint')})
    from pg_constraint c where c.contype <> 't' and ${inOwn('c.connamespace')}`,
  index: `
    select ${relation}, jsonb_build_array(
      pg_get_indexdef(c.oid), i.indisvalid, i.indisclustered, i.indisreplident, ${comment('c.oid', 'pg_class')})
    from pg_index i join pg_class c on c.oid = i.indexrelid where ${inOwn('c.relnamespace')}`,
  trigger: `
    select quote_ident(t.tgname) || ' of ' || t.tgrelid::regclass, jsonb_build_array(
      pg_get_triggerdef(t.oid), t.tgenabled, ${comment('t.oid', 'pg_trigger')})
    from pg_trigger t where not t.tgisinternal and ${inOwn('(select relnamespace from pg_class where oid = t.tgrelid)')}`,
  rule: `
    select quote_ident(r.rulename) || ' of ' || r.ev_class::regclass, jsonb_build_array(
      pg_get_ruledef(r.oid), r.ev_enabled, ${comment('r.oid', 'pg_rewrite')})
    from pg_rewrite r
    where r.rulename <> '_RETURN' and ${inOwn('(select relnamespace from pg_class where oid = r.ev_class)')}`,
  policy: `
    select quote_ident(p.polname) || ' of ' || p.polrelid::regclass, jsonb_build_array(
      p.polpermissive, p.polcmd, (select array_agg(r::regrole::text order by 1) from unnest(p.polroles) r),
      pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid), ${comment('p.oid', 'pg_policy')})
    from pg_policy p join pg_class c on c.oid = p.polrelid
    where ${inOwn('c.relnamespace')} or c.relnamespace = to_regnamespace('realtime')`,
  function: `
    select p.oid::regprocedure::text, jsonb_build_array(
      case p.prokind when 'a' then (select to_jsonb(a) - '{aggfnoid}'::text[] from pg_aggregate a where a.aggfnoid = p.oid)
      else to_jsonb(pg_get_functiondef(p.oid)) end,
      p.proowner::regrole, ${rights('p.proacl', 'f', 'p.proowner')}, ${comment('p.oid', 'pg_proc')})
    from pg_proc p where ${inOwn('p.pronamespace')}`,
  type: `
    select t.oid::regtype::text, jsonb_build_array(
      t.typtype, t.typowner::regrole, ${rights('t.typacl', 'T', 't.typowner')}, ${comment('t.oid', 'pg_type')},
      case when t.typtype = 'd' then jsonb_build_array(
        format_type(t.typbasetype, t.typtypmod), t.typnotnull, t.typdefault, t.typcollation) end,
      (select array_agg(e.enumlabel order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid),
      (select jsonb_build_array(r.rngsubtype::regtype, r.rngcanonical, r.rngsubdiff) from pg_range r where r.rngtypid = t.oid))
    from pg_type t where t.typtype in ('d', 'e', 'r', 'm') and ${inOwn('t.typnamespace')}`,
  'text search configuration': `
    select c.oid::regconfig::text, jsonb_build_array(
      c.cfgowner::regrole, c.cfgparser, ${comment('c.oid', 'pg_ts_config')},
      (select jsonb_agg(jsonb_build_array(m.maptokentype, m.mapseqno, m.mapdict::regdictionary)
                        order by m.maptokentype, m.mapseqno)
       from pg_ts_config_map m where m.mapcfg = c.oid))
    from pg_ts_config c where ${inOwn('c.cfgnamespace')}`,
  'text search dictionary': `
    select d.oid::regdictionary::text, jsonb_build_array(
      d.dictowner::regrole, d.dicttemplate, d.dictinitoption, ${comment('d.oid', 'pg_ts_dict')})
    from pg_ts_dict d where ${inOwn('d.dictnamespace')}`,
  statistics: `
    select quote_ident(s.stxname), jsonb_build_array(pg_get_statisticsobjdef(s.oid), s.stxstattarget)
    from pg_statistic_ext s where ${inOwn('s.stxnamespace')}`,
  operator: `
    select o.oid::regoperator::text, jsonb_build_array(o.oprcode, o.oprcom::regoperator, o.oprnegate::regoperator)
    from pg_operator o where ${inOwn('o.oprnamespace')}`,
  cast: `
    select concat_ws(' as ', c.castsource::regtype, c.casttarget::regtype), jsonb_build_array(
      c.castfunc::regprocedure, c.castcontext, c.castmethod)
    from pg_cast c where c.oid >= 16384`,
  publication: `
    select p.pubname, jsonb_build_array(
      to_jsonb(p) - '{oid,pubname,pubowner}'::text[], p.pubowner::regrole,
      (select array_agg(r.prrelid::regclass::text order by 1) from pg_publication_rel r where r.prpubid = p.oid))
    from pg_publication p`,
  'event trigger': `
    select e.evtname, jsonb_build_array(e.evtevent, e.evtfoid::regprocedure, e.evtenabled, e.evttags) from pg_event_trigger e`,
  parameter: `
    select p.parname, jsonb_build_array((select array_agg(a::text order by a::text collate "C") from unnest(p.paracl) a))
    from pg_parameter_acl p`,
}

/** Objects of the server or the platform, which differ between servers on which the same schema runs. */
const around = ['schema', 'extension', 'role', 'default rights', 'publication', 'event trigger', 'parameter', 'cast']

/** A table into which the schema's files may insert rows. */
export type Registry = {
  table: string
  /** The columns that identify a row. */
  key: string[]
  /** The columns whose values the files decide. */
  columns: string[]
}

/** The values of a row by column, as text. */
export type Row = Record<string, string | null>

/**
 * The tables in the order of their creation. The query leaves out columns that Postgres fills anew in each database
 * (identities, times, random values). It also leaves out tables without a key, because the instance writes their row.
 */
const readRegistries = (sql: Sql) => sql<Registry[]>`
    with columns as (
      select a.attrelid, a.attnum, a.attname::text as name,
             a.attidentity <> '' or a.attgenerated <> ''
               or coalesce(pg_get_expr(d.adbin, d.adrelid) ~ '(now|random_uuid|random_bytes|timestamp)\\(', false) as is_made
      from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attnum > 0 and not a.attisdropped
    )
    select c.oid::regclass::text as table, k.columns as key,
           array(select o.name from columns o where o.attrelid = c.oid and not o.is_made order by o.attnum) as columns
    from pg_class c
    cross join lateral (
      select array_agg(o.name order by o.attnum) as columns
      from pg_constraint n join columns o on o.attrelid = n.conrelid and o.attnum = any (n.conkey)
      where n.conrelid = c.oid and n.contype in ('p', 'u')
      group by n.oid, n.contype, n.conname having not bool_or(o.is_made)
      order by n.contype, n.conname collate "C" limit 1
    ) k
    where c.relkind in ('r', 'p') and not c.relispartition
      and c.relnamespace in (select oid from pg_namespace where nspname in ('app', 'private', 'pgboss'))
    order by c.oid`

async function rowsOf(sql: Sql, { table, key, columns }: Registry): Promise<Map<string, Row>> {
  const values = columns.map((column) => `${quoted(column)}::text`).join(', ')
  const rows = await sql.unsafe(`select ${values} from ${table} order by ${key.map(quoted).join(', ')}`).values()
  const named = rows.map((row) => Object.fromEntries(columns.map((column, at): [string, string] => [column, row[at]])))
  return new Map(named.map((row) => [key.map((column) => row[column]).join(', '), row]))
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

/** The rows of each table. */
export type Contents = ReadonlyMap<string, Registry & { rows: Map<string, Row> }>

/** Runs `work` on a connection that shows names and expressions with their schemas. */
async function reading<T>(url: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    await sql`set search_path = ''`
    return await work(sql)
  } finally {
    await sql.end()
  }
}

export const contentsOf = (url: string): Promise<Contents> =>
  reading(url, async (sql) => {
    const contents = new Map<string, Registry & { rows: Map<string, Row> }>()
    for (const one of await readRegistries(sql)) contents.set(one.table, { ...one, rows: await rowsOf(sql, one) })
    return contents
  })

/** @param within whether to leave out objects that differ between servers */
export const catalogOf = (url: string, { within = false } = {}): Promise<Catalog> =>
  reading(url, async (sql) => {
    const found = new Map<string, string>()
    for (const [kind, query] of Object.entries(queries)) {
      if (within && around.includes(kind)) continue
      const rows = await sql.unsafe(`select n.name, n.definition::text from (${query}) n (name, definition)`)
      for (const { name, definition } of rows) found.set(`${kind} ${name}`, definition)
    }
    return found
  })

/** The rows as objects of a catalog. */
const asCatalog = (contents: Contents): Catalog =>
  new Map(
    [...contents].flatMap(([table, { rows }]) =>
      [...rows].map(([key, row]): [string, string] => [`row of ${table} ${key}`, JSON.stringify(row)]),
    ),
  )

/** The differences of the first database from the second one, a line for each object. */
export function differences(is: Catalog, wanted: Catalog): string[] {
  const names = [...new Set([...is.keys(), ...wanted.keys()])].sort()
  return names.flatMap((name) => {
    if (is.get(name) === wanted.get(name)) return []
    if (!is.has(name)) return `missing: ${name}`
    return wanted.has(name) ? `different: ${name}` : `too much: ${name}`
  })
}

/** Does the same as `differences` for two unused databases, and also compares the rows of the registries. */
export async function allDifferences(is: string, wanted: string): Promise<string[]> {
  return [
    ...differences(await catalogOf(is), await catalogOf(wanted)),
    ...differences(asCatalog(await contentsOf(is)), asCatalog(await contentsOf(wanted))),
  ]
}
