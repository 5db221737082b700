// Several people write and read at random through two facades, which read from two replicas. Meanwhile replicas apply
// the log late, stop or are killed, and facades are killed. The histories of all answers must keep the rules of
// rules.ts. Faults made on purpose show that the checker finds them. A failing history prints its seed;
// CONSISTENCY_SEED repeats what people do, though not the order in which requests run.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../support/runs.ts'
import type { History } from './history.ts'
import { lineOf } from './history.ts'
import { MAX_LAG, startInstance } from './instance.ts'
import { faultsOf } from './rules.ts'
import { runTraffic, type Traffic } from './traffic.ts'

const SEED = Number(process.env.CONSISTENCY_SEED ?? runs(35, Date.now() % 1_000_000))
const HISTORIES = runs(1, 30)
/** How many requests each lane of a person sends. */
const LENGTH = runs(60, 200)

const instance = await startInstance()
const { superuser, replicas } = instance
const [one, other] = replicas as [(typeof replicas)[0], (typeof replicas)[0]]
const facades = await instance.startFacades()

const faults = (history: History) =>
  faultsOf(history, MAX_LAG * 1000).map(
    ({ rule, what, entry }) => `${rule}: ${what}${entry ? `, ${lineOf(entry)}` : ''}`,
  )

/** What happens to the servers while people write and read. */
const disturbances: (() => Promise<void>)[] = [
  () => one.setDelay(300),
  () => other.setDelay(2000),
  () => other.setDelay(0),
  () => one.pause(),
  () => one.resume(),
  () => one.kill(),
  () => facades.kill(0),
  () => facades.kill(1),
]

for (const seed of Array.from({ length: HISTORIES }, (_, at) => SEED + at)) {
  test(`People see their own writes, and nothing goes back: history ${seed}`, async () => {
    const all = disturbances.length
    const [order = []] = fc.sample(fc.shuffledSubarray(disturbances, { minLength: all }), { seed, numRuns: 1 })
    const disturb: Traffic['disturb'] = async (reached) => {
      for (const [at, happens] of order.entries()) {
        await reached((at + 1) / (all + 1))
        await happens()
      }
    }
    const history = await runTraffic({ facades, seed, length: LENGTH, disturb })
    await Promise.all([...replicas.map(({ resume }) => resume()), ...replicas.map(({ setDelay }) => setDelay(0))])
    expect(faults(history)).toEqual([])
    const steps = new Set(history.map(({ step }) => step.kind))
    expect(steps).toEqual(new Set(['write', 'read', 'pay', 'refused', 'wallet', 'sent', 'grant', 'withdraw']))
    const places = new Set(history.map(({ from }) => from?.split(';')[0]))
    expect(places).toEqual(new Set([undefined, 'primary', 'replica 1', 'replica 2']))
    expect([...(await superuser`select * from private.audit_mana()`)]).toEqual([])
  })
}

/** Whether one of a few histories breaks the rule. */
async function finds(rule: string, options: Omit<Traffic, 'seed' | 'length'>): Promise<void> {
  for (let turn = 1; ; turn++) {
    const found = faults(await runTraffic({ ...options, length: 60, seed: SEED + 1000 * planted++ }))
    if (found.some((fault) => fault.startsWith(`${rule}: `))) return
    if (turn === 3) expect(found, 'no history breaks the rule').toContain(rule)
  }
}
let planted = 1

/** Changes a function while `work` runs. Each text must be in it. */
async function redefined(name: string, changes: [string, string][], work: () => Promise<void>): Promise<void> {
  const [row] = await superuser<[{ text: string }]>`select pg_get_functiondef(${name}::regprocedure) as text`
  const changed = changes.reduce((text, [from, to]) => {
    expect(text).toContain(from)
    return text.replaceAll(from, to)
  }, row.text)
  await superuser.unsafe(changed)
  await instance.caughtUp()
  try {
    await work()
  } finally {
    await superuser.unsafe(row.text)
  }
}

test('The checker finds a replica that ignores what the person has seen', async () => {
  // it says that it has applied whatever it has received
  const changes: [string, string][] = [
    ['LANGUAGE internal', 'LANGUAGE sql'],
    ['$function$pg_last_wal_replay_lsn$function$', '$function$select pg_last_wal_receive_lsn()$function$'],
  ]
  await redefined('pg_catalog.pg_last_wal_replay_lsn()', changes, async () => {
    for (const replica of replicas) await replica.setDelay(500)
    await finds('reads your writes', { facades })
  })
  for (const replica of replicas) await replica.setDelay(0)
})

test('The checker finds that a position is lost between facades', async () => {
  // each facade believes that it is alone
  const alone = await instance.startFacades({ RATE_LIMIT_STORE: 'memory' })
  for (const replica of replicas) await replica.setDelay(200)
  await finds('reads your writes', { facades: alone, header: null, facadeOf: (isRead) => (isRead ? 1 : 0) })
  for (const replica of replicas) await replica.setDelay(0)
  await alone.stop()
})

test('The checker finds a payment that is counted twice', async () => {
  const amount = 'p_id, m.account, m.amount'
  const twice = `${amount} * case p_kind when 'payment' then 2 else 1 end`
  await redefined('private.move(text,uuid[],integer[],uuid,uuid)', [[amount, twice]], () =>
    finds('linearizable wallets', { facades }),
  )
})

test('The checker finds a lost update of a wallet', async () => {
  const changes: [string, string][] = [
    ['declare', 'declare v_stale app.wallets := (select w from app.wallets w where w.user_id = new.account_id);'],
    ['perform private.settle(new.account_id);', 'perform pg_sleep(0.05);'],
    ['set balance = balance + new.amount,', 'set balance = v_stale.balance + new.amount,'],
    ['lifetime_earned = lifetime_earned +', 'lifetime_earned = v_stale.lifetime_earned +'],
    ['lifetime_spent = lifetime_spent -', 'lifetime_spent = v_stale.lifetime_spent -'],
  ]
  await redefined('private.book_entry()', changes, () => finds('conserved mana', { facades }))
})
