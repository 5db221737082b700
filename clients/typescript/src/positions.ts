const NAME = 'x-read-position'
/** The most positions that the instance accepts in one request. */
const MOST = 20

/**
 * What this client has seen of the instance. The instance says it in each answer, and gets it back with the next request,
 * so that no answer shows an older state than the answers before it.
 */
export class Positions {
  /** Those that no other one includes. Requests that run at the same time each bring one. */
  #held: ReadonlySet<string> = new Set()

  /** Sets the header of a request. @returns what takes the answer to it */
  send(headers: Headers): (answer: Response) => void {
    const sent = this.#held
    headers.delete(NAME)
    // without the header the instance answers from its newest state
    if (sent.size > 0 && sent.size <= MOST) headers.set(NAME, [...sent].join(','))
    return (answer) => {
      const position = answer.headers.get(NAME)
      // the position in the answer includes all positions that were held when the request was sent
      if (position !== null) this.#held = new Set([...[...this.#held].filter((one) => !sent.has(one)), position])
    }
  }
}
