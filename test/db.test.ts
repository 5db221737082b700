// Every pgTAP file under test/db, and every assertion in it as a test.
import { globSync, readFileSync } from 'node:fs'
import { afterAll, describe, test } from 'vitest'
import { createDatabase } from './support/database.ts'
import { connectPgtap, openPgtap, runPgtap } from './support/pgtap.ts'

/**
 * After so many files the next one has a new session. A session keeps the plans of all functions that it has called, and
 * looks through them whenever a test changes a table: one session for all files took a quarter more CPU.
 */
const FILES_OF_A_SESSION = 20

const { url } = await createDatabase()
let sql = await openPgtap(url)
afterAll(() => sql.end())

// PGTAP=db/posts/polls.sql runs only that file
const files = globSync(process.env.PGTAP ?? 'db/**/*.sql', { cwd: import.meta.dirname }).sort()
for (const [at, file] of files.entries()) {
  if (at > 0 && at % FILES_OF_A_SESSION === 0) {
    await sql.end()
    sql = connectPgtap(url)
  }
  const verdicts = await runPgtap(sql, readFileSync(`${import.meta.dirname}/${file}`, 'utf8'))
  describe(`test/${file}`, () => {
    for (const { name, ok, message } of verdicts) {
      test(name, () => {
        // the stack is left out, because the message names the line in the SQL file
        if (!ok) throw Object.assign(new Error(message), { stack: `test/${file}` })
      })
    }
  })
}
