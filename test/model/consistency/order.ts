// Decides whether calls on one number could have run one after another: a linearizability checker for a cell with one
// number. It is the search of Wing and Gong (1993), which remembers what it has tried as Lowe (2017) does. npm has no
// library for this.

/** A call on the number. Times are milliseconds of one clock. */
export type Call = {
  by: string
  asked: number
  /** Infinity if no answer came: then it is unknown whether the call ran, and when. */
  answered: number
  /** `refused` is an `add` that was refused because the number would have become negative. */
  act: 'set' | 'add' | 'refused' | 'get'
  /** What was written, added or refused; 0 for `get`. */
  value: number
  /** The number that the answer contained, if it contained one. */
  seen?: number | undefined
}

/** The number after the call. Undefined if the call could not have had this answer. */
function after(before: number, { act, value, seen }: Call): number | undefined {
  if (act === 'refused') return before + value < 0 ? before : undefined
  const now = act === 'set' ? value : act === 'add' ? before + value : before
  if (now < 0) return
  return seen === undefined || seen === now ? now : undefined
}

const changesNothing = ({ act }: Call): boolean => act === 'get' || act === 'refused'

/** Whether `one` must run before `other`: by default, if its answer came before the other was asked. */
export type Precedence = (one: Call, other: Call) => boolean
export const inRealTime: Precedence = (one, other) => one.answered < other.asked

/** How many states a search may try. A history that needs more is too long for a test. */
const LIMIT = 1_000_000

/**
 * An order in which the calls could have run, without calls that were not answered and need not have run. Undefined if
 * there is no such order. @throws Error if LIMIT states don't suffice to decide this
 */
export function orderOf(calls: readonly Call[], start = 0, precedes: Precedence = inRealTime): Call[] | undefined {
  // most calls ran in the order of their answers
  const all = [...calls].sort((one, other) => one.answered - other.answered || one.asked - other.asked)
  const bit = (at: number) => 1n << BigInt(at)
  const bits = (chosen: (call: Call) => boolean) =>
    all.reduce((sum, call, at) => (chosen(call) ? sum | bit(at) : sum), 0n)
  const before = all.map((call) => bits((other) => precedes(other, call)))
  const required = bits(({ answered }) => answered < Infinity)
  const tried = new Set<string>()

  /** @param done the calls that ran already, as bits */
  function search(done: bigint, value: number): Call[] | undefined {
    if ((required & ~done) === 0n) return []
    const state = `${done.toString(36)} ${value}`
    if (tried.has(state)) return
    if (tried.size >= LIMIT) throw new Error(`${all.length} calls on one number are too many to find their order`)
    tried.add(state)
    const next = [...all.entries()].filter(([at]) => (done & bit(at)) === 0n && ((before[at] ?? 0n) & ~done) === 0n)
    // a call that changes nothing and fits now can run now, whatever comes later: only the others are tried in turn
    const still = next.find(([, call]) => changesNothing(call) && after(value, call) === value)
    for (const [at, call] of still ? [still] : next) {
      const now = after(value, call)
      const rest = now === undefined ? undefined : search(done | bit(at), now)
      if (rest) return [call, ...rest]
    }
    return
  }
  return search(0n, start)
}

/** The calls as they were known when `now` was answered: later answers are missing. */
const knownAt = (calls: readonly Call[], now: number): Call[] =>
  calls
    .filter(({ asked }) => asked < now)
    .map((call) => (call.answered > now ? { ...call, answered: Infinity, seen: undefined } : call))
    // a call that changes nothing and has no answer does not limit the order
    .filter((call) => call.answered < Infinity || !changesNothing(call))

/** The first answer that no order explains. Undefined if an order explains all answers. */
export function firstWrong(calls: readonly Call[], start = 0, precedes: Precedence = inRealTime): Call | undefined {
  if (orderOf(calls, start, precedes)) return
  const answered = calls.filter((call) => call.answered < Infinity).sort((one, other) => one.answered - other.answered)
  // binary search: calls that no order explains are not explained by further answers either
  let [low, high] = [0, answered.length - 1]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (orderOf(knownAt(calls, answered[middle]?.answered ?? 0), start, precedes)) low = middle + 1
    else high = middle
  }
  return answered[low]
}
