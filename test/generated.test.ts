// Generated files are up to date with their sources. `npm run gen` and `npm run db:build` regenerate them.
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { expect, test } from 'vitest'
import { answersText } from '../api-facade/lib/answers.ts'
import { variableNames } from '../api-facade/lib/config.ts'
import { loadTables } from '../api-facade/lib/features.ts'
import { openApiText } from '../api-facade/lib/openapi.ts'
import { rateLimitsPage } from '../api-facade/lib/pages.ts'
import { scopesSql } from '../api-facade/lib/scopes.ts'
import { missingMigrations } from '../supabase/tools/compare.ts'
import { emojiPath, emojiSql } from '../supabase/tools/emoji.ts'
import { formatted } from '../supabase/tools/format.ts'
import { generated } from '../supabase/tools/generate.ts'
import { baselinePath, isBaselineRight, isFrozen, schemaFiles } from '../supabase/tools/schema.ts'
import { createDatabase } from './support/database.ts'

const { url } = await createDatabase()

test('The baseline migration is generated from the current sql/ and policies/, or is the frozen one', () => {
  expect(isBaselineRight(), isFrozen() ? 'put the baseline back' : 'run npm run db:build').toBe(true)
})

test('The migrations give the schema that sql/ and policies/ declare', async () => {
  if (isFrozen()) expect(await missingMigrations()).toEqual([])
  else expect(readdirSync(dirname(baselinePath))).toEqual([basename(baselinePath)])
}, 240_000)

test('The scopes of operations are those of the routes', async () => {
  expect(readFileSync('sql/generated/40_scopes.sql', 'utf8') === scopesSql(await loadTables()), 'run npm run gen').toBe(
    true,
  )
})

test('The emoji are those of the installed package', () => {
  expect(readFileSync(emojiPath, 'utf8') === emojiSql(), 'run npm run db:build').toBe(true)
})

test('schema_paths has every file of sql/ and policies/, policies after their feature and generated files last', () => {
  const files = schemaFiles()
  expect(new Set(files).size).toBe(files.length)
  const rooms = files.map((file) => /^(sql|policies)\/(\w+)/.exec(file)).map((found) => [found?.[2], found?.[1]])
  for (const [at, [feature, room]] of rooms.entries()) {
    const next = rooms[at + 1]
    if (room === 'policies') expect(next?.[0]).not.toBe(feature)
    else expect(next?.[0], `what follows ${files[at]}`).toBe(next || feature !== 'generated' ? feature : undefined)
  }
})

test('The error codes and operations are those of the schema', async () => {
  for (const [path, text] of Object.entries(await generated(url))) {
    expect(readFileSync(path, 'utf8') === text, `${path}: run npm run gen`).toBe(true)
  }
})

test('The answers of operations are those that the routes declare', async () => {
  const text = formatted(answersText(await loadTables()))
  expect(readFileSync('api-facade/generated/answers.ts', 'utf8') === text, 'run npm run gen').toBe(true)
})

test('openapi.json is generated from the current routes', async () => {
  expect(readFileSync('api-facade/openapi.json', 'utf8') === openApiText(await loadTables()), 'run npm run gen').toBe(
    true,
  )
})

test('docs/rate-limits.md is generated from the current limits and routes', async () => {
  expect(readFileSync('docs/rate-limits.md', 'utf8') === rateLimitsPage(await loadTables()), 'run npm run gen').toBe(
    true,
  )
})

test('docs/configuration.md lists every variable that the configuration reads, and no other', () => {
  const text = readFileSync('docs/configuration.md', 'utf8')
  const listed = text.split('\n').flatMap((line) => {
    const [, cell = ''] = /^\| (`[A-Z].*?) \|/.exec(line) ?? []
    return [...cell.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name)
  })
  expect(listed.sort()).toEqual([...variableNames, 'NODE_COMPILE_CACHE', 'NODE_OPTIONS', 'MALLOC_ARENA_MAX'].sort())
})
