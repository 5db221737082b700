// Reads that count or skip as many rows as Kith lets others write.
import type { Fresh } from '../../support/fresh.ts'
import { type Ask, CROWD, crowd, type Scene } from './people.ts'

const get =
  ({ ask }: Fresh, path: string, token: string): Ask =>
  () =>
    ask('GET', `/api/v1${path}`, undefined, token)

/** Hides this many people of the crowd from the reader, evenly spread. */
const hide = (count: number, reader: string) => `
  delete from app.audience where viewer_id = '${reader}' and level < 0;
  insert into app.audience (viewer_id, author_id, level)
  select '${reader}', ${crowd('n')}, -1 from generate_series(1, ${CROWD}, ${CROWD / count}) n`

const spaces = (kind: string, count: number, members: number) => `
  with made as (
    insert into app.spaces (kind, slug, name, words, member_count, created_at)
    select '${kind}', '${kind}-' || n, 'x', 'x', ${members}, now() - n * interval '1 minute' from generate_series(1, ${count}) n returning id
  ), joined as (
    insert into app.space_members (space_id, user_id, made_at) select id, ${crowd('n')}, now() from made, generate_series(1, ${members}) n)
  select 1`
const groups = (hidden: number): Scene => ({
  what: `groups, a page of 50 with 5,000 members, of whom ${hidden} are hidden`,
  async plant(fresh, { reader }) {
    const [row] = await fresh.sql`select count(*)::integer as count from app.spaces`
    if (row?.count === 0) await fresh.plant.unsafe(spaces('group', 60, 5000))
    await fresh.plant.unsafe(hide(hidden, reader.uuid))
    await fresh.plant.unsafe('analyze')
    return get(fresh, '/groups?limit=50', reader.token)
  },
})

const talk =
  (reactions: string): Scene['plant'] =>
  async (fresh, { reader }) => {
    await fresh.plant.unsafe('truncate app.conversations cascade')
    const [made] = await fresh.plant.unsafe(`
      with made as (insert into app.conversations (kind, title, last_number) values ('group', 'x', 100) returning id
      ), people as (
        select id, u from made, (select '${reader.uuid}'::uuid union all select ${crowd('n')} from generate_series(1, 49) n) p (u)
      ), members as (insert into app.conversation_members (conversation_id, user_id) select id, u from people
      ), spans as (insert into app.conversation_spans (conversation_id, user_id, first_number) select id, u, 1 from people)
      select id from made`)
    await fresh.plant.unsafe(`
      with said as (
        insert into app.messages (conversation_id, number, sender_id, body)
        select '${made?.id}', n, ${crowd('n % 49 + 1')}, repeat('😀', 4000) from generate_series(1, 100) n returning id)
      insert into app.message_reactions (message_id, emoji, user_id)
      select s.id, e.emoji, p.u from said s, (${reactions}) e (emoji),
             (select '${reader.uuid}'::uuid union all select ${crowd('n')} from generate_series(1, 49) n) p (u)`)
    await fresh.plant.unsafe('analyze')
    return get(fresh, `/conversations/${made?.id}/messages?limit=50`, reader.token)
  }

