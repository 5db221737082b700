// What a proposal changes. Operations answer the text that it was written upon, and here the difference takes its place.
import { setImmediate } from 'node:timers/promises'
import { diffLines } from 'diff'
import type { z } from 'zod'
import type { Answer } from '../../lib/call.ts'
import type { WikiProposal, WikiProposalPage } from './schemas.ts'

type Change = z.output<typeof WikiProposal>['diff'][number]
type Row = { body: string; baseBody: string }

// its time goes by the square of this: 200 take some 10 ms at worst, whatever the texts are
const MOST = 200

/** From one text to another, line by line; all of the one and all of the other where too much differs. */
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

/** The answer of an operation about one proposal; null stays null. */
export function oneWithDiff({ body }: Answer): unknown {
  const row: Row | null = JSON.parse(body ?? 'null')
  return row && withDiff(row)
}

/** The answer of an operation that lists proposals. Others get their turn between two of them. */
export async function pageWithDiffs({ body }: Answer): Promise<unknown> {
  const page: Omit<z.output<typeof WikiProposalPage>, 'items'> & { items: Row[] } = JSON.parse(body ?? 'null')
  const items: unknown[] = []
  for (const row of page.items) {
    items.push(withDiff(row))
    await setImmediate()
  }
  return { ...page, items }
}
