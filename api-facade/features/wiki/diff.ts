// The changes of a proposal. Operations return the text on which it is based, and this file replaces that text with
// the difference.
import { setImmediate } from 'node:timers/promises'
import { diffLines } from 'diff'
import type { z } from 'zod'
import type { Answer } from '../../lib/call.ts'
import type { WikiProposal, WikiProposalPage } from './schemas.ts'

type Change = z.output<typeof WikiProposal>['diff'][number]
type Row = { body: string; baseBody: string }

// The maximum number of lines that may differ. The time is quadratic in this number: 200 lines take about 10 ms in the
// worst case.
const MOST = 200

/** The difference of two texts, line by line. If too many lines differ, it has all lines of both texts. */
export function changesBetween(base: string, body: string): Change[] {
  const parts = diffLines(base, body, { maxEditLength: MOST }) ?? [
    { removed: true, added: false, value: base },
    { removed: false, added: true, value: body },
  ]
  return parts.map(({ removed, added, value }) => ({
    op: removed ? 'delete' : added ? 'insert' : 'equal',
    text: value,
  }))
}

const withDiff = ({ baseBody, ...row }: Row) => ({ ...row, diff: changesBetween(baseBody, row.body) })

/** The result of an operation on one proposal; null stays null. */
export function oneWithDiff({ body }: Answer): unknown {
  const row: Row | null = JSON.parse(body ?? 'null')
  return row && withDiff(row)
}

/** The result of an operation that lists proposals. Yields to other requests between two proposals. */
export async function pageWithDiffs({ body }: Answer): Promise<unknown> {
  const page: Omit<z.output<typeof WikiProposalPage>, 'items'> & { items: Row[] } = JSON.parse(body ?? 'null')
  const items: unknown[] = []
  for (const row of page.items) {
    items.push(withDiff(row))
    await setImmediate()
  }
  return { ...page, items }
}
