// docs/limits.md states the worst-case row count of every operation.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { root } from '../../supabase/tools/schema.ts'
import { createDatabase } from '../support/database.ts'

const { owner } = await createDatabase()

test('docs/limits.md has every operation exactly once', async () => {
  const rows = readFileSync(`${root}/docs/limits.md`, 'utf8').matchAll(/^\| (`[a-z_]+`(?:, `[a-z_]+`)*) \|/gm)
  const named = [...rows].flatMap(([, names = '']) => [...names.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name))
  const operations = await owner<{ name: string }[]>`
    select proname as name from pg_proc where pronamespace = 'api'::regnamespace order by 1`
  expect(named.sort()).toEqual(operations.map(({ name }) => name))
})
