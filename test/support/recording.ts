// Keeps real answers of the HTTP tests: RECORD_ANSWERS=<file> npm test -- test/api. test/support/examples.ts makes the
// examples of the API's description from them.
import { appendFileSync } from 'node:fs'

const file = process.env.RECORD_ANSWERS

/** Adds a success with a JSON body to the file, if answers are recorded. `path` is complete. */
export function record(method: string, path: string, status: number, body: unknown): void {
  if (!file || status >= 300 || typeof body !== 'object' || body === null) return
  appendFileSync(file, `${JSON.stringify({ method, path: path.replace(/\?.*$/, ''), status, body })}\n`)
}
