// Checks references: a feature may refer to itself and to earlier ones, a folder to those on which it builds. The
// scanners read no files. They get an object of texts by path, so that a test can pass a text with a violation.
import { dirname, join } from 'node:path/posix'

export type Texts = Record<string, string>
type Found = { name: string; line: number }

/** The features in the order in which the ordered schema files name them first. */
export const featuresOf = (files: string[]): string[] => [...new Set(files.map(featureOf))]

const featureOf = (path: string): string =>
  /^(?:sql|policies|api-facade\/features)\/([\w-]+)/.exec(path)?.[1] ?? 'no feature'

/** What the first group of the pattern matches, and the line. */
function find(text: string, pattern: RegExp): Found[] {
  return [...text.matchAll(pattern)].map((match) => ({
    name: match[1] ?? '',
    line: text.slice(0, match.index + match[0].length).split('\n').length,
  }))
}

/** SQL with its lines, without comments and without the texts of COMMENT ONs. */
export function codeOf(sql: string): string {
  return sql.replace(/\bcomment on [^';]*'(?:[^']|'')*'|'(?:[^']|'')*'|--[^\n]*/gi, (piece) =>
    piece.startsWith("'") ? piece : piece.replace(/'[\s\S]*|--.*/, (words) => words.replace(/[^\n]/g, ' ')),
  )
}

/** What SQL creates: relations, functions and types. */
export const definition =
  /\bcreate\s+(?:or replace\s+|unlogged\s+|materialized\s+)*(?:table|view|function|procedure|type|domain|sequence)\s+(?:if not exists\s+)?((?:app|private|api)\.\w+)/gi
const queue = /\b(?:pgboss\.create_queue|private\.make_batch_queue)\(\s*'([\w-]+)'/g
const registered = /\binsert into private\.event_types \([^)]*\) values([^;]*);/g
const eventName = /'([a-z_]+(?:\.[a-z_]+)+)'/g

function definedIn(code: string): string[] {
  const events = find(code, registered).flatMap(({ name }) => find(name, eventName))
  const queues = find(code, queue).map(({ name }) => ({ name: `queue ${name}` }))
  return [...find(code, definition), ...events, ...queues].map(({ name }) => name)
}

function namedIn(code: string): Found[] {
  const queues = find(code, /\bprivate\.enqueue\(\s*'([\w-]+)'/g)
  return [
    ...find(code, /\b((?:app|private|api)\.\w+)/g),
    ...find(code, eventName).filter(({ name }) => !/^(app|private|api)\./.test(name)),
    ...queues.map(({ name, line }) => ({ name: `queue ${name}`, line })),
  ]
}

/**
 * Names that the SQL of a feature uses and a later feature creates. A name created twice belongs to the earlier one.
 */
export function schemaOffences(texts: Texts, order: string[]): string[] {
  const files = Object.entries(texts)
    .filter(([path]) => /^(sql|policies)\/.*\.sql$/.test(path))
    .map(([path, text]) => ({ path, code: codeOf(text), feature: featureOf(path) }))
    .sort((a, b) => order.indexOf(a.feature) - order.indexOf(b.feature))
  const owners = new Map<string, string>()
  for (const { code, feature } of files) {
    for (const name of definedIn(code)) if (!owners.has(name)) owners.set(name, feature)
  }
  const lines = files.flatMap(({ path, code, feature }) =>
    namedIn(code).flatMap(({ name, line }) => {
      const owner = owners.get(name) ?? feature
      return order.indexOf(owner) > order.indexOf(feature) ? [`${path}:${line} ${feature} → ${owner}: ${name}`] : []
    }),
  )
  return [...new Set(lines)]
}

/** Folders, and those from which they must not import. */
const closed: [from: RegExp, to: RegExp][] = [
  [/^api-facade\/lib\//, /^api-facade\/features\//],
  [/^api-facade\/features\//, /^api-facade\/worker\//],
  [/^edge-functions\//, /^(api-facade|supabase)\//],
  [/^supabase\//, /^api-facade\//],
]

/** Imports of a later feature, of a forbidden folder, and within a cycle of files. Type imports count as well. */
export function importOffences(texts: Texts, order: string[]): string[] {
  const imports = new Map(
    Object.entries(texts)
      .filter(([path]) => /\.(ts|mjs)$/.test(path))
      .map(([path, text]) => [
        path,
        find(text, /\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g).map(({ name, line }) => ({
          to: join(dirname(path), name),
          line,
        })),
      ]),
  )
  const reached = new Map([...imports.keys()].map((path) => [path, reach(path)]))
  function reach(path: string, seen = new Set<string>()): Set<string> {
    for (const { to } of imports.get(path) ?? []) if (!seen.has(to)) reach(to, seen.add(to))
    return seen
  }
  return [...imports].flatMap(([from, found]) =>
    found.flatMap(({ to, line }) => {
      const [feature, other] = [featureOf(from), featureOf(to)]
      const offences = []
      if (order.includes(feature) && order.indexOf(other) > order.indexOf(feature))
        offences.push(`${from}:${line} ${feature} → ${other}: ${to}`)
      if (closed.some(([room, one]) => room.test(from) && one.test(to)))
        offences.push(`${from}:${line} ${dirname(from)} → ${dirname(to)}: ${to}`)
      if (reached.get(to)?.has(from)) offences.push(`${from}:${line} cycle: ${to}`)
      return offences
    }),
  )
}
