// Tests the worst-case row counts of requests of the economy. See test/support/bounds.ts.
import { openBounds } from '../../support/bounds.ts'

const { checkBounds, put } = await openBounds()

/** A wallet last updated a day ago, and `size` holds of its person, all settled but `open` of them. */
async function holds(viewer: string, size: number, open: number) {
  await put(`insert into app.mana_accounts (id, kind) values ($1, 'wallet')`, viewer)
  await put(`insert into app.wallets (user_id, last_regen_at) values ($1, now() - interval '1 day')`, viewer)
  await put(
    `with made as (insert into app.mana_accounts (kind, balance)
                   select 'hold', (n <= ${open})::integer from generate_series(1, ${size}) n returning id, balance)
     insert into app.mana_holds (id, holder_id, purpose, settled_at)
     select id, $1, 'order', case when balance = 0 then now() end from made`,
    viewer,
  )
  return { parameters: '' }
}

checkBounds([
  { operation: 'get_wallet', against: 'settled holds', most: 60, scene: (v, size) => holds(v, size, 9) },
  { operation: 'get_wallet', against: 'open holds', most: 150, scene: (viewer, size) => holds(viewer, size, size) },
])
