// Compares two checkouts: how many times better this one is than the other, by CPU and by rate. A ratio is the median
// over the rounds, with its quartiles, so that noise is visible.
import type { Case } from './case.ts'
import { eachOf, figure, type Measured, measure, median, type Plan, quartiles, type Seen, say } from './rounds.ts'

const ratio = (of: number[], to: number[]): [string, string] => {
  const [low, middle, high] = quartiles(of.map((n, round) => n / (to[round] ?? Number.NaN)))
  return [figure(middle, 2), `${figure(low, 2)}-${figure(high, 2)}`]
}
const totals = ({ cpu, worker }: Seen): number[] => cpu.map(({ node, backend }) => node + backend + worker)
const parts = (of: Seen, to: Seen, part: 'node' | 'backend'): string =>
  ratio(
    of.cpu.map((cpu) => cpu[part]),
    to.cpu.map((cpu) => cpu[part]),
  )[0]

export async function compare(all: Measured[], cases: Case[], plan: Plan): Promise<void> {
  say('', '', 'all CPU', '', '', '', 'backend', 'node', 'worker', '', 'WAL', '', 'rate')
  say(
    '',
    'this ms',
    'other ms',
    'ratio',
    'quartiles',
    'ratio',
    'ratio',
    'this ms',
    'other ms',
    'this',
    'other',
    'ratio',
    'quartiles',
  )
  await eachOf(all, cases, async (one) => {
    const [mine, theirs] = await measure(all, one, plan)
    if (!mine || !theirs) return
    const writes = one.method !== 'GET'
    const ofWrites = (n: number, digits: number) => (writes ? figure(n, digits) : '')
    say(
      one.name,
      figure(median(totals(mine)), 3),
      figure(median(totals(theirs)), 3),
      ...ratio(totals(theirs), totals(mine)),
      parts(theirs, mine, 'backend'),
      parts(theirs, mine, 'node'),
      ofWrites(mine.worker, 3),
      ofWrites(theirs.worker, 3),
      ofWrites(mine.wal.records, 1),
      ofWrites(theirs.wal.records, 1),
      ...ratio(mine.rates, theirs.rates),
    )
  })
}
