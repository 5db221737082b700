// Tests the worst-case row counts of requests of discovery and the search. See test/support/bounds.ts. A search scans
// the same number of rows among ten times as many posts, whether its word is in all of them, in a few, or in none.
import { crowd, friend, friendly, id, ids, isShown, minutes, openBounds, postsOfMany } from '../../support/bounds.ts'
import { runs } from '../../support/runs.ts'

const { checkBounds, nameOf, newGroup, put } = await openBounds()

let interests = 0
/** Many people of the crowd, and some friends, with an intent and the viewer's interests. */
async function seekers(viewer: string, size: number, intent: string) {
  interests += 1
  const interest = id(
    await put<{ id: string }>(
      `insert into app.interests (slug, name, level, accent_color) values ('shared-' || $1, 'x', 1, 'ink') returning id`,
      String(interests),
    ),
  )
  await put('delete from app.connection_intents')
  const made = await put<{ id: string; friendly: boolean }>(
    `with sought as (
       select case when ${isShown(size)} then ${friend(friendly(size))} else ${crowd('n')} end as id, ${minutes('n')} as at
       from generate_series(1, ${size}) n
     ), chosen as (
       insert into app.user_interests (user_id, interest_id, depth, expertise)
       select id, $1::uuid, 1, 5 from sought union all select $3::uuid, $1::uuid, 1, 1
     ), placed as (
       insert into private.intent_interests (intent, interest_id, placed_at, user_id) select $2::text, $1::uuid, at, id from sought
     ), earned as (
       insert into app.reputation (user_id, interest_id, value, direct_value)
       select id, $1::uuid, row_number() over (order by at), 0 from sought)
     insert into app.connection_intents (user_id, intent, created_at) select id, $2, at from sought
     returning user_id as id, user_id >= ${friend('0')} as friendly`,
    interest,
    intent,
    viewer,
  )
  const names = await Promise.all(made.filter(({ friendly }) => friendly).map(({ id }) => nameOf(id)))
  return names.map((name) => `acct:${name}@localhost`)
}

/** The posts written so far, which the tests of searches share. These tests come last. */
let there = { size: 0, shown: [] as string[] }

/**
 * Posts of the crowd, some of them by friends. All of them have one word, half of them a second word, one of them a
 * third word, and the friends' posts a fourth word. Returns the friends' posts, newest first.
 */
async function articles(size: number) {
  if (there.size === size) return there.shown
  await put('truncate private.search_words, private.search_documents') // deleted rows would be scanned
  await put('delete from app.posts')
  const made = await put<{ id: string }>(
    `with made as (
       insert into app.posts (author_id, body, published_at)
       select case when ${isShown(size)} then ${friend(friendly(size))} else ${crowd('n % 1000 + 1')} end,
              concat_ws(' ', 'common', case when n = 10 then 'rare' when n % 2 = 0 then 'even' else 'odd' end,
                        case when ${isShown(size)} then 'friendly' end), ${minutes('n')}
       from generate_series(1, ${size}) n returning id, author_id, body, published_at
     ), counted as (insert into app.post_counters (post_id) select id from made
     ), found as (
       insert into private.search_documents (type, id, author_id, scope, words)
       select 'post', id, author_id, 'post', private.search_vector(null, body) from made order by published_at returning number, words
     ), listed as (
       insert into private.search_words (scope, word, number)
       select 'post', unnest(tsvector_to_array(words)), number from found)
     select 'post:' || id as id from made where author_id >= ${friend('0')} order by published_at desc`,
  )
  there = { size, shown: ids(made) }
  return there.shown
}

const search = (q: string, most: number, against: string, finds = false) => ({
  operation: 'search',
  against,
  most,
  sizes: runs<readonly number[]>([10_000], [1000, 10_000]),
  key: ({ type, id }: Record<string, unknown>) => `${type}:${id}`,
  async scene(_: string, size: number) {
    const shown = await articles(size)
    return { parameters: `p_q => '${q}'`, shown: finds ? shown : [] }
  },
})

