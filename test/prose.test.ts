// Rules for every file that people write.
import { expect, test } from 'vitest'
import type { Texts } from './support/order.ts'
import { allFiles, readTexts } from './support/tree.ts'

const longest = 119

/** Lines of more than 119 characters, as `path:line`. */
const longLines = (texts: Texts): string[] =>
  Object.entries(texts).flatMap(([path, text]) =>
    text.split('\n').flatMap((line, index) => ([...line].length > longest ? [`${path}:${index + 1}`] : [])),
  )

test('A line that is too long is found, counted in characters', () => {
  const texts = {
    'a.sql': `${'x'.repeat(119)}\n${'x'.repeat(120)}`,
    'b.sql': '–𝕏'.repeat(59),
    'c.sql': '–𝕏'.repeat(60),
  }
  expect(longLines(texts)).toEqual(['a.sql:2', 'c.sql:1'])
})

test('Every line of SQL ends before column 120', () => {
  const files = allFiles().filter((file) => /^(sql|policies|supabase\/seed)\/.*\.sql$/.test(file))
  const texts = readTexts(files)
  expect(Object.keys(texts).length).toBeGreaterThan(100)
  expect(longLines(texts)).toEqual([])
})

test('No file has unresolved merge markers', () => {
  const markers = /^(<{7} .*|={7}|>{7} .*)$/m
  const texts = readTexts(allFiles())
  expect(Object.entries(texts).flatMap(([path, text]) => (markers.test(text) ? [path] : []))).toEqual([])
  expect(markers.test(`${'<'.repeat(7)} HEAD\n`)).toBe(true)
})
