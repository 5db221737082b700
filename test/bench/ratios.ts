// Measures this checkout alone: each case in turn over HTTP, as the facade's statement, and by pgbench, with its cost.
import type { Case } from './case.ts'
import { byPgbench, hasPgbench, withoutHttp } from './load.ts'
import { eachOf, figure, type Measured, measure, median, type Plan, say } from './rounds.ts'

export async function ratios(all: Measured[], cases: Case[], plan: Plan): Promise<void> {
  const userUrl = (await all[0]?.side.userUrl()) ?? ''
  const pgbench = hasPgbench()
  if (!pgbench) say('pgbench is not installed: the ratios to it are left out.')
  say('', 'a second', '', '', 'http to', '', 'CPU ms', '', '', 'WAL')
  say('', 'http', 'statement', 'pgbench', 'statement', 'pgbench', 'backend', 'node', 'worker', 'records', 'bytes')
  await eachOf(all, cases, async (one) => {
    const rates = { statement: [] as number[], pgbench: [] as number[] }
    const [seen] = await measure(all, one, plan, async (from) => {
      const statement = await withoutHttp(userUrl, one, from, plan.seconds)
      const bench = pgbench ? await byPgbench(userUrl, one, plan.seconds) : Number.NaN
      rates.statement.push(statement.rate)
      rates.pgbench.push(bench)
      return statement.done + Math.round((bench || 0) * Math.ceil(plan.seconds))
    })
    if (!seen) return
    const [http, statement, bench] = [median(seen.rates), median(rates.statement), median(rates.pgbench)]
    const written =
      one.method !== 'GET' ? [figure(seen.worker, 3), figure(seen.wal.records, 1), figure(seen.wal.bytes, 0)] : []
    say(
      one.name,
      ...[http, statement, bench].map((rate) => figure(rate, 0)),
      ...[http / statement, http / bench].map((ratio) => figure(ratio, 2)),
      ...(['backend', 'node'] as const).map((part) => figure(median(seen.cpu.map((cpu) => cpu[part])), 3)),
      ...written,
    )
  })
}