/** Posts with long texts that are for others, behind some for everybody: a search must not scan them. */
const keptBack = (
  against: string,
  scope: string,
  columns: { space?: string; visibility?: string; hidden?: string },
) => ({
  operation: 'search',
  against,
  most: 100,
  sizes: [3000],
  key: ({ type, id }: Record<string, unknown>) => `${type}:${id}`,
  async scene() {
    there = { size: 0, shown: [] }
    await put('truncate private.name_trigrams')
    await put('truncate private.search_words, private.search_documents, app.posts cascade')
    const written = (
      size: number,
      author: string,
      scope: string,
      { space = 'null', visibility = 'public', hidden = 'null' },
    ) =>
      put<{ id: string }>(
        `with made as (
           insert into app.posts (author_id, body, space_id, visibility, hidden_at, published_at)
           select ${author}, 'common', ${space}::uuid, '${visibility}', ${hidden}::timestamptz, ${minutes('n')}
           from generate_series(1, ${size}) n returning id, author_id, body, published_at
         ), counted as (insert into app.post_counters (post_id) select id from made
         ), found as (
           insert into private.search_documents (type, id, author_id, scope, words)
           select 'post', id, author_id, ${scope}, private.search_vector(null, body) from made order by published_at
           returning number, scope, words
         ), listed as (
           insert into private.search_words (scope, word, number)
           select scope, unnest(tsvector_to_array(words)), number from found)
         select 'post:' || id as id from made order by published_at desc`,
      )
    const shown = await written(5, friend('n'), `'post'`, {})
    await written(3000, friend('1'), scope, columns)
    return { parameters: `p_q => 'common'`, shown: ids(shown) }
  },
})

const elsewhere = await newGroup([])

checkBounds([
  {
    operation: 'list_candidates',
    against: 'people across a block',
    most: 25_000,
    async scene(viewer, size) {
      return { parameters: `p_intent => 'friends'`, shown: await seekers(viewer, size, 'friends') }
    },
  },
  {
    operation: 'list_candidates',
    against: 'people across a block without shared interests',
    most: 25_000,
    async scene(viewer, size) {
      const shown = await seekers(viewer, size, 'friends')
      await put('delete from app.user_interests where user_id = $1', viewer)
      return { parameters: `p_intent => 'friends', p_min_shared => 0`, shown }
    },
  },
  {
    operation: 'list_mentors',
    against: 'people across a block',
    most: 25_000,
    async scene(viewer, size) {
      return { parameters: '', shown: await seekers(viewer, size, 'mentor') }
    },
  },
  {
    operation: 'list_talent',
    against: 'people across a block',
    most: 25_000,
    async scene(viewer, size) {
      return { parameters: '', shown: (await seekers(viewer, size, 'collab')).reverse() }
    },
  },
  {
    operation: 'list_people',
    against: 'people across a block',
    most: 3000,
    async scene() {
      return { parameters: '' }
    },
  },
  {
    operation: 'list_people',
    against: 'people across a block of that name',
    most: 15_000,
    async scene(_, size) {
      await put('delete from private.name_trigrams')
      await put(
        `insert into private.name_trigrams (trigram, joined_at, user_id)
         select t, now(), ${crowd('n')} from generate_series(1, ${size}) n, unnest(extensions.show_trgm('crowd x')) t`,
      )
      return { parameters: `p_q => 'crowd'` }
    },
  },
  {
    operation: 'list_suggested',
    against: 'posts of people across a block',
    most: 3000,
    async scene(viewer, size) {
      await put('delete from app.posts')
      await put(postsOfMany(size))
      await put(`update app.settings set value = 'm' where key = 'embedding_model'`)
      await put(
        `insert into private.centroids (person_id, model, vector, signature) values ($1, 'm', '{1}', '1')`,
        viewer,
      )
      return { parameters: '' }
    },
  },
  {
    operation: 'list_stream',
    against: 'posts and contents of people across a block',
    most: 6000,
    async scene(_, size) {
      await put('delete from app.posts')
      await put(postsOfMany(size))
      await put(
        `insert into app.contents (kind, author_id, created_at)
         select 'audio', ${crowd('n')}, ${minutes('n')} from generate_series(1, ${size}) n`,
      )
      return { parameters: '' }
    },
  },
  {
    operation: 'list_stream',
    against: 'posts of people elsewhere',
    most: 6000,
    async scene(_, size) {
      await put('truncate app.posts, app.contents cascade') // deleted rows would be scanned
      await put(`update app.users set country = 'NZ' where id >= ${friend('0')}`)
      const made = await put<{ id: string; author_id: string }>(
        `with made as (${postsOfMany(size)} ), counted as (
           insert into app.post_counters (post_id) select id from made)
         select id, author_id from made where author_id >= ${friend('0')} order by published_at desc`,
      )
      await put('delete from app.audience where level = -1') // only the country hides them
      return { parameters: `p_country => 'nz'`, shown: ids(made) }
    },
  },
  search('common', 6500, 'a word in all posts', true),
  search('common friendly', 1500, 'a word in all posts and one in a few', true),
  search('even odd', 6000, 'two words, each in half of the posts, and never both'),
  search('rare', 200, 'a word in one post'),
  search('common rare', 1000, 'a word in all posts and one in a single post'),
  search('nothing', 100, 'a word in no post'),
  keptBack('posts of a group that is not the caller’s', `'space ${elsewhere}'`, { space: `'${elsewhere}'` }),
  keptBack('posts for circles', `'level 1 ' || author_id`, { visibility: 'circles' }),
  keptBack('posts that staff hid', `'level 3 ' || author_id`, { hidden: 'now()' }),
])
