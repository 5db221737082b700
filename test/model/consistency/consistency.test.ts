// Several people write and read at random through two facades, which read from two replicas. Meanwhile replicas apply
// the log late, stop or are killed, facades are killed, and the primary is killed and a replica promoted. The histories
// of all answers must keep the rules of rules.ts. Faults made on purpose show that the checker finds them. A failing
// history prints its seed; CONSISTENCY_SEED repeats what people do, though not the order in which requests run.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NOWHERE } from '../../failover/drill.ts'
import { runs } from '../../support/runs.ts'
import type { History } from './history.ts'
import { lineOf } from './history.ts'
import { MAX_LAG, startInstance } from './instance.ts'
import {
  conservedMana,
  type Fault,
  faultsOf,
  linearizableWallets,
  paymentsOnce,
  readsYourWrites,
  withdrawnRights,
} from './rules.ts'
import { runTraffic, type Traffic } from './traffic.ts'

const SEED = Number(process.env.CONSISTENCY_SEED ?? runs(35, Date.now() % 1_000_000))
const HISTORIES = runs(1, 30)
/** The number of requests in each of a person's concurrent sequences. */
const LENGTH = runs(60, 200)
/** Milliseconds. */
const BOUND = MAX_LAG * 1000

const instance = await startInstance()
const { superuser, replicas } = instance
const [one, other] = replicas
const facades = await instance.startFacades()

const faults = (history: History) =>
  faultsOf(history, BOUND).map(({ rule, what, entry }) => `${rule}: ${what}${entry ? `, ${lineOf(entry)}` : ''}`)

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
  () => instance.failOver(),
]

for (const seed of Array.from({ length: HISTORIES }, (_, at) => SEED + at)) {
  test(`People see their own writes, and no read is older than the one before: history ${seed}`, async () => {
    const all = disturbances.length
    const [order = []] = fc.sample(fc.shuffledSubarray(disturbances, { minLength: all }), { seed, numRuns: 1 })
    const disturb: Traffic['disturb'] = async (reached) => {
      for (const [at, happens] of order.entries()) {
        await reached((at + 1) / (all + 1))
        await happens()
      }
    }
    const history = await runTraffic({ facades, seed, length: LENGTH, disturb })
    await calm()
    expect(faults(history)).toEqual([])
    // the history contains what the rules are about
    const kinds = history.map(({ step }) => step.kind)
    expect(kinds).toEqual(expect.arrayContaining(['write', 'read', 'pay', 'wallet', 'sent', 'grant', 'withdraw']))
    const places = history.map(({ from }) => from?.split(/\W/)[0])
    expect(places).toEqual(expect.arrayContaining(['primary', 'replica']))
    expect([...(await superuser`select * from private.audit_mana()`)]).toEqual([])
  })
}

/** Both replicas are at the end of the log. */
async function calm(): Promise<void> {
  await Promise.all(replicas.map(({ resume }) => resume()))
  await Promise.all(replicas.map(({ setDelay }) => setDelay(0)))
  await instance.caughtUp()
}

type Planted = Omit<Traffic, 'seed' | 'length'> & { delay?: number; length?: number }
let planted = 0

/**
 * One of a few histories breaks the rule. Soon after its begin the replicas apply the log by `delay` ms late, unless
 * `disturb` does something else.
 */
async function finds(
  rule: (history: History) => Fault[],
  { delay = 0, length = 60, ...options }: Planted,
): Promise<void> {
  // The replicas become slow only later, because a reader stays with a replica that becomes slow but never chooses a
  // slow one.
  const slowDown: Traffic['disturb'] = async (reached) => {
    await reached(0.1)
    for (const replica of replicas) await replica.setDelay(delay)
  }
  for (let turn = 1; ; turn++) {
    const seed = SEED + 1000 * ++planted
    const found = rule(await runTraffic({ disturb: slowDown, ...options, length, seed }))
    await calm()
    if (found.length > 0) return
    if (turn === 3) throw new Error('no history breaks the rule')
  }
}

/** Changes a function while `work` runs. Each replaced text must be in the function. */
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
    await instance.caughtUp()
  }
}

/** Reads at one facade and writes at the other. */
const apart = (isRead: boolean) => (isRead ? 1 : 0)

/** A function of PostgreSQL that says how far a replica is: meanwhile it gives the value of this SQL expression. */
const boasting = (name: string, expression: string, work: () => Promise<void>) =>
  redefined(
    `pg_catalog.${name}()`,
    [
      ['LANGUAGE internal', 'LANGUAGE sql'],
      [' STRICT', ''], // otherwise a statement can still call the function that is built in
      [`$function$${name}$function$`, `$function$select ${expression}$function$`],
    ],
    work,
  )
/** A replica says meanwhile that it has applied whatever it has received. */
const hasty = (work: () => Promise<void>) => boasting('pg_last_wal_replay_lsn', 'pg_last_wal_receive_lsn()', work)

test('The checker finds a replica that ignores what the person has seen', () =>
  hasty(() => finds(readsYourWrites, { facades, delay: 500 })))

test('The checker finds a replica that is used beyond the lag', () =>
  hasty(() => finds((history) => withdrawnRights(history, BOUND), { facades, delay: 6000, length: 400 })))

test('The checker finds that a standby was promoted which was behind', async () => {
  const disturb: Traffic['disturb'] = async (reached) => {
    await reached(0.2)
    await one.cutOff()
    await reached(0.6)
    await instance.failOver(true)
  }
  // a standby that was cut off claims to have received most
  const received = `case current_setting('primary_conninfo') when '${NOWHERE}' then 'FFFFFFFF/FFFFFFFF'::pg_lsn
    else pg_last_wal_replay_lsn() end`
  await boasting('pg_last_wal_receive_lsn', received, () => finds(paymentsOnce, { facades, disturb }))
})

test('The checker finds a position that is lost between facades', async () => {
  // each facade believes that it is alone
  const alone = await instance.startFacades({ RATE_LIMIT_STORE: 'memory' })
  await finds(readsYourWrites, { facades: alone, carries: false, facadeOf: apart, delay: 200 })
  await alone.stop()
})

test('The checker finds a payment that is counted twice', async () => {
  const amount = 'p_id, m.account, m.amount'
  const twice = `${amount} * case p_kind when 'payment' then 2 else 1 end`
  await redefined('private.move(text,uuid[],integer[],uuid,uuid)', [[amount, twice]], () =>
    finds(linearizableWallets, { facades }),
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
  await redefined('private.book_entry()', changes, () => finds(conservedMana, { facades }))
})
