// Lists as CSV, for whoever works in a spreadsheet: up to 20 pages in one, and a Link to those behind. Columns are the fields of an
// item, so that a list has the same ones always.
import { stringify } from 'csv-stringify/sync'
import { z } from 'zod'
import type { Context } from './context.ts'
import { send } from './headers.ts'

type Item = Record<string, unknown>
type Listed = { items: Item[]; nextCursor: string | null }

/** More would hold up others: each page is a statement, and all of it is in memory. */
const PAGES = 20
const CHARACTERS = 4_000_000

/** Whether a client would rather have CSV. */
export const asksForCsv = (c: Context): boolean => /(^|,)\s*text\/csv\s*(;|,|$)/i.test(c.req.header('accept') ?? '')

/** Up to 20 pages from the one that was asked for; `page` gives that behind a cursor. */
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
  // a spreadsheet would run a text that begins as a formula does; it takes UTF-8 for what it is by its mark
  const text = stringify([columns.map((path) => path.join('.')), ...rows], {
    bom: true,
    escape_formulas: true,
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

/** Of every field the way to it; fields of an object that an item has are columns of their own. */
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

function cellOf(path: readonly string[], item: Item): unknown {
  const value = path.reduce<unknown>((whole, name) => (whole as Item | null | undefined)?.[name], item)
  return typeof value === 'object' && value !== null
    ? JSON.stringify(value)
    : typeof value === 'boolean'
      ? `${value}`
      : value
}
