// How the gateway reads what is committed. See docs/decisions.md, Realtime.
import postgres from 'postgres'
import { describe, test } from 'vitest'
import { startFeed } from '../../supabase/embedded/realtime/feed.ts'
import { bareServer } from '../support/bare.ts'
import { realtimeWorld } from '../support/realtime.ts'
import { until } from '../support/until.ts'

const { database, broadcast } = await realtimeWorld({ people: ['alice'] })

/** Whether the server knows that everything up to `place` was read. */
async function isConfirmed(place: string): Promise<boolean> {
  const [row] = await database.superuser<[{ confirmed: boolean }]>`
    select confirmed_flush_lsn >= ${place}::pg_lsn as confirmed from pg_replication_slots
    where database = current_database()`
  return row.confirmed
}
/** Much less than the 30 seconds after which the server requests a confirmation by itself. */
const soon = { timeout: 5000 }

test('The gateway confirms what it has read immediately, which makes the server check for missed commits', async () => {
  await broadcast('feed:public', { id: 'read' })
  const [row] = await database.owner<[{ place: string }]>`select pg_current_wal_insert_lsn()::text as place`
  await until(() => isConfirmed(row.place), soon)
})

describe('The gateway', async () => {
  // A server of its own, because other tests write to the shared one
  const server = await bareServer('quiet')

  test('confirms repeatedly even while nobody writes', async () => {
    await server.start({ wal_level: 'logical' })
    const sql = postgres(server.url(), { max: 1 })
    await sql`create publication supabase_realtime_messages_publication`
    const feed = await startFeed({ databaseUrl: server.url(), onRow: () => {}, onLost: () => {} })
    try {
      let written = ''
      const times = new Set<number>()
      const isToldAgain = async () => {
        const [now] = await sql<[{ at: number; written: string }]>`
          select extract(epoch from reply_time)::float8 as at, pg_current_wal_insert_lsn()::text as written
          from pg_stat_replication`
        if (now.written !== written) times.clear()
        written = now.written
        return times.add(now.at).size > 2 // the second confirmation may be about the last write
      }
      await until(isToldAgain, soon)
    } finally {
      await feed.stop()
      await sql.end()
    }
  })
})
