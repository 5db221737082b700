// Lists over HTTP, and the checks that the tests of every feature make with them.
import { expect } from 'vitest'
import type { Answer } from './crawler.ts'
import type { Person } from './person.ts'

export type Page<Item> = { items: Item[]; nextCursor: string | null; hasMore: boolean }

/** An id that does not exist. */
export const UNKNOWN = '00000000-0000-4000-8000-000000000000'

/** The ids of all items in a list, fetched page by page. */
export async function walk(person: Person, path: string, limit: number): Promise<string[]> {
  const ids: string[] = []
  let next: string | null = ''
  while (next !== null) {
    const page: Answer<Page<{ id: string }>> = await person.get(`${path}?limit=${limit}${next}`)
    expect([page.status, page.body.hasMore]).toEqual([200, page.body.nextCursor !== null])
    ids.push(...page.body.items.map(({ id }) => id))
    next = page.body.nextCursor && `&cursor=${page.body.nextCursor}`
  }
  return ids
}
