// npm run gen:diff [-- <commit>]: prints what a change does to the API's description: breaking, changed, added. It
// compares api-facade/openapi.json with its state at the given commit. The default is the commit where this branch left
// main; on main itself it is the previous commit. The reviewer decides whether a breaking change is intended.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Schema = {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  allOf?: Schema[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  [keyword: string]: unknown
}
type Content = Record<string, { schema?: Schema }>
type Parameter = { $ref?: string; name?: string; in?: string; required?: boolean; schema?: Schema }
type Answer = { $ref?: string; description?: string; headers?: Record<string, unknown>; content?: Content }
type Operation = {
  summary?: string
  description?: string
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content?: Content }
  responses?: Record<string, Answer>
}
export type Description = {
  paths: Record<string, Record<string, Operation>>
  components?: { [group: string]: Record<string, object> }
}
/** Lines by kind; `texts` counts the operations whose summary or description changed. */
export type Difference = { breaking: string[]; changed: string[]; added: string[]; texts: number }

/**
 * Whether clients send a schema or get it as an answer. Clients break if a schema that they send accepts less, or if a
 * schema that they get contains less.
 */
type Way = 'sent' | 'answered'

/** Compares two descriptions. A difference in a named schema is reported once, under its name. */
export function compare(before: Description, after: Description): Difference {
  const found: Difference = { breaking: [], changed: [], added: [], texts: 0 }
  const say = (kind: 'breaking' | 'changed' | 'added', line: string) => found[kind].push(line)
  const compared = new Set<string>()

  function schemas(where: string, way: Way, old: Schema = {}, now: Schema = {}): void {
    const [oldName, name] = [nameOf(old), nameOf(now)]
    const key = `${way} ${oldName ?? where} ${name ?? where}`
    if (compared.has(key)) return
    if (oldName ?? name) compared.add(key)
    const place = name && oldName === name ? `${name}, as ${way}` : where
    const [a, b] = [plain(before, old), plain(after, now)]

    const [types, newTypes] = [typesOf(a), typesOf(b)]
    const isNarrower = !types.every((type) => newTypes.includes(type))
    const isWider = !newTypes.every((type) => types.includes(type))
    if (isNarrower || isWider)
      say((way === 'sent' ? isNarrower : isWider) ? 'breaking' : 'changed', `${place}: ${types} became ${newTypes}`)
    values(place, way, a, b)
    for (const [keyword, isTighter] of Object.entries(bounds)) {
      const [least, most] = [a[keyword], b[keyword]]
      if (least === most) continue
      const breaks = way === 'sent' && most !== undefined && (least === undefined || isTighter(most, least))
      say(breaks ? 'breaking' : 'changed', `${place}: ${keyword} ${least ?? '(none)'} became ${most ?? '(none)'}`)
    }
    fields(place, way, a, b)
    if (a.items && b.items) schemas(`${place}[]`, way, a.items, b.items)
    choices(place, way, a, b)
  }

  function values(place: string, way: Way, a: Schema, b: Schema): void {
    const [old, now] = [a.enum, b.enum]
    if (!old && !now) return
    if (!old || !now) return void say(now && way === 'sent' ? 'breaking' : 'changed', `${place}: other values`)
    const lost = old.filter((one) => !now.includes(one))
    const gained = now.filter((one) => !old.includes(one))
    if (lost.length > 0) say(way === 'sent' ? 'breaking' : 'changed', `${place}: no longer ${lost.join(', ')}`)
    if (gained.length > 0) say(way === 'sent' ? 'added' : 'changed', `${place}: now also ${gained.join(', ')}`)
  }

  function fields(place: string, way: Way, a: Schema, b: Schema): void {
    const [old, now] = [a.properties ?? {}, b.properties ?? {}]
    const isRequired = ({ required = [] }: Schema, field: string) => required.includes(field)
    for (const field of keysOf(old, now)) {
      const there = `${place}: ${field}`
      if (!(field in now)) say('breaking', `${there} is gone`)
      else if (!(field in old)) say(way === 'sent' && isRequired(b, field) ? 'breaking' : 'added', `${there} is new`)
      else {
        if (isRequired(a, field) && !isRequired(b, field))
          say(way === 'sent' ? 'changed' : 'breaking', `${there} became optional`)
        if (!isRequired(a, field) && isRequired(b, field))
          say(way === 'sent' ? 'breaking' : 'changed', `${there} became required`)
        schemas(`${place}.${field}`, way, old[field], now[field])
      }
    }
  }

  function choices(place: string, way: Way, a: Schema, b: Schema): void {
    const [old, now] = [choicesOf(a), choicesOf(b)]
    for (const name of keysOf(old, now)) {
      if (!(name in now)) say(way === 'sent' ? 'breaking' : 'changed', `${place}: no longer ${name}`)
      else if (!(name in old)) say(way === 'sent' ? 'added' : 'changed', `${place}: now also ${name}`)
      else schemas(`${place} (${name})`, way, old[name], now[name])
    }
  }

  function parameters(route: string, old: Operation, now: Operation): void {
    const byName = (document: Description, { parameters = [] }: Operation) =>
      Object.fromEntries(parameters.map((one) => resolve(document, one)).map((one) => [`${one.in} ${one.name}`, one]))
    const [a, b] = [byName(before, old), byName(after, now)]
    for (const name of keysOf(a, b)) {
      const there = `${route}: ${name}`
      if (!b[name]) say('breaking', `${there} is gone`)
      else if (!a[name]) say(b[name].required ? 'breaking' : 'added', `${there} is new`)
      else {
        if (b[name].required && !a[name].required) say('breaking', `${there} became required`)
        if (a[name].required && !b[name].required) say('changed', `${there} became optional`)
        schemas(there, 'sent', a[name].schema, b[name].schema)
      }
    }
  }

  function contents(where: string, way: Way, old: Content = {}, now: Content = {}): void {
    for (const type of keysOf(old, now)) {
      if (!(type in now)) say('breaking', `${where}: ${type} is gone`)
      else if (!(type in old)) say('added', `${where}: ${type} is new`)
      else schemas(where, way, old[type]?.schema, now[type]?.schema)
    }
  }

  function answers(route: string, { responses: old = {} }: Operation, { responses: now = {} }: Operation): void {
    for (const status of keysOf(old, now)) {
      const [a, b] = [old[status] && resolve(before, old[status]), now[status] && resolve(after, now[status])]
      const there = `${route}: ${status}`
      if (!b) say(status < '400' ? 'breaking' : 'changed', `${there} is gone`)
      else if (!a) say('added', `${there} is new${status < '400' ? '' : `: ${codesOf(b).join(', ')}`}`)
      else {
        for (const header of keysOf(a.headers ?? {}, b.headers ?? {})) {
          if (!(header in (b.headers ?? {}))) say('breaking', `${there}: the header ${header} is gone`)
          else if (!(header in (a.headers ?? {}))) say('added', `${there}: the header ${header} is new`)
        }
        if (status < '400') contents(`${there}`, 'answered', a.content, b.content)
        else {
          const [codes, newCodes] = [codesOf(a), codesOf(b)]
          const lost = codes.filter((code) => !newCodes.includes(code))
          const gained = newCodes.filter((code) => !codes.includes(code))
          if (lost.length > 0) say('changed', `${there} is no longer ${lost.join(', ')}`)
          if (gained.length > 0) say('added', `${there} can be ${gained.join(', ')}`)
        }
      }
    }
  }

  const [old, now] = [routesOf(before), routesOf(after)]
  for (const route of keysOf(old, now)) {
    const [a, b] = [old[route], now[route]]
    if (!b) say('breaking', `${route} is gone`)
    else if (!a) say('added', `${route} is new`)
    else {
      if (a.summary !== b.summary || a.description !== b.description) found.texts++
      parameters(route, a, b)
      if (!a.requestBody?.required && b.requestBody?.required) say('breaking', `${route}: the body became required`)
      contents(`${route}: body`, 'sent', a.requestBody?.content, b.requestBody?.content)
      answers(route, a, b)
    }
  }
  return found
}

