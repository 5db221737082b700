// Tests the checker of histories itself: it accepts what a correct instance can answer, and rejects every change of
// such a history that breaks a rule.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../support/runs.ts'
import type { Entry, History } from './history.ts'
import { type Call, firstWrong, inRealTime, orderOf } from './order.ts'
import { faultsOf } from './rules.ts'

const numRuns = runs(100, 3000)

/** Whether any order explains the calls. Tries all orders of all subsets that contain the answered calls. */
function hasOrder(left: readonly Call[], value: number): boolean {
  if (left.every(({ answered }) => answered === Infinity)) return true
  return left.some((call) => {
    if (left.some((other) => inRealTime(other, call))) return false
    const now = call.act === 'set' ? call.value : call.act === 'add' ? value + call.value : value
    const fits =
      call.act === 'refused' ? value + call.value < 0 : now >= 0 && (call.seen === undefined || call.seen === now)
    return (
      fits &&
      hasOrder(
        left.filter((other) => other !== call),
        now,
      )
    )
  })
}

const call: fc.Arbitrary<Call> = fc
  .record({
    by: fc.constantFrom('ann', 'ben'),
    asked: fc.nat(20),
    took: fc.oneof({ weight: 5, arbitrary: fc.nat(8) }, { weight: 1, arbitrary: fc.constant(Infinity) }),
    act: fc.constantFrom('set', 'add', 'refused', 'get'),
    value: fc.integer({ min: -2, max: 2 }),
    seen: fc.option(fc.nat(3), { nil: undefined }),
  })
  .map(({ asked, took, act, value, seen, by }) => {
    const known = took < Infinity && act !== 'refused' ? seen : undefined
    return { by, asked, answered: asked + took, act, value: act === 'set' ? Math.abs(value) : value, seen: known }
  })

describe('The search for an order', () => {
  test('agrees with trying all orders', () => {
    const verdicts = new Set<boolean>()
    fc.assert(
      fc.property(fc.array(call, { maxLength: 6 }), (calls) => {
        const found = orderOf(calls, 1)
        verdicts.add(found !== undefined)
        expect(found !== undefined).toBe(hasOrder(calls, 1))
      }),
      { numRuns: 10 * numRuns },
    )
    expect(verdicts.size).toBe(2)
  })

  test('names the first answer that no order explains', () => {
    const get = (asked: number, seen: number): Call => ({
      by: 'ann',
      asked,
      answered: asked + 1,
      act: 'get',
      value: 0,
      seen,
    })
    const set = (asked: number, value: number): Call => ({ by: 'ann', asked, answered: asked + 1, act: 'set', value })
    const calls = [get(0, 0), set(2, 1), get(4, 1), set(6, 2), get(8, 1), get(10, 0), get(12, 2)]
    expect(firstWrong(calls)).toEqual(get(8, 1))
    expect(firstWrong(calls.filter(({ asked }) => asked < 8))).toBeUndefined()
  })

  test('finds the order of a long history', () => {
    const calls = Array.from({ length: 400 }, (_, at): Call => {
      const times = { by: 'ann', asked: at, answered: at + 5 }
      return at % 2 === 0 ? { ...times, act: 'add', value: 1 } : { ...times, act: 'get', value: 0, seen: (at + 1) / 2 }
    })
    expect(orderOf(calls)).toHaveLength(400)
  })
})

test('The search decides that many reads at the same time have no order', () => {
  const times = { by: 'ann', asked: 2, answered: 50 }
  const reads = Array.from({ length: 30 }, (): Call => ({ ...times, act: 'get', value: 0, seen: 1 }))
  const written: Call = { by: 'ann', asked: 0, answered: 1, act: 'set', value: 1 }
  const never: Call = { ...times, act: 'get', value: 0, seen: 5 }
  expect(orderOf([written, ...reads])).toHaveLength(31)
  expect(orderOf([written, ...reads, never])).toBeUndefined()
})

// A correct instance: it runs one event every ten milliseconds. A read may come from an older state, but not from a
// state before what the reader has seen, nor from a state older than LAG.
const LAG = 60
const names = ['ann', 'ben', 'cyd'] as const
const kinds = ['write', 'read', 'read', 'pay', 'wallet', 'grant', 'withdraw'] as const
const event = fc.record({
  who: fc.nat(names.length - 1),
  other: fc.nat(names.length - 1),
  kind: fc.constantFrom(...kinds),
  amount: fc.constantFrom(1, 3, 10, 25, 50),
  early: fc.nat(30),
  late: fc.nat(30),
  stale: fc.nat(10),
  lost: fc.nat(9),
})
type Event = typeof event extends fc.Arbitrary<infer One> ? One : never
type State = { cells: Record<string, number>; wallets: Record<string, number>; rights: Record<string, boolean> }

