// `npm run new`: in a copy of the repository it writes a feature, and the copy's own tests pass with it.
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { addFeature, namesOf, unusedTemplates } from '../supabase/tools/new.ts'
import { root } from '../supabase/tools/schema.ts'

const left = ['.git', '.data', 'node_modules']
const folder = mkdtempSync(join(tmpdir(), 'kith-new-'))
cpSync(root, folder, { recursive: true, filter: (path) => !left.includes(basename(path)) })
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
afterAll(() => rmSync(folder, { recursive: true }))

// the inner run gets none of the outer run's settings; the cache only spares it from compiling again
const { PATH = '', HOME = '', NODE_COMPILE_CACHE } = process.env
const env = { PATH, HOME, CI: 'true', ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) }
const node = (args: string[], more: Record<string, string> = {}) =>
  promisify(execFile)(process.execPath, args, { cwd: folder, env: { ...env, ...more }, maxBuffer: 1 << 26 }).catch(
    (error: { stdout: string; stderr: string }) => {
      throw new Error(`${args.join(' ')}\n${error.stdout}\n${error.stderr}`)
    },
  )
// runs in one process, because the outer run keeps the cores busy and another process would load the facade again
const vitest = (...files: string[]) => [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--maxWorkers=1',
  '--config',
  'test/vitest.config.ts',
  ...files,
]

test('The names of a feature follow from its plural.', () => {
  expect(namesOf('bookshelves')).toMatchObject({ thing: 'bookshelf', Thing: 'Bookshelf', path: 'bookshelves' })
  expect(namesOf('reading_lists')).toMatchObject({
    word: 'reading list',
    path: 'reading-lists',
    section: 'readingLists',
  })
})

test.each(['', 'bookshelf', 'Bookshelves', 'book-shelves', '../shelves', 'a'])('The name "%s" is refused.', (name) => {
  expect(() => addFeature(name, folder)).toThrow('must be a plural noun')
})

test('Every template makes a file.', () => {
  expect(unusedTemplates()).toEqual([])
})

test('A new feature passes the checks, the guards and its own tests, and is not overwritten.', async () => {
  const written = addFeature('reading_lists', folder)
  // only what was written: the other files were checked before
  const biome = ['node_modules/@biomejs/biome/bin/biome', 'check', '--config-path', '.biome.json', '--write']
  await node([...biome, '--files-ignore-unknown=true', ...written])
  const { stderr } = await node(['supabase/tools/generate.ts', '--name', 'add_reading_lists'])
  expect(stderr).toBe('') // the migration is complete
  await node(['api-facade/describe.ts'])
  // Compiles only the new files with their imports, and the files that extend Vitest's types. The whole project would
  // take three times as long.
  const files = [
    ...written.filter((file) => file.endsWith('.ts')),
    'test/support/global.ts',
    'test/support/matchers.ts',
  ]
  const project = join(folder, 'tsconfig.new.json')
  writeFileSync(project, JSON.stringify({ extends: './tsconfig.json', files, include: [] }))
  await node(['node_modules/typescript/bin/tsc', '--project', project])
  rmSync(project)
  const guards = ['guards', 'failures', 'contract', 'order', 'prose', 'references', 'types', 'db']
  const { stdout } = await node(
    vitest(
      ...guards.map((name) => `test/${name}.test.ts`),
      ...['test/api/reading_lists', 'test/api/base/constraints.test.ts', 'test/api/identity/erasure-proof.test.ts'],
      ...['test/model/limits.test.ts', 'test/model/writes.test.ts', 'test/model/error-disclosure.test.ts'],
    ),
    { PGTAP: 'db/reading_lists/*.sql' },
  )
  expect(stdout).toMatch(/^\d+ passed, 0 failed/m)

  const routes = readFileSync(join(folder, 'test/routes.tsv'), 'utf8')
  expect(() => addFeature('reading_lists', folder)).toThrow('exists already')
  expect(readFileSync(join(folder, 'test/routes.tsv'), 'utf8')).toBe(routes)
}, 600_000)
