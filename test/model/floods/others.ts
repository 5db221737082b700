// Floods of posts, replies and children of contents. See test/support/floods.ts.
import { type Flood, type Ground, MANY } from '../../support/floods.ts'

const HOUR = `interval '1 hour'`
const times = `now() - ${HOUR} * 100 + n * interval '1 second'`

/**
 * Rows of a table, hidden in each way, before one visible row in the order of the list, which is ascending or
 * descending by time.
 * @param columns of each row, as SQL, with $1 for the author
 * @param ways what hides rows that everybody could see, as SQL of their ids in $1
 */
async function flood(
  { ids, someone, ban, rows }: Ground,
  table: string,
  columns: Record<string, string>,
  ways: Record<string, string>,
  { up = false, by = 'created_at', author = '' } = {},
): Promise<string> {
  const write = (who: string, many: number, at: string) =>
    ids(
      `insert into ${table} (author_id, ${by}, ${Object.keys(columns).join()})
       select $1, ${at}, ${Object.values(columns).join()} from generate_series(1, $2::integer) n returning id`,
      who,
      many,
    )
  const [honest = ''] = await write(author || (await someone()), 1, up ? 'now()' : `now() - ${HOUR} * 200`)
  for (const hide of Object.values(ways)) await rows(hide, await write(author || (await someone()), MANY, times))
  if (author) return honest
  const banned = await someone()
  await write(banned, MANY, times)
  await ban(banned)
  return honest
}
const set = (table: string, change: string) => `update ${table} set ${change} where id = any ($1::uuid[])`

const content = async (ground: Ground, kind: string, detail: string) => {
  const id = await ground.one(
    'insert into app.contents (kind, author_id) values ($1, $2) returning id',
    kind,
    await ground.someone(),
  )
  await ground.rows(detail, id)
  return id
}
const long = `repeat('x', 60)`
const debate = `insert into app.debates (id, body, closes_at) values ($1, 'x', now() + interval '1 day')`
const problem = `insert into app.problems (id, body) values ($1, 'x')`
const video = `insert into app.videos (id, media_url) values ($1, 'https://example.org/a')`
const offering = `insert into app.offerings (id, description, price_mana, delivery_days) values ($1, 'x', 1, 1)`

