// Lists as CSV for spreadsheets: up to 20 pages in one answer, and a Link to the next ones. The columns are the fields
// of an item, so a list always has the same columns.
import { stringify } from 'csv-stringify/sync'
import { z } from 'zod'
import type { Context } from './context.ts'
import { send } from './headers.ts'

type Item = Record<string, unknown>
type Listed = { items: Item[]; nextCursor: string | null }

/** The limits of one answer. Longer answers would delay others: each page is a statement, and all are in memory. */
const PAGES = 20
const CHARACTERS = 4_000_000

/** Whether a client prefers CSV. */
export const asksForCsv = (c: Context): boolean => /(^|,)\s*text\/csv\s*(;|,|$)/i.test(c.req.header('accept') ?? '')

/** Sends up to 20 pages, beginning with the requested one; `page` returns the page after a cursor. */
export async function sendCsv(
  c: Context,
  schema: z.ZodType,
  first: string | undefined,
  page: (cursor: string | undefined) => Promise<string>,
): Promise<Response> {
  const columns = columnsOf(schema)
  const rows: unknown[][] = []
  let cursor = first
  let characters = 0
  for (let pages = 0; pages < PAGES && characters < CHARACTERS; pages++) {
    const body = await page(cursor)
    characters += body.length
    const { items, nextCursor }: Listed = JSON.parse(body)
    for (const item of items) rows.push(columns.map((path) => cellOf(path, item)))
    cursor = nextCursor ?? undefined
    if (cursor === undefined) break
  }
  // Spreadsheets recognise UTF-8 by its byte order mark.
  const text = stringify([columns.map((path) => path.join('.')), ...rows], {
    bom: true,
    quoted: true,
    record_delimiter: 'windows',
  })
  return send(c, text, 200, {
    'Content-Type': 'text/csv; charset=utf-8; header=present',
    'Content-Disposition': `attachment; filename="${c.req.path.split('/').filter(Boolean).at(-1)}.csv"`,
    ...(cursor !== undefined && { Link: `<${behind(c, cursor)}>; rel="next"` }),
  })
}

function behind(c: Context, cursor: string): string {
  const { pathname, searchParams } = new URL(c.req.url)
  searchParams.set('cursor', cursor)
  return `${pathname}?${searchParams}`
}

/** The path of every field. Fields of nested objects are separate columns. */
function columnsOf(schema: z.ZodType): string[][] {
  const list = bare(schema) as z.ZodObject
  const { element } = bare(list.shape.items as z.ZodType) as z.ZodArray<z.ZodType>
  return leaves(element)
}

function leaves(schema: z.ZodType): string[][] {
  const inner = bare(schema)
  if (!(inner instanceof z.ZodObject)) return [[]]
  return Object.entries(inner.shape).flatMap(([name, field]) =>
    leaves(field as z.ZodType).map((path) => [name, ...path]),
  )
}

function bare(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodNullable || schema instanceof z.ZodOptional
    ? bare(schema.unwrap() as z.ZodType)
    : schema
}

// A character with which a formula begins, including full-width ones, after the characters that spreadsheets skip. The
// lookbehind keeps the match linear in the length of the text.
const SIGN = /(?<![;\s"])([;\s"]*)([=+\-@\uff1d\uff0b\uff0d\uff20])/g

/** A text in which no cell is a formula. Many spreadsheets also split at ; or tab, whatever the file says. */
const tame = (text: string): string =>
  text.replace(SIGN, (whole, before: string, sign: string, at: number) =>
    at === 0 || /[;\t\r\n]/.test(before) ? `${before}'${sign}` : whole,
  )

function cellOf(path: readonly string[], item: Item): unknown {
  const value = path.reduce<unknown>((whole, name) => (whole as Item | null | undefined)?.[name], item)
  if (typeof value === 'number' || value === null || value === undefined) return value
  return tame(typeof value === 'string' ? value : JSON.stringify(value))
}
