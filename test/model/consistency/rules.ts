// What must be true of every history, whichever facades and replicas answered. Each rule returns the entries that
// break it.
import type { Entry, History, Step } from './history.ts'
import { type Call, firstWrong, inRealTime, type Precedence } from './order.ts'

type Kind<K extends Step['kind']> = Entry & { step: Step & { kind: K } }
const isKind =
  <K extends Step['kind']>(kind: K) =>
  (entry: Entry): entry is Kind<K> =>
    entry.step.kind === kind

/** A fault: the rule, and the lines or words that show it. */
export type Fault = { rule: string; what: string; entry?: Entry | undefined }

/** The mana that everybody has at first. */
const STARTER = 50

const writesOf = (history: History, cell: string) =>
  history.filter(isKind('write')).filter(({ step }) => step.cell === cell)
const readsOf = (history: History, by: string, cell: string) =>
  history.filter(isKind('read')).filter((entry) => entry.by === by && cell in entry.step.cells)
const peopleOf = (history: History) => [...new Set(history.map(({ by }) => by))]
const unique = (texts: readonly string[]) => [...new Set(texts)]

/** The calls on a cell, from these writes and from one person's reads, each with its entry. */
function callsOn(cell: string, writes: Kind<'write'>[], reads: Kind<'read'>[]): Map<Call, Entry> {
  const set = writes.map((entry): [Call, Entry] => {
    const { by, asked, answered, step } = entry
    return [{ by, asked, answered, act: 'set', value: step.value }, entry]
  })
  const get = reads.map((entry): [Call, Entry] => {
    const { by, asked, answered, step } = entry
    return [{ by, asked, answered, act: 'get', value: 0, seen: step.cells[cell] }, entry]
  })
  return new Map([...set, ...get])
}

function wrongIn(rule: string, what: string, calls: Map<Call, Entry>, start: number, precedes: Precedence): Fault[] {
  const wrong = firstWrong([...calls.keys()], start, precedes)
  if (!wrong) return []
  // a pending call is a copy and has no entry, but firstWrong() returns only answered calls
  return [{ rule, what, entry: calls.get(wrong) }]
}

/** Each person's reads agree with the writes that they themselves did before. The order of reads is the next rule. */
export const readsYourWrites = (history: History): Fault[] =>
  peopleOf(history).flatMap((by) => {
    const own = history.filter(isKind('write')).filter((entry) => entry.by === by)
    return unique(own.map(({ step }) => step.cell)).flatMap((cell) => {
      const calls = callsOn(cell, writesOf(own, cell), readsOf(history, by, cell))
      const precedes: Precedence = (one, other) => inRealTime(one, other) && !(one.act === 'get' && other.act === 'get')
      return wrongIn('reads your writes', cell, calls, 0, precedes)
    })
  })

/** The values of a cell that a person reads were written, and never become older. They may be older than the newest write. */
export const monotonicReads = (history: History): Fault[] =>
  peopleOf(history).flatMap((by) => {
    const own = history.filter(isKind('read')).filter((entry) => entry.by === by)
    return unique(own.flatMap(({ step }) => Object.keys(step.cells))).flatMap((cell) => {
      const calls = callsOn(cell, writesOf(history, cell), readsOf(own, by, cell))
      const precedes: Precedence = (one, other) => inRealTime(one, other) && !(one.act === 'set' && other.act === 'get')
      return wrongIn('monotonic reads', cell, calls, 0, precedes)
    })
  })

/** The calls on one wallet: what its owner paid, got and saw. */
function callsOnWallet(history: History, owner: string): Map<Call, Entry> {
  const calls = new Map<Call, Entry>()
  for (const entry of history) {
    const { by, asked, answered, step } = entry
    const call = { by, asked, answered }
    if (step.kind === 'pay' && by === owner)
      calls.set({ ...call, act: 'add', value: -step.amount, seen: step.left }, entry)
    if (step.kind === 'pay' && step.to === owner) calls.set({ ...call, act: 'add', value: step.amount }, entry)
    if (step.kind === 'refused' && by === owner) calls.set({ ...call, act: 'refused', value: -step.amount }, entry)
    if (step.kind === 'wallet' && by === owner) calls.set({ ...call, act: 'get', value: 0, seen: step.balance }, entry)
  }
  return calls
}

const ownersOf = (history: History) => unique(history.filter(isKind('wallet')).map(({ by }) => by))

/** Each wallet is linearizable: its balances are those of payments that ran one after another, each once. */
export const linearizableWallets = (history: History): Fault[] =>
  ownersOf(history).flatMap((owner) =>
    wrongIn('linearizable wallets', `the wallet of ${owner}`, callsOnWallet(history, owner), STARTER, inRealTime),
  )

/** The last balances add up to what everybody had at first: a history ends with a read of each wallet. */
export function conservedMana(history: History): Fault[] {
  const owners = ownersOf(history)
  const last = new Map(history.filter(isKind('wallet')).map(({ by, step }) => [by, step.balance]))
  const sum = [...last.values()].reduce((total, balance) => total + balance, 0)
  if (sum === STARTER * owners.length) return []
  return [{ rule: 'conserved mana', what: `${sum} instead of ${STARTER * owners.length} in ${owners.length} wallets` }]
}

/** Each acknowledged payment is in its sender's list once. Any other payment in the list was never answered. */
export const paymentsOnce = (history: History): Fault[] =>
  history.filter(isKind('sent')).flatMap((entry) => {
    const paid = history.filter(isKind('pay')).filter(({ by, asked }) => by === entry.by && asked < entry.asked)
    const known = paid.flatMap(({ step }) => step.id ?? [])
    const others = entry.step.ids.filter((id) => !known.includes(id)).length
    const right =
      new Set(known).size === known.length &&
      known.every((id) => entry.step.ids.filter((listed) => listed === id).length === 1) &&
      others <= paid.length - known.length
    return right ? [] : [{ rule: 'payments once', what: `${known.length} were acknowledged`, entry }]
  })

/** No answer uses a right that was taken away longer ago than `lag`, in milliseconds. Money is always read without a lag. */
export const withdrawnRights = (history: History, lag: number): Fault[] => {
  const withdrawn = history.filter(isKind('withdraw'))
  const granted = history.filter(isKind('grant'))
  return history.flatMap((entry) => {
    const bound = isKind('read')(entry) || isKind('sent')(entry) ? lag : 0
    return entry.uses.flatMap((right) => {
      const taken = withdrawn.find(
        (one) =>
          one.step.right === right &&
          one.answered + bound < entry.asked &&
          !granted.some(
            (other) => other.step.right === right && other.answered > one.asked && other.asked < entry.answered,
          ),
      )
      return taken
        ? [{ rule: 'withdrawn rights', what: `${right} ended at ${Math.round(taken.answered)} ms`, entry }]
        : []
    })
  })
}

/** @param lag after how many milliseconds at most every answer respects a withdrawn right */
export const faultsOf = (history: History, lag: number): Fault[] => [
  ...readsYourWrites(history),
  ...monotonicReads(history),
  ...linearizableWallets(history),
  ...conservedMana(history),
  ...paymentsOnce(history),
  ...withdrawnRights(history, lag),
]
