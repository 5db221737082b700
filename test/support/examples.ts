// Writes api-facade/examples.json, the examples of answers in the API's description, from real answers of the tests:
//   RECORD_ANSWERS=/tmp/answers.jsonl npm test -- test/api
//   node test/support/examples.ts /tmp/answers.jsonl
// What differs from run to run, such as ids, times and tokens, becomes a fixed value of the same form.
import { readFileSync, writeFileSync } from 'node:fs'
import { textOf } from '../../api-facade/lib/openapi-text.ts'
import { checkAgainst, finderOf } from './contract.ts'
import { readOpenApi } from './openapi.ts'

type Recorded = { method: string; path: string; status: number; body: unknown }
type Success = { content?: Record<string, { schema?: { $ref?: string } }> }
type Operation = { operationId: string; responses: Record<string, Success> }

/** Longer examples tell a reader nothing more. */
const LONGEST = 2500
const TIME = '2026-01-31T12:00:00.000Z'
const forms: [RegExp, string][] = [
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, TIME],
  [/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIuLi4ifQ.c2lnbmF0dXJl'],
  [/INV-[0-9A-Z]{6}/g, 'INV-7KQ2ZM'],
  [/例/g, 'Lima'],
  [/https?:\/\/(localhost|127\.0\.0\.1)(:\d+)?/g, 'https://kith.example.org'],
  [/(whsec_)?\b(?=\S*\d)[\w+/=-]{24,}(\.[\w-]+)*/g, 'b3BhcXVl'],
]
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi

/** The answer with lists of one item, and with fixed values: the same id stays the same id. */
function steady(body: unknown): unknown {
  const ids = new Map<string, string>()
  const fixedId = (id: string): string => {
    const known = ids.get(id) ?? `00000000-0000-4000-8000-${String(ids.size + 1).padStart(12, '0')}`
    ids.set(id, known)
    return known
  }
  const text = (value: string): string =>
    value
      .split(new RegExp(`(${UUID.source})`, 'i'))
      .map((part) =>
        new RegExp(`^${UUID.source}$`, 'i').test(part)
          ? fixedId(part.toLowerCase())
          : forms.reduce((all, [form, fixed]) => all.replace(form, fixed), part),
      )
      .join('')
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value)
    if (Array.isArray(value)) return value.slice(0, 1).map(walk)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, walk(part)]))
  }
  return walk(body)
}

/** How much an example shows: its values, without those that are empty. */
const shows = (text: string): number =>
  text.split(',').length - (text.match(/:(null|""|\[\]|\{\}|0|false)/g)?.length ?? 0)

/** Whether it has words that only a test writes: names with random digits, repeated letters, text in other scripts. */
const isOdd = (text: string): boolean => /canary|([^0])\1{9}|[a-z_][0-9a-f]{6,}[@"]|[^\p{ASCII}–—’‘…“”]/u.test(text)

/**
 * Which of two examples is better: one that reads like a person's words, then the one that shows more, then the shorter
 * one. So the order of the tests makes no difference.
 */
const better = (one: string, other: string): number =>
  Number(isOdd(one)) - Number(isOdd(other)) ||
  shows(other) - shows(one) ||
  one.length - other.length ||
  (one < other ? -1 : 1)

const document = readOpenApi<{ paths: Record<string, Record<string, Operation>> }>()
const check = checkAgainst(document as Parameters<typeof checkAgainst>[0])
const templateOf = finderOf(Object.keys(document.paths))
const found = new Map<string, Set<string>>()
const lines = readFileSync(process.argv[2] ?? '', 'utf8')
  .trim()
  .split('\n')
for (const { method, path, status, body } of lines.map((line): Recorded => JSON.parse(line))) {
  const operation = document.paths[templateOf(path) ?? '']?.[method.toLowerCase()]
  const schema = operation?.responses[status]?.content?.['application/json']?.schema
  if (!operation || !schema) continue
  const example = steady(body)
  const text = JSON.stringify(example)
  if (text.length > LONGEST || check({ method, path, status, body: example })) continue
  const name = schema.$ref?.split('/').at(-1) ?? operation.operationId
  found.set(name, (found.get(name) ?? new Set()).add(text))
}
const examples = [...found]
  .sort(([one], [other]) => (one < other ? -1 : 1))
  .map(([name, texts]) => [name, JSON.parse([...texts].sort(better)[0] ?? 'null')])
writeFileSync(new URL('../../api-facade/examples.json', import.meta.url), textOf(Object.fromEntries(examples)))
console.log(`${examples.length} examples from ${lines.length} answers`)