const bioOf = (name: string) => `bio of ${name}`
const sees = (viewer: string, author: string) => `${viewer} sees ${author}`

function simulate(events: readonly Event[]): Entry[] {
  const cells = Object.fromEntries(names.map((name) => [bioOf(name), 0]))
  const wallets = Object.fromEntries(names.map((name) => [name, 50]))
  let now: State = { cells, wallets, rights: {} }
  /** The state after each event. */
  const states = [now]
  const entries: (Entry & { state: number })[] = []
  const ids: Record<string, string[]> = {}
  const add = (at: number, entry: Omit<Entry, 'facade' | 'uses'> & { uses?: string[] }, state: number) =>
    entries.push({ facade: at % 2, uses: [], ...entry, state })

  for (const [at, { who, other, kind, amount, early, late, stale, lost }] of events.entries()) {
    const [by, whom] = [names[who] ?? '', names[other] ?? '']
    const time = 100 + 10 * at
    const asked = time - early
    const times = { by, asked, answered: lost === 0 && kind !== 'read' && kind !== 'wallet' ? Infinity : time + late }
    if (kind === 'write') {
      const value = (now.cells[bioOf(by)] ?? 0) + 1
      now = { ...now, cells: { ...now.cells, [bioOf(by)]: value } }
      add(at, { ...times, step: { kind, cell: bioOf(by), value } }, at + 1)
    } else if (kind === 'pay' && by !== whom) {
      const left = (now.wallets[by] ?? 0) - amount
      if (left < 0) {
        add(at, { ...times, answered: time + late, step: { kind: 'refused', amount } }, at + 1)
      } else {
        now = { ...now, wallets: { ...now.wallets, [by]: left, [whom]: (now.wallets[whom] ?? 0) + amount } }
        const id = `payment ${at}`
        ids[by] = [...(ids[by] ?? []), id]
        const answer = times.answered < Infinity ? { id, left } : {}
        add(at, { ...times, step: { kind, to: whom, amount, ...answer } }, at + 1)
      }
    } else if (kind === 'wallet') {
      add(at, { ...times, step: { kind, balance: now.wallets[by] ?? 0 } }, at + 1)
    } else if (kind === 'grant' || kind === 'withdraw') {
      // only one person changes a right, one step at a time, as with a block
      now = { ...now, rights: { ...now.rights, [sees(whom, by)]: kind === 'grant' } }
      add(at, { ...times, step: { kind, right: sees(whom, by) } }, at + 1)
    } else if (kind === 'read') {
      const position = Math.max(
        0,
        ...entries.filter((one) => one.by === by && one.answered < asked).map((one) => one.state),
      )
      const bound = Math.max(0, ...entries.filter((one) => one.answered < asked - LAG).map((one) => one.state))
      const state = Math.max(position, bound, at - stale)
      const from = states[state] as State
      const uses = from.rights[sees(by, whom)] === false ? [] : [sees(by, whom)]
      const seen = uses.length > 0 || by === whom ? { [bioOf(whom)]: from.cells[bioOf(whom)] ?? 0 } : {}
      add(at, { ...times, step: { kind, cells: seen }, uses }, state)
    }
    states.push(now)
  }
  const end = 1000 + 10 * events.length
  for (const by of names) {
    const times = { by, asked: end, answered: end + 10 }
    add(0, { ...times, step: { kind: 'wallet', balance: now.wallets[by] ?? 0 } }, events.length)
    add(0, { ...times, step: { kind: 'sent', ids: ids[by] ?? [] } }, events.length)
  }
  return entries.map(({ state: _, ...entry }) => entry)
}
const events = fc.array(event, { minLength: 20, maxLength: 60 })
const history = events.map(simulate)
/** Every request was answered, because a request without an answer can explain many answers to others. */
const answered = events.map((all) => simulate(all.map((one) => ({ ...one, lost: 1 }))))

/** The rules that a history breaks. */
const broken = (entries: History) => [...new Set(faultsOf(entries, LAG).map(({ rule }) => rule))]

/** An entry of the history with another step. */
type Change = { entry: Entry; step: Entry['step'] }
const changed = (entries: History, { entry, step }: Change): History =>
  entries.map((one) => (one === entry ? { ...entry, step } : one))

/** Tries a change of random histories that must break a rule. `find` returns nothing if the change can't be made. */
function rejects(rule: string, find: (entries: Entry[]) => Change | undefined): void {
  let tried = 0
  fc.assert(
    fc.property(answered, (entries) => {
      const change = find(entries)
      fc.pre(change !== undefined)
      tried++
      expect(broken(changed(entries, change))).toContain(rule)
    }),
    { numRuns, maxSkipsPerRun: 1000 },
  )
  expect(tried).toBeGreaterThanOrEqual(numRuns)
}

