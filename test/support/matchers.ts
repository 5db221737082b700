// What tests say about answers.
import { expect } from 'vitest'

declare module 'vitest' {
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> {
    /** The answer is an error with this status, and with this word in X-Error-Code. */
    toFailWith(status: number, word: string): R
  }
}

expect.extend({
  toFailWith(answer: { status: number; headers: Headers; body: unknown }, status: number, word: string) {
    const actual = { status: answer.status, word: answer.headers.get('x-error-code') }
    return {
      pass: actual.status === status && actual.word === word,
      actual,
      expected: { status, word },
      message: () =>
        `expected ${status} ${word}, got ${actual.status} ${actual.word ?? '(no X-Error-Code)'}: ${JSON.stringify(answer.body)}`,
    }
  },
})
