// A history: what several people asked of an instance and what it answered, with the times. rules.ts checks it.

/** What a request did or what its answer showed. A history doesn't contain what an error undid. */
export type Step =
  /** Gives a cell its next value. A cell is a number that one person writes, such as the version of a biography. */
  | { kind: 'write'; cell: string; value: number }
  | { kind: 'read'; cells: Record<string, number> }
  /** A payment, sent again with its key until it was answered. The answer has `id`, and `left` as the new balance. */
  | { kind: 'pay'; to: string; amount: number; id?: string | undefined; left?: number | undefined }
  /** A payment that was refused for lack of mana. */
  | { kind: 'refused'; amount: number }
  | { kind: 'wallet'; balance: number }
  /** All payments that the person sent, by their ids. */
  | { kind: 'sent'; ids: string[] }
  /** Gives or takes a right, such as 'ben sees ann'. Everybody begins with all rights. */
  | { kind: 'grant' | 'withdraw'; right: string }

export type Entry = {
  by: string
  /** The number of the facade that answered, or was asked last. */
  facade: number
  /** Which server the facade asked, if its answer says so. */
  from?: string | undefined
  /** Milliseconds since the beginning. */
  asked: number
  /** Infinity if no answer came: then it is unknown whether the request ran, and when. */
  answered: number
  step: Step
  /** The rights that `by` must have for this answer to be correct. */
  uses: string[]
}

export type History = readonly Entry[]

const rounded = (time: number) => (time === Infinity ? 'no answer' : `${Math.round(time)} ms`)

/** An entry in one line, for a failed test. */
export const lineOf = ({ by, facade, from, asked, answered, step, uses }: Entry): string =>
  `${rounded(asked)} to ${rounded(answered)}, facade ${facade} from ${from ?? 'a database'}, ${by}: ${JSON.stringify(step)} ${uses.join(', ')}`
