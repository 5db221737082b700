// Derives the error codes that a function may raise. Most are read from the bodies: `private.raise_error('code')`, also
// through calls, and with codes made from an argument, such as 'debate' in `private.raise_error(p_kind || '_unknown')`.
// The comment on a function adds the codes that no body names, such as those of checks and triggers: "Fails: code,
// private.move." It also removes codes that a called function raises only in other cases: "Never: code." The
// documentation of routes is generated from these codes.
import type { Sql } from 'postgres'

/** A function of Kith: `name` with its schema, the names of its parameters, its comment, its body. */
export type Routine = { name: string; parameters: readonly string[]; comment: string; text: string }
type Call = { name: string; args: readonly string[] }
/** A row of private.report_targets. */
export type Target = { type: string; finder: string }

/**
 * Functions whose codes don't apply to their callers, because a call dispatches one event, and not all listeners run.
 */
const crossroads = ['private.dispatch_event']
/** Codes that every function that needs the caller may raise. They are documented once, not for each function. */
export const general = ['token_missing', 'token_revoked', 'scope_missing', 'session_required']
/** Functions that raise the code given as their argument. */
const raisers = ['private.raise_error', 'private.error_response']
const functionName = String.raw`\b(?:api|private)\.[a-z_]+`

/** The list after a word of a comment, up to the end of the sentence. */
export const listed = (word: 'Fails' | 'Never', comment: string): string =>
  new RegExp(String.raw`\b${word}: ([\s\S]*?)(?:\.\s+(?=[A-Z])|\.?$)`).exec(comment)?.[1] ?? ''
const wordsIn = (list: string, known: ReadonlySet<string>): string[] =>
  (list.match(/[a-z_]+/g) ?? []).filter((word) => known.has(word))

/** The texts between the parentheses that open at `open`, one per argument. */
function argumentsAt(text: string, open: number): string[] {
  const args: string[] = []
  let from = open + 1
  let depth = 0
  let quoted = false
  for (let at = open; at < text.length; at++) {
    const c = text[at] ?? ''
    if (c === "'") quoted = !quoted
    if (quoted) continue
    if ('(['.includes(c)) depth++
    if (')]'.includes(c)) depth--
    if (depth > 0 && !(depth === 1 && c === ',')) continue
    args.push(text.slice(from, at).trim())
    from = at + 1
    if (depth === 0) break
  }
  return args
}

function callsIn(body: string): Call[] {
  const text = body.replace(/--.*/g, '')
  return [...text.matchAll(new RegExp(String.raw`(${functionName})\s*\(`, 'g'))].map(
    ({ 0: all, 1: name = '', index }) => ({
      name,
      args: argumentsAt(text, index + all.length - 1),
    }),
  )
}

/**
 * An expression as a pattern: `p_kind || '_unknown'` is `{p_kind}_unknown`. Null if the pattern can't be known from the
 * text.
 */
function patternOf(expression: string, parameters: readonly string[]): string | null {
  const parts = expression.split('||').map((part) => {
    const [, literal] = /^'([^']*)'$/.exec(part.trim()) ?? []
    return literal ?? (parameters.includes(part.trim()) ? `{${part.trim()}}` : null)
  })
  return parts.includes(null) ? null : parts.join('')
}

/** Fills in a pattern of `called` with the arguments of its caller. */
function filledIn(pattern: string, { args }: Call, called: Routine, caller: Routine): string | null {
  let isKnown = true
  const filled = pattern.replace(/\{(\w+)\}/g, (_, parameter: string) => {
    const named = args.map((arg) => /^(\w+)\s*=>\s*([\s\S]*)$/.exec(arg)).find((arg) => arg?.[1] === parameter)?.[2]
    const given = patternOf(named ?? args[called.parameters.indexOf(parameter)] ?? '', caller.parameters)
    isKnown &&= given !== null
    return given ?? ''
  })
  return isKnown ? filled : null
}

/**
 * Derives the codes of each function. A comment that names `private.report_targets` adds those of all finders, each for its type.
 * @param declared whether the codes that comments add and remove count
 */
export function failuresOf(
  routines: readonly Routine[],
  codes: readonly string[],
  targets: readonly Target[] = [],
  declared: (word: 'Fails' | 'Never', routine: Routine) => string = (word, { comment }) => listed(word, comment),
): Map<string, string[]> {
  const known = new Set(codes)
  const byName = new Map(routines.map((one) => [one.name, one]))
  const patterns = new Map(
    routines.map((one) => {
      const own = raisers.includes(one.name) ? ['{p_code}'] : wordsIn(declared('Fails', one), known)
      return [one.name, new Set(own)]
    }),
  )
  const steps = routines.map((one) => {
    const named = declared('Fails', one).match(new RegExp(functionName, 'g')) ?? []
    const others = named.flatMap((name): Call[] =>
      name === 'private.report_targets'
        ? targets.map(({ type, finder }) => ({ name: finder, args: [`'${type}'`] }))
        : [{ name, args: [] }],
    )
    const calls = [...callsIn(one.text), ...others]
    const never = new Set(wordsIn(declared('Never', one), known))
    return { one, never, calls: crossroads.includes(one.name) ? [] : calls.filter(({ name }) => byName.has(name)) }
  })

  /** Adds the codes of called functions to their callers. @returns whether any of them was new */
  const spread = (): boolean => {
    let isNew = false
    for (const { one, never, calls } of steps)
      for (const call of calls)
        for (const pattern of patterns.get(call.name) ?? []) {
          const filled = filledIn(pattern, call, byName.get(call.name) ?? one, one)
          const own = patterns.get(one.name)
          if (filled === null || never.has(filled) || own?.has(filled)) continue
          own?.add(filled)
          isNew = true
        }
    return isNew
  }
  while (spread());
  return new Map(
    [...patterns].map(([name, own]) => [
      name,
      [...own].filter((one) => !one.includes('{') && !general.includes(one)).sort(),
    ]),
  )
}

/** Reads the input of `failuresOf` from a database. */
export async function readFailures(sql: Sql) {
  const routines = await sql<Routine[]>`
    select p.oid::regproc::text as name, coalesce(p.proargnames, '{}') as parameters,
           coalesce(obj_description(p.oid, 'pg_proc'), '') as comment, p.prosrc as text
    from pg_proc p where p.pronamespace in ('api'::regnamespace, 'private'::regnamespace) order by 1`
  const codes = (await sql<{ code: string }[]>`select code from private.errors`).map(({ code }) => code)
  const targets = await sql<Target[]>`select type, finder from private.report_targets`
  return { routines, codes, targets, failures: failuresOf(routines, codes, targets) }
}
