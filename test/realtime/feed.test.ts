// How the gateway reads what is committed. See docs/decisions.md, Realtime.
import { test } from 'vitest'
import { realtimeWorld } from '../support/realtime.ts'
import { until } from '../support/until.ts'

const { database, broadcast } = await realtimeWorld({ people: ['alice'] })

type Told = { all: boolean; at: number; written: string }
/** Whether the server knows that everything up to `place` was read, when it was last told, and where the log ends. */
async function told(place: string): Promise<Told> {
  const [row] = await database.superuser<[Told]>`
    select s.confirmed_flush_lsn >= ${place}::pg_lsn as all, extract(epoch from r.reply_time)::float8 as at,
           pg_current_wal_insert_lsn()::text as written
    from pg_replication_slots s join pg_stat_replication r on r.pid = s.active_pid
    where s.database = current_database()`
  return row
}
/** Much less than the 30 seconds after which the server requests a confirmation by itself. */
const soon = { timeout: 5000 }

test('The gateway confirms what it has read immediately, which makes the server check for missed commits', async () => {
  await broadcast('feed:public', { id: 'read' })
  const [row] = await database.owner<[{ place: string }]>`select pg_current_wal_insert_lsn()::text as place`
  await until(async () => (await told(row.place)).all, soon)
})

test('The gateway confirms repeatedly even while nobody writes', { timeout: 30_000 }, async () => {
  let written = ''
  const times = new Set<number>()
  const isToldAgain = async () => {
    const now = await told('0/0')
    if (now.written !== written) times.clear()
    written = now.written
    return times.add(now.at).size > 2 // the second confirmation may be about the last write
  }
  // Other tests write to the same server; without the gateway the third confirmation would take a minute
  await until(isToldAgain, { timeout: 25_000 })
})
