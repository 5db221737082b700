// Matchers for answers.
import { expect } from 'vitest'

declare module 'vitest' {
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> {
    /** The answer is an error with this status, and this code in X-Error-Code. */
    toFailWith(status: number, code: string): R
  }
}

expect.extend({
  toFailWith(answer: { status: number; headers: Headers; body: unknown }, status: number, code: string) {
    const actual = { status: answer.status, code: answer.headers.get('x-error-code') }
    return {
      pass: actual.status === status && actual.code === code,
      actual,
      expected: { status, code },
      message: () =>
        `expected ${status} ${code}, got ${actual.status} ${actual.code ?? '(no X-Error-Code)'}: ${JSON.stringify(answer.body)}`,
    }
  },
})
