// Pages whose items all have the maximum length.

import type { Fresh } from '../../support/fresh.ts'
import { type Ask, letters, type People, type Scene } from './people.ts'

const get =
  ({ ask }: Fresh, path: string, token: string): Ask =>
  () =>
    ask('GET', `/api/v1${path}`, undefined, token)

/** A text of many different words, as SQL. */
const words = (length: number, letter = '') =>
  `left((select string_agg(substr(md5(w::text || n::text), 1, 3)${letter && ` || repeat('${letter}', 5)`}, ' ') from generate_series(1, ${Math.ceil(length / 4)}) w), ${length})`

/** Contents of a kind, with the columns that their detail needs. */
const contents = (kind: string, table: string, columns: string, values: string, count: number, author: string) => `
  with made as (
    insert into app.contents (kind, author_id, title, words, created_at)
    select '${kind}', '${author}', 'x', private.words_in(array[${words(20_000)}]), now() - n * interval '1 minute'
    from generate_series(1, ${count}) n returning id)
  insert into app.${table} (id, ${columns}) select id, ${values} from made`

const posts =
  (letter: string, format = 'essay', length = 100_000): Scene['plant'] =>
  async (fresh, { writer, reader }) => {
    await fresh.plant.unsafe('truncate app.posts cascade')
    await fresh.plant.unsafe(`
      with made as (
        insert into app.posts (author_id, body, format, title, published_at)
        select '${writer.uuid}', repeat('${letter}', ${length}), '${format}', case when '${format}' = 'essay' then 'x' end,
               now() - n * interval '1 minute' from generate_series(1, 60) n returning id)
      insert into app.post_counters (post_id) select id from made`)
    return get(fresh, `/posts/by/${writer.username}?limit=50`, reader.token)
  }

const slug = 'philosophy'
async function proposals({ plant }: Fresh, { writer }: People, base: string, body: string): Promise<void> {
  await plant.unsafe('truncate app.wiki_proposals, app.wiki_versions cascade')
  await plant.unsafe(`
    insert into app.wiki_versions (interest_id, version, body, summary, author_id)
    select id, 1, ${base}, 'x', '${writer.uuid}' from app.interests where slug = '${slug}'`)
  await plant.unsafe(`
    insert into app.wiki_proposals (interest_id, author_id, base_version, body, summary, created_at)
    select id, '${writer.uuid}', 1, ${body}, 'x', now() - n * interval '1 minute'
    from app.interests, generate_series(1, 60) n where slug = '${slug}'`)
}
const wiki = (what: string, base: string, body: string, limit = 50): Scene => ({
  what: `wiki, a page of ${limit} proposals: ${what}`,
  async plant(fresh, people) {
    await proposals(fresh, people, base, body)
    return get(fresh, `/wiki/${slug}/proposals?limit=${limit}`, people.reader.token)
  },
})

export const pages: Scene[] = [
  ...Object.entries(letters).map(([name, letter]) => ({
    what: `posts, a page of 50 essays of 100,000 characters, ${name}`,
    plant: posts(letter),
  })),
  { what: 'posts, a page of 50 threads of 20,000 characters, wide', plant: posts(letters.wide, 'thread', 20_000) },
  { what: 'posts, a page of 50 notes of 5,000 characters, wide', plant: posts(letters.wide, 'note', 5000) },
  {
    what: 'feed, 50 essays of 100,000 characters, wide',
    async plant(fresh, people) {
      await posts(letters.wide)(fresh, people)
      return get(fresh, '/feed?limit=50', people.reader.token)
    },
  },
  {
    what: 'staff: posts with these letters, 400 essays of 5,000 characters that count',
    async plant(fresh, { writer }) {
      await fresh.plant.unsafe('truncate app.posts cascade')
      await fresh.plant.unsafe(`
        insert into app.posts (author_id, body, format, title, created_at, published_at)
        select '${writer.uuid}', repeat('é', 100000), 'essay', 'x', now() - n * interval '1 minute', now()
        from generate_series(1, 400) n`)
      return get(fresh, '/admin/posts?q=nowhere', fresh.staff)
    },
  },
  wiki('nothing but empty lines', `repeat(e'\\n', 19999) || 'x'`, `repeat(e'\\n', 19899) || 'x'`),
  wiki('all different', `repeat(e'a\\n', 9999)`, `repeat(e'b\\n', 9999)`),
  wiki('all different', `repeat(e'a\\n', 9999)`, `repeat(e'b\\n', 9999)`, 20),
  wiki('one line', `repeat('😀', 20000)`, `repeat('"', 20000)`),
  wiki(
    'markers',
    `left(repeat(repeat(e'\\n', 199) || e'b\\n', 101), 20000)`,
    `left(repeat(repeat(e'\\n', 200) || e'b\\n', 101), 20000)`,
  ),
  {
    what: 'problems, a page of 50 of 20,000 characters, wide',
    async plant(fresh, { writer, reader }) {
      await fresh.plant.unsafe('truncate app.contents cascade')
      await fresh.plant.unsafe(contents('problem', 'problems', 'body', `repeat('😀', 20000)`, 60, writer.uuid))
      return get(fresh, '/problems?limit=50', reader.token)
    },
  },
  {
    what: 'problems, a word among 400 of 20,000 characters',
    async plant(fresh, { writer, reader }) {
      await fresh.plant.unsafe('truncate app.contents cascade')
      await fresh.plant.unsafe(contents('problem', 'problems', 'body', `'x'`, 400, writer.uuid))
      return get(fresh, '/problems?limit=50&q=nowhere', reader.token)
    },
  },
  {
    what: 'problems, 100 words among 400 of 20,000 characters',
    async plant(fresh, { reader }) {
      const q = Array.from({ length: 100 }, (_, n) => `z${n.toString(36)}`)
        .join(' ')
        .slice(0, 200)
      return get(fresh, `/problems?limit=50&q=${encodeURIComponent(q)}`, reader.token)
    },
  },
  {
    what: 'problems by rpc, 2,000 words among 400 of 20,000 characters',
    async plant(fresh, { reader }) {
      // a search in which all words match except the last
      const [row] =
        await fresh.sql`select array(select unnest(tsvector_to_array(words)) limit 1600) as words from app.contents limit 1`
      const q = `${row?.words.join(' ').slice(0, 4990)} nowhere`
      return () => fresh.rpc('list_problems', { p_q: q }, reader.token)
    },
  },
  {
    what: 'staff: solutions with a word, 400 of 20,000 characters',
    async plant(fresh, { writer }) {
      await fresh.plant.unsafe(`
        insert into app.problem_solutions (problem_id, author_id, body)
        select (select id from app.contents limit 1), '${writer.uuid}', ${words(20_000, 'é')} from generate_series(1, 400) n`)
      return get(fresh, '/admin/content?kind=solutions&q=nowhere', fresh.staff)
    },
  },
  {
    what: 'solutions, a page of 50 of 20,000 characters, wide',
    async plant(fresh, { reader }) {
      await fresh.plant.unsafe(`update app.problem_solutions set body = repeat('😀', 20000)`)
      const [row] = await fresh.sql`select problem_id as id from app.problem_solutions limit 1`
      return get(fresh, `/problems/${row?.id}/solutions?limit=50`, reader.token)
    },
  },
]