export const rows: Scene[] = [
  groups(1),
  groups(1000),
  groups(3000),
  {
    what: 'groups, a page of 50 with 5,000 members, for a person who blocked 5,000',
    async plant(fresh, { reader }) {
      await fresh.plant.unsafe(hide(6000, reader.uuid))
      return get(fresh, '/groups?limit=50', reader.token)
    },
  },
  {
    what: 'members of a group by name, 400 names, wide',
    async plant(fresh, { reader }) {
      await fresh.plant.unsafe(`delete from app.audience where viewer_id = '${reader.uuid}' and level < 0`)
      await fresh.plant.unsafe(
        `update app.users set first_name = repeat('é', 80), last_name = repeat('ﷺ', 80) where username like 'crowd%'`,
      )
      return get(fresh, `/groups/group-1/members?limit=50&q=${encodeURIComponent('é'.repeat(50))}`, reader.token)
    },
  },
  {
    what: 'rpc: members of a group by a name of 300,000 characters',
    async plant(fresh, { reader }) {
      return () =>
        fresh.rpc('list_space_members', { p_kind: 'group', p_id: 'group-1', p_q: 'é'.repeat(300_000) }, reader.token)
    },
  },
  {
    what: 'people by name, all of the crowd',
    async plant(fresh, { reader }) {
      await fresh.plant.unsafe(`truncate private.name_trigrams`)
      await fresh.plant.unsafe(`
        insert into private.name_trigrams (trigram, joined_at, user_id)
        select t, u.created_at, u.id from app.users u,
               unnest(extensions.show_trgm(private.full_name(u.first_name, u.last_name, u.username))) t`)
      await fresh.plant.unsafe('analyze')
      return get(fresh, `/discovery/people?limit=50&q=${encodeURIComponent('crowd éa eé صلى الله')}`, reader.token)
    },
  },
  {
    what: 'guilds, a page of 50 with charters of 20,000 characters, wide',
    async plant(fresh, { reader }) {
      await fresh.plant.unsafe(spaces('guild', 60, 1))
      await fresh.plant.unsafe(`
        with made as (insert into app.guilds (space_id) select id from app.spaces where kind = 'guild' returning space_id)
        insert into app.guild_charters (guild_id, version, charter) select space_id, 1, repeat('😀', 20000) from made`)
      return get(fresh, '/guilds?limit=50', reader.token)
    },
  },
  {
    what: 'a member of 1,000 groups: their feed',
    async plant(fresh, { reader }) {
      await fresh.plant.unsafe('truncate app.posts cascade')
      await fresh.plant.unsafe(`
        with made as (insert into app.spaces (kind, slug, name, words) select 'group', 'many-' || n, 'x', 'x' from generate_series(1, 1000) n returning id
        ), joined as (insert into app.space_members (space_id, user_id, made_at) select id, '${reader.uuid}', now() from made)
        insert into app.posts (author_id, body, space_id, published_at)
        select ${crowd('n')}, 'x', id, now() - n * interval '1 minute' from made, generate_series(1, 60) n`)
      await fresh.plant.unsafe(`insert into app.post_counters (post_id) select id from app.posts`)
      await fresh.plant.unsafe('analyze')
      return get(fresh, '/feed?limit=50', reader.token)
    },
  },
  {
    what: 'a member of 1,000 groups: the groups',
    plant: async (fresh, { reader }) => get(fresh, '/groups?limit=50&mine=true', reader.token),
  },
  {
    what: 'messages, a page of 50 with 20 reactions of 50 people each',
    plant: talk(`select 'e' || n from generate_series(1, 20) n`),
  },
  {
    what: 'a post with 5,000 replies of 5,000 characters, wide',
    async plant(fresh, { reader, writer }) {
      await fresh.plant.unsafe('truncate app.posts cascade')
      const [post] = await fresh.plant.unsafe(`
        with made as (insert into app.posts (author_id, body) values ('${writer.uuid}', 'x') returning id),
        counted as (insert into app.post_counters (post_id) select id from made),
        said as (insert into app.replies (post_id, author_id, body, created_at)
                 select id, ${crowd('n')}, repeat('😀', 5000), now() - n * interval '1 minute' from made, generate_series(1, 5000) n)
        select id from made`)
      await fresh.plant.unsafe('analyze')
      return get(fresh, `/posts/${post?.id}/replies?limit=50`, reader.token)
    },
  },
  {
    what: 'posts in 5 series of 200 items, 5 co-authors and a poll each, a page of 50',
    async plant(fresh, { reader, writer }) {
      await fresh.plant.unsafe('truncate app.posts, app.series cascade')
      await fresh.plant.unsafe(`
        with made as (insert into app.posts (author_id, body, published_at)
                      select '${writer.uuid}', 'x', now() - n * interval '1 minute' from generate_series(1, 200) n returning id),
        counted as (insert into app.post_counters (post_id) select id from made),
        named as (insert into app.series (author_id, title, description) select '${writer.uuid}', repeat('😀', 200), repeat('😀', 2000) from generate_series(1, 5) returning id),
        placed as (insert into app.series_items (series_id, post_id, position)
                   select s.id, m.id, row_number() over (partition by s.id) from named s, made m),
        asked as (insert into app.polls (post_id) select id from made returning id),
        options as (insert into app.poll_options (poll_id, position, text) select id, n, repeat('😀', 200) from asked, generate_series(1, 6) n)
        insert into app.post_co_authors (post_id, user_id, author_id, split_share, status)
        select id, ${crowd('n')}, '${writer.uuid}', 10, 'accepted' from made, generate_series(1, 4) n`)
      await fresh.plant.unsafe('analyze')
      return get(fresh, `/posts/by/${writer.username}?limit=50`, reader.token)
    },
  },
  {
    what: 'items of a series of 200 notes of 5,000 characters, wide',
    async plant(fresh, { reader }) {
      await fresh.plant.unsafe(`update app.posts set body = repeat('😀', 5000)`)
      const [row] = await fresh.sql`select id from app.series limit 1`
      return get(fresh, `/series/${row?.id}/items`, reader.token)
    },
  },
  {
    what: 'notifications, a page of 50, each by 5,000 people',
    async plant(fresh, { reader }) {
      await fresh.plant.unsafe('truncate app.notifications cascade')
      await fresh.plant.unsafe(`
        with made as (insert into app.notifications (user_id, kind, group_key, count, created_at)
                      select '${reader.uuid}', 'posts.reaction', 'x' || n, 5000, now() - n * interval '1 minute' from generate_series(1, 60) n returning id)
        insert into app.notification_actors (notification_id, actor_id) select id, ${crowd('n')} from made, generate_series(1, 5000) n`)
      await fresh.plant.unsafe(hide(6000, reader.uuid))
      await fresh.plant.unsafe('analyze')
      return get(fresh, '/notifications?limit=50', reader.token)
    },
  },
  ...[
    '/feed?limit=50',
    '/discovery/people?limit=50',
    '/discovery/stream?limit=50',
    '/conversations?limit=50',
    '/me',
  ].map(
    (path): Scene => ({
      what: `for a person who blocked all of the crowd: ${path}`,
      plant: async (fresh, { reader }) => get(fresh, path, reader.token),
    }),
  ),
  {
    what: 'events, a city of 16,000 characters among 400',
    async plant(fresh, { reader, writer }) {
      await fresh.plant.unsafe(`delete from app.audience where viewer_id = '${reader.uuid}' and level < 0`)
      await fresh.plant.unsafe('truncate app.contents cascade')
      await fresh.plant.unsafe(`
        with made as (insert into app.contents (kind, author_id, title, created_at)
                      select 'event', '${writer.uuid}', 'x', now() - n * interval '1 minute' from generate_series(1, 400) n returning id)
        insert into app.events (id, body, starts_at, ends_at, timezone, location_kind, city, country)
        select id, 'x', now() + interval '1 day', now() + interval '2 days', 'UTC', 'place', repeat('é', 100), repeat('é', 100) from made`)
      await fresh.plant.unsafe('analyze')
      return get(fresh, `/events?limit=50&city=${encodeURIComponent('é'.repeat(100))}a`, reader.token)
    },
  },
  {
    what: 'rpc: events, a city of 300,000 characters among 400',
    plant:
      async (fresh, { reader }) =>
      () =>
        fresh.rpc('list_events', { p_city: 'é'.repeat(300_000) }, reader.token),
  },
  {
    what: 'projects, a role among 20 of 80 characters in each of 400',
    async plant(fresh, { reader, writer }) {
      await fresh.plant.unsafe('truncate app.contents cascade')
      await fresh.plant.unsafe(`
        with made as (insert into app.contents (kind, author_id, title, created_at)
                      select 'project', '${writer.uuid}', 'x', now() - n * interval '1 minute' from generate_series(1, 400) n returning id),
        done as (insert into app.projects (id, summary) select id, 'x' from made)
        insert into app.project_roles (project_id, name, about, slots)
        select id, repeat('é ', 40), '', 1 from made, generate_series(1, 20) n`)
      await fresh.plant.unsafe('analyze')
      return get(fresh, '/projects?limit=50&role=nowhere', reader.token)
    },
  },
  {
    what: 'rpc: projects, a role of 300,000 characters among 400',
    plant:
      async (fresh, { reader }) =>
      () =>
        fresh.rpc('list_projects', { p_role: 'éa '.repeat(100_000) }, reader.token),
  },
]