const more = (now: unknown, old: unknown) => Number(now) > Number(old)
const less = (now: unknown, old: unknown) => Number(now) < Number(old)
const other = () => true
/** Keywords that limit a value, and whether a new limit is tighter than the old one. */
const bounds: Readonly<Record<string, (now: unknown, old: unknown) => boolean>> = {
  minimum: more,
  minLength: more,
  minItems: more,
  maximum: less,
  maxLength: less,
  maxItems: less,
  pattern: other,
  format: other,
}

const keysOf = (...all: object[]): string[] => [...new Set(all.flatMap((one) => Object.keys(one)))].sort()
const nameOf = ({ $ref }: Schema): string | undefined => $ref?.split('/').at(-1)
const typesOf = ({ type = 'anything' }: Schema): string[] => [type].flat().sort()
const codesOf = ({ description = '' }: Answer): string[] =>
  [...description.matchAll(/(?:^|, )`([a-z0-9_]+)`/gm)].map(([, code = '']) => code)

function resolve<T extends { $ref?: string }>(document: Description, one: T): T {
  const [group = '', name = ''] = one.$ref?.split('/').slice(-2) ?? []
  const { $ref: _, ...own } = one
  return { ...(document.components?.[group]?.[name] as T | undefined), ...own } as T
}

/** A schema with its references resolved, its parts merged, and null among the types if it is nullable. */
function plain(document: Description, schema: Schema): Schema {
  const { allOf = [], ...own } = resolve(document, schema)
  const parts = allOf.map((part) => plain(document, part))
  const whole = Object.assign({}, ...parts, own) as Schema
  if (parts.length > 0) {
    whole.properties = Object.assign({}, ...parts.map((part) => part.properties), own.properties)
    whole.required = [...parts, own].flatMap(({ required = [] }) => required)
  }
  if ('const' in whole) whole.enum = [whole.const]
  const options = whole.anyOf ?? whole.oneOf ?? []
  const [named, ...others] = options.filter(({ type }) => type !== 'null')
  if (!named || others.length > 0 || options.length < 2) return whole
  const { anyOf: _any, oneOf: _one, ...rest } = whole
  const only = plain(document, named)
  return { ...only, ...rest, type: [...typesOf(only), 'null'] }
}