export const otherFloods: Flood[] = [
  ...['', 'p_parent_id', 'p_kind'].map((narrowed) => ({
    operation: 'list_replies',
    against: `replies that are hidden or deleted, ${narrowed || 'of all kinds'}`,
    async scene(ground: Ground) {
      const author = await ground.someone()
      const post = await ground.one(`insert into app.posts (author_id, body) values ($1, 'x') returning id`, author)
      const parent = await ground.one(
        `insert into app.replies (post_id, author_id, body, created_at) values ($1, $2, 'x', now() - ${HOUR} * 300) returning id`,
        post,
        author,
      )
      const more = { '': '', p_parent_id: `, p_parent_id => '${parent}'`, p_kind: `, p_kind => 'reaction'` }[narrowed]
      const honest = await flood(
        ground,
        'app.replies',
        {
          post_id: `'${post}'`,
          body: `'x'`,
          parent_id: narrowed === 'p_parent_id' ? `'${parent}'` : 'null',
          kind: narrowed === 'p_kind' ? `'reaction'` : `'reply'`,
        },
        { hidden: set('app.replies', 'hidden_at = now()'), deleted: set('app.replies', 'deleted_at = now()') },
        { up: true },
      )
      return { asked: [`p_id => '${post}'${more}`], honest }
    },
  })),
  {
    operation: 'list_space_posts',
    against: 'posts that are hidden, deleted or scheduled',
    async scene(ground) {
      const space = await ground.group(ground.stranger)
      const honest = await flood(
        ground,
        'app.posts',
        { space_id: `'${space}'`, body: `'x'` },
        { hidden: set('app.posts', 'hidden_at = now()'), deleted: set('app.posts', 'deleted_at = now()') },
        { by: 'published_at' },
      )
      return { asked: [`p_group_id => '${space}'`], honest }
    },
  },
  {
    operation: 'list_posts_by',
    against: 'posts that are hidden, deleted, for circles or in a group',
    async scene(ground) {
      const author = await ground.someone()
      const space = await ground.group(author)
      const honest = await flood(
        ground,
        'app.posts',
        { body: `'x'` },
        {
          hidden: set('app.posts', 'hidden_at = now()'),
          deleted: set('app.posts', 'deleted_at = now()'),
          inner: set('app.posts', `visibility = 'inner'`),
          group: set('app.posts', `space_id = '${space}'`),
        },
        { by: 'published_at', author },
      )
      return { asked: [`'${await ground.nameOf(author)}'`], honest }
    },
  },
  {
    operation: 'list_arguments',
    against: 'removed or deleted arguments',
    async scene(ground) {
      const id = await content(ground, 'debate', debate)
      const honest = await flood(
        ground,
        'app.debate_arguments',
        // the hidden arguments have more votes and later ids than the visible one
        { debate_id: `'${id}'`, side: `'for'`, body: long, depth: '1', votes: `case when $2 = 1 then 0 else 9 end` },
        {
          removed: set('app.debate_arguments', 'removed_at = now()'),
          deleted: set('app.debate_arguments', 'deleted_at = now()'),
        },
      )
      return { asked: [`p_id => '${id}'`, `p_id => '${id}', p_sort => 'new'`], honest }
    },
  },
  {
    operation: 'list_solutions',
    against: 'removed or deleted solutions',
    async scene(ground) {
      const id = await content(ground, 'problem', problem)
      const honest = await flood(
        ground,
        'app.problem_solutions',
        { problem_id: `'${id}'`, body: long, score: `case when $2 = 1 then 0 else 9 end` },
        {
          removed: set('app.problem_solutions', 'removed_at = now()'),
          deleted: set('app.problem_solutions', 'deleted_at = now()'),
        },
      )
      return { asked: [`p_id => '${id}'`], honest }
    },
  },
  {
    operation: 'list_video_comments',
    against: 'deleted comments',
    async scene(ground) {
      const id = await content(ground, 'video', video)
      const honest = await flood(
        ground,
        'app.video_comments',
        { video_id: `'${id}'`, body: `'x'` },
        { removed: set('app.video_comments', 'removed_at = now()') },
        { up: true },
      )
      return { asked: [`'${id}'`], honest }
    },
  },
  {
    operation: 'list_reviews',
    against: 'removed reviews',
    async scene(ground) {
      const id = await content(ground, 'offering', offering)
      // The other reviews have no order, because each order would need a transaction of mana
      await ground.rows('alter table app.offering_reviews drop constraint offering_reviews_order_id_fkey')
      await ground.rows('alter table app.orders drop constraint orders_id_fkey')
      const order = await ground.one(
        `insert into app.orders (offering_id, buyer_id, seller_id, title, description, price_mana, delivery_days, took_stock, state)
         values ($1, $2, $3, 'x', 'x', 1, 1, false, 'completed') returning id`,
        id,
        ground.stranger,
        await ground.someone(),
      )
      const orderOf = `case when $2 = 1 then '${order}' else gen_random_uuid() end`
      const honest = await flood(
        ground,
        'app.offering_reviews',
        { order_id: orderOf, offering_id: `'${id}'`, stars: '5', body: `'x'` },
        { removed: set('app.offering_reviews', 'removed_at = now()') },
      )
      return { asked: [`p_id => '${id}'`], honest }
    },
  },
  {
    operation: 'list_wiki_proposals',
    against: 'proposals of banned people',
    async scene(ground) {
      await ground.rows(`update app.feature_flags set enabled = true where key = 'wiki'`)
      await ground.rows('alter table app.wiki_proposals disable trigger user') // they require reputation
      const interest = await ground.interest()
      const slug = (await ground.rows<{ slug: string }>('select slug from app.interests where id = $1', interest))[0]
        ?.slug
      const honest = await flood(
        ground,
        'app.wiki_proposals',
        { interest_id: `'${interest}'`, base_version: '0', body: `'x'`, summary: `'x'` },
        {},
      )
      return { asked: [`p_slug => '${slug}'`, `p_slug => '${slug}', p_status => 'open'`], honest }
    },
  },
  {
    operation: 'list_received_votes',
    against: 'removed votes',
    async scene(ground) {
      const [voter, honest] = [await ground.someone(), await ground.someone()]
      await ground.rows(
        `with many as (insert into app.interests (slug, name, level, accent_color)
                       select 'voted-' || n, 'x', 1, 'ink' from generate_series(1, ${MANY}) n returning id)
         insert into app.reputation_votes (voter_id, user_id, interest_id, value, impact)
         select $1::uuid, $2::uuid, id, 0, 1 from many`,
        voter,
        ground.stranger,
      )
      await ground.rows(
        `insert into app.reputation_votes (voter_id, user_id, interest_id, value, impact, created_at)
         values ($1, $2, $3, 1, 1, now() - interval '1 day')`,
        honest,
        ground.stranger,
        await ground.interest(),
      )
      return { asked: [''], honest: await ground.nameOf(honest) }
    },
  },
  {
    operation: 'list_project_applications',
    against: 'withdrawn applications of one person',
    async scene(ground) {
      const author = await ground.someone()
      const project = await ground.one(
        `with head as (insert into app.contents (kind, author_id, title) values ('project', $1, 'x') returning id)
         insert into app.projects (id, summary) select id, 'x' from head returning id`,
        author,
      )
      const role = await ground.one(
        `insert into app.project_roles (project_id, name) values ($1, 'x') returning id`,
        project,
      )
      const apply = (who: string, many: number, status: string, at: string) =>
        ground.ids(
          `insert into app.project_applications (project_id, role_id, user_id, status, decided_at, created_at)
           select $1, $2, $3, $4, case when $4 <> 'pending' then now() end, now() - $5::interval
           from generate_series(1, $6::integer) returning id`,
          ...[project, role, who, status, at, many],
        )
      const [honest = ''] = await apply(await ground.someone(), 1, 'pending', '1 day')
      await apply(await ground.someone(), MANY, 'withdrawn', '1 hour')
      return { asked: [`p_id => '${project}', p_status => 'pending'`], honest, viewer: author }
    },
  },
]
