// Every pgTAP file under test/db, and every assertion in it as a test.
import { globSync, readFileSync } from 'node:fs'
import { afterAll, describe, test } from 'vitest'
import { createDatabase } from './support/database.ts'
import { openPgtap, runPgtap } from './support/pgtap.ts'

const { url } = await createDatabase()
const sql = await openPgtap(url)
afterAll(() => sql.end())

// PGTAP=db/posts/polls.sql runs only that file
for (const file of globSync(process.env.PGTAP ?? 'db/**/*.sql', { cwd: import.meta.dirname }).sort()) {
  const verdicts = await runPgtap(sql, readFileSync(`${import.meta.dirname}/${file}`, 'utf8'))
  describe(`test/${file}`, () => {
    for (const { name, ok, message } of verdicts) {
      test(name, () => {
        // without a stack: the message names the line in the SQL file
        if (!ok) throw Object.assign(new Error(message), { stack: `test/${file}` })
      })
    }
  })
}