/** The alternatives of a schema by name, or by position. */
const choicesOf = ({ anyOf, oneOf }: Schema): Record<string, Schema> =>
  Object.fromEntries((anyOf ?? oneOf ?? []).map((one, at) => [nameOf(one) ?? `choice ${at + 1}`, one]))

const routesOf = ({ paths }: Description): Record<string, Operation> =>
  Object.fromEntries(
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation]),
    ),
  )

const MOST = 40

/** The lines that are printed, at most 40 of a kind. */
export function report({ texts, ...kinds }: Difference): string[] {
  const lines = Object.entries(kinds).flatMap(([kind, all]) => {
    if (all.length === 0) return []
    const rest = all.length > MOST ? [`    … and ${all.length - MOST} more`] : []
    return [`  ${kind}: ${all.length}`, ...all.slice(0, MOST).map((line) => `    ${line}`), ...rest]
  })
  const said = texts > 0 ? [`  other words: ${texts} ${texts === 1 ? 'operation' : 'operations'}`] : []
  return lines.length + said.length > 0 ? [...lines, ...said] : ['  no difference']
}

const root = join(import.meta.dirname, '..')
const git = (...words: string[]): string | undefined => {
  try {
    return execFileSync('git', words, {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 1 << 26,
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return undefined
  }
}

/** The commit to compare with: where the branch left main; on main itself, or without main, the previous commit. */
function baseOf(): string | undefined {
  const head = git('rev-parse', 'HEAD')
  const fork = git('merge-base', 'HEAD', 'origin/main') ?? git('merge-base', 'HEAD', 'main')
  return fork && fork !== head ? fork : git('rev-parse', '--verify', 'HEAD~1')
}

function main(): string[] {
  const [base = baseOf()] = process.argv.slice(2)
  const before = base && git('show', `${base}:api-facade/openapi.json`)
  if (!before) return ['The description of the API is not compared: git has no earlier one here (a shallow clone?).']
  const after = readFileSync(join(import.meta.dirname, 'openapi.json'), 'utf8')
  const lines = report(compare(JSON.parse(before), JSON.parse(after)))
  return [`The description of the API, compared with ${base.slice(0, 10)}:`, ...lines]
}

if (import.meta.main) process.stdout.write(`${main().join('\n')}\n`)
