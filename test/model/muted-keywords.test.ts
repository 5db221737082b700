// Tests what muted keywords match, compared with JavaScript's own Unicode support. Also tests in random worlds that the
// feed leaves out muted people and words. A failed test prints its seed and the smallest case that shows the fault.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createDatabase } from '../support/database.ts'
import { runs } from '../support/runs.ts'

const { owner } = await createDatabase()

// --- Keywords

// A few letters of many scripts, separators and combining marks, so that texts and keywords often match
const letters = [...'abBéÉı7_мийёЁσΣοΌنكन्िব東京かがｶ한국ไทＡß', '\u0301', '\u064e', '𠀋', '🎉', ..." \n.,-#+(\\*^$|['"]
const string = (most: number) =>
  fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength: most }).map((l) => l.join(''))

/** The text without case and accents. An accent that makes another letter (й) stays. */
function folded(text: string): string {
  const plain = (letter: string) => {
    const [base = ''] = letter.normalize('NFD')
    return /[\p{Script=Latin}\p{Script=Greek}е]/u.test(base) ? base : letter
  }
  return [
    ...text
      .replace(/\u064e/g, '')
      .normalize('NFKC')
      .toLowerCase(),
  ]
    .map(plain)
    .join('')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/ı/g, 'i')
    .replace(/ß/g, 'ss')
    .replace(/ς/g, 'σ')
}

const unspaced = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}'
const word = `(?:(?![${unspaced}])[\\p{L}\\p{N}\\p{M}_])`

const begins = new RegExp(`^${word}`, 'u')
const ends = new RegExp(`${word}$`, 'u')
const spaced = (text: string) => folded(text).replace(/\s+/g, ' ')

function found(keyword: string, text: string): boolean {
  const plain = spaced(keyword).trim()
  if (plain === '' || !spaced(text).includes(plain)) return false
  const source = plain.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const opens = begins.test(plain) ? `(?<!${word})` : ''
  const closes = ends.test(plain) ? `(?!${word})` : ''
  return new RegExp(opens + source + closes, 'u').test(spaced(text))
}

test('A keyword matches where a reader would find it', { timeout: 60_000 }, async () => {
  // Half of the texts contain a keyword somewhere, whatever is around it
  const meeting = fc.array(string(4), { minLength: 1, maxLength: 3 }).chain((keywords) => {
    const parts = fc.tuple(string(5), fc.constantFrom('', ...keywords), string(5), fc.boolean())
    return parts.map(([before, keyword, after, has]) => ({ keywords, text: has ? before + keyword + after : before }))
  })
  const cases = fc.array(meeting, { minLength: 40, maxLength: 40 })
  const numRuns = runs(25, 300)
  let hits = 0
  await fc.assert(
    fc.asyncProperty(cases, async (batch) => {
      const expected = batch.map(({ keywords, text }) => keywords.some((keyword) => found(keyword, text)))
      const rows = await owner<{ found: boolean }[]>`
        select coalesce(w.words @@ m.words, false)
               or coalesce(m.pattern is not null and coalesce(w.words @@ m.hint, true)
                           and private.has_phrase(array[c ->> 'text'], m.pattern), false) as found
        from json_array_elements(${JSON.stringify(batch)}::text::json) with ordinality as l (c, place),
             lateral (select private.keyword_words(private.keyword_text(array[c ->> 'text'])) as words) w,
             private.muted_words(array(
               select w from (select btrim(regexp_replace(private.fold(k), '\\s+', ' ', 'g')) as w
                              from json_array_elements_text(c -> 'keywords') k) f where w <> '')) m
        order by place`
      expect(rows.map((row) => row.found)).toEqual(expected)
      hits += expected.filter(Boolean).length
    }),
    { numRuns },
  )
  expect(Math.min(hits, numRuns * 40 - hits)).toBeGreaterThan(numRuns * 5) // they did match
})

// --- The feed

const names = ['ann', 'ben', 'cyd']
const people: string[] = []
for (const name of names) {
  const [row] = await owner`
    select private.create_person(${`${name}@example.org`}, 'no hash', ${name}, '例', '1990-01-31', 'DE', 'Berlin') as id`
  people.push(row?.id)
}
const words = ['tea', 'milk', 'café', '東京', 'чай', 'new york']
const worlds = fc.record({
  posts: fc.array(
    fc.record({
      author: fc.nat(2),
      words: fc.subarray(words, { maxLength: 3 }),
      titled: fc.boolean(),
      hidden: fc.integer({ min: 0, max: 4 }).map((n) => n === 4),
    }),
    { maxLength: 14 },
  ),
  mutes: fc.subarray([1, 2]),
  keywords: fc.subarray(words, { maxLength: 2 }),
  over: fc.subarray(words, { maxLength: 2 }),
  limit: fc.integer({ min: 1, max: 8 }),
})
const id = (at: number) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`

test('The feed leaves out what is muted, in full pages, and has every other post once', {
  timeout: 60_000,
}, async () => {
  const sql = await owner.reserve()
  const [ann] = people
  let left = 0
  const property = fc.asyncProperty(worlds, async ({ posts, mutes, keywords, over, limit }) => {
    const ended = over.filter((keyword) => !keywords.includes(keyword))
    await sql`begin`
    try {
      for (const [at, post] of posts.entries()) {
        const said = `Post with ${post.words.join(', ')}.`
        await sql`
          insert into app.posts (id, author_id, format, title, body, hidden_at, published_at)
          values (${id(at)}, ${people[post.author] ?? ''}, ${post.titled ? 'essay' : 'note'}, ${post.titled ? said : null},
                  ${post.titled ? 'Post' : said}, ${post.hidden ? new Date(0) : null}, ${new Date(Date.UTC(2026, 0, 1, 0, at >> 1))})`
      }
      for (const other of mutes)
        await sql`insert into app.mutes (muter_id, muted_id) values (${ann ?? ''}, ${people[other] ?? ''})`
      for (const keyword of [...keywords, ...ended])
        await sql`
          insert into app.muted_keywords (id, user_id, keyword, folded, until)
          values (gen_random_uuid(), ${ann ?? ''}, ${keyword}, private.fold(${keyword}), ${ended.includes(keyword) ? new Date(0) : null})`

      const claims = JSON.stringify({ sub: ann, role: 'user', iat: Math.floor(Date.now() / 1000), exp: 9_999_999_999 })
      await sql`select set_config('role', 'authenticated', true)`
      await sql`select private.enter(${claims}::text)`
      const pages: string[][] = []
      let cursor: string | null = null
      do {
        const [row]: { page: { items: { id: string }[]; nextCursor: string | null } }[] =
          await sql`select api.list_feed(p_limit => ${limit}, p_cursor => ${cursor}::text) as page`
        pages.push(row?.page.items.map((item) => item.id) ?? [])
        cursor = row?.page.nextCursor ?? null
      } while (cursor !== null)

      const shown = posts
        .map((post, at) => ({ ...post, id: id(at) }))
        .filter(({ hidden, author }) => !hidden && !mutes.includes(author))
        .filter((post) => !post.words.some((one) => keywords.includes(one)))
      expect(pages.flat()).toEqual(shown.reverse().map((post) => post.id))
      expect(pages.slice(0, -1).filter((page) => page.length !== limit)).toEqual([])
      left += posts.length - shown.length
    } finally {
      await sql`rollback`
    }
  })
  const numRuns = runs(30, 300)
  await fc.assert(property, { numRuns })
  sql.release()
  expect(left).toBeGreaterThan(1.25 * numRuns) // 40 longer runs left out at least three times as many posts
})
