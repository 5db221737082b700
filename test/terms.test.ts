// Each word has one meaning (sql/README.md, Names). Words that had several meanings, or were metaphors, were replaced.
// test/support/terms.tsv lists these words, and this test finds them in every file.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Texts } from './support/order.ts'
import { allFiles, readTexts } from './support/tree.ts'

const list = 'test/support/terms.tsv'
type Term = { word: RegExp; instead: string }

const terms: Term[] = readFileSync(list, 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [word = '', instead = ''] = line.split('\t')
    return { word: new RegExp(`(?<![A-Za-z0-9_])(?:_\\d+_)?(?:${word})(?![A-Za-z0-9_])`), instead }
  })
const any = new RegExp(terms.map(({ word }) => word.source).join('|'))

/** Names in other people's interfaces that contain such a word. */
const foreign = /'refusal'|stopped by refusal/

/** Words that are not used, as `path:line: word, write: what is`. */
const unwanted = (texts: Texts): string[] =>
  Object.entries(texts).flatMap(([path, text]) =>
    text.split('\n').flatMap((line, at) => {
      if (!any.test(line) || foreign.test(line)) return []
      return terms.flatMap(({ word, instead }) => {
        const found = word.exec(line)
        return found ? [`${path}:${at + 1}: ${found[0]}, write: ${instead}`] : []
      })
    }),
  )

test('no file has a word that support/terms.tsv replaces', () => {
  const texts = readTexts(
    allFiles().filter(
      (path) =>
        /^(sql|policies|api-facade|edge-functions|supabase|test|docs)\/|^[A-Z]+\.md$/.test(path) &&
        !path.startsWith('test/support/pgtap/vendor/') &&
        path !== 'test/terms.test.ts' &&
        path !== list,
    ),
  )
  expect(Object.keys(texts).length).toBeGreaterThan(500)
  expect(unwanted(texts)).toEqual([])
})

test('the guard can fail: every word of the list is found, with the word to write instead', () => {
  for (const { word, instead } of terms) {
    expect(instead).not.toBe('')
    expect(word.test('bookmarks remark benchmark markdown <mark> mark_read marks them read')).toBe(false)
  }
  const texts = {
    'sql/a.sql': "create trigger _060_silence_person on app.users;\nperform private.fail('gone');\nprivate.failed_jobs",
    'api-facade/b.ts': '// the marks of a ban\nthrow new Refusal()',
    'docs/c.md': 'Blocked people fall into silence, and bookmarks stay.',
  }
  expect(unwanted(texts).map((found) => found.replace(/, write.*/, ''))).toEqual([
    'sql/a.sql:1: _060_silence_person',
    'sql/a.sql:2: private.fail',
    'api-facade/b.ts:1: the marks',
    'api-facade/b.ts:1: marks of',
    'api-facade/b.ts:2: Refusal',
    'docs/c.md:1: silence',
  ])
})