describe('The rules', () => {
  test('accept what a correct instance answers', () => {
    fc.assert(
      fc.property(history, (entries) => {
        expect(faultsOf(entries, LAG)).toEqual([])
      }),
      { numRuns },
    )
  })

  test('reject a read that misses what its reader wrote before', () => {
    rejects('reads your writes', (entries) => {
      for (const entry of entries) {
        const { by, step } = entry
        const cell = bioOf(by)
        if (step.kind !== 'read' || !(cell in step.cells)) continue
        const written = entries.some((one) => one.by === by && one.step.kind === 'write' && one.answered < entry.asked)
        if (written) return { entry, step: { kind: 'read', cells: { [cell]: 0 } } }
      }
      return
    })
  })

  test('reject a read that is older than the one before', () => {
    rejects('monotonic reads', (entries) => {
      const reads = entries.filter(({ step }) => step.kind === 'read')
      for (const entry of reads) {
        const before = reads.filter(({ by, answered }) => by === entry.by && answered < entry.asked)
        for (const { step } of before) {
          const [cell] = step.kind === 'read' ? Object.keys(step.cells) : []
          const seen = cell && step.kind === 'read' ? (step.cells[cell] ?? 0) : 0
          if (cell && seen > 0) return { entry, step: { kind: 'read', cells: { [cell]: 0 } } }
        }
      }
      return
    })
  })

  test('reject a value that nobody wrote', () => {
    rejects('monotonic reads', (entries) => {
      const entry = entries.find(({ step }) => step.kind === 'read')
      return entry && { entry, step: { kind: 'read', cells: { [bioOf('ann')]: 1000 } } }
    })
  })

  test('reject a balance that no order of the payments leaves', () => {
    rejects('linearizable wallets', (entries) => {
      const entry = entries.find(({ step }) => step.kind === 'pay')
      if (entry?.step.kind !== 'pay') return
      return { entry, step: { ...entry.step, left: (entry.step.left ?? 0) - 1000 } }
    })
  })

  test('reject a lost update that shows only in the last balance', () => {
    const lose = (entries: Entry[]): Change | undefined => {
      const entry = entries.findLast(({ step }) => step.kind === 'wallet')
      if (entry?.step.kind !== 'wallet') return
      return { entry, step: { kind: 'wallet', balance: entry.step.balance + 1000 } }
    }
    rejects('conserved mana', lose)
    rejects('linearizable wallets', lose)
  })

  test('reject a payment that is listed twice, one that is not listed, and one that nobody sent', () => {
    const list = (ids: (before: string[]) => string[]) => (entries: Entry[]) => {
      const entry = entries.find(({ step, by }) => {
        const all = entries.filter((one) => one.by === by && one.step.kind === 'pay')
        return step.kind === 'sent' && all.length > 0
      })
      return entry?.step.kind === 'sent' ? { entry, step: { ...entry.step, ids: ids(entry.step.ids) } } : undefined
    }
    rejects(
      'payments once',
      list(([id = '', ...rest]) => [id, id, ...rest]),
    )
    rejects(
      'payments once',
      list((ids) => ids.slice(1)),
    )
    rejects(
      'payments once',
      list((ids) => [...ids, 'payment of nobody']),
    )
  })

  test('reject an answer that needs a right taken longer ago than the lag, and accept an earlier answer', () => {
    const entry = (by: string, asked: number, step: Entry['step'], uses: string[] = []): Entry => ({
      ...{ by, facade: 0, asked, answered: asked + 5, step, uses },
    })
    const right = sees('ben', 'ann')
    const withdrawn = entry('ann', 100, { kind: 'withdraw', right })
    const granted = entry('ann', 300, { kind: 'grant', right })
    const read = (asked: number) => entry('ben', asked, { kind: 'read', cells: {} }, [right])
    const rule = 'withdrawn rights'
    expect(broken([withdrawn, read(105 + LAG)])).toEqual([])
    expect(broken([withdrawn, read(106 + LAG)])).toEqual([rule])
    expect(broken([withdrawn, granted, read(290)])).toEqual([rule])
    expect(broken([withdrawn, granted, read(296)])).toEqual([])
    // a withdrawal without an answer may never have run
    expect(broken([{ ...withdrawn, answered: Infinity }, read(200)])).toEqual([])
    const wallet = entry('ben', 106, { kind: 'wallet', balance: 50 }, [right])
    expect(broken([withdrawn, wallet])).toEqual([rule])
  })
})
