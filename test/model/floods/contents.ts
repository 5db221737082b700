// Floods of contents of every kind, in every list of contents. See test/support/floods.ts.
import { type Flood, type Ground, MANY } from '../../support/floods.ts'

type Kind = {
  plural: string
  relation: string
  /** Writes the details of the contents $1, so that they come before or after the others in the kind's own orders. */
  detail(first: boolean): string
}
const recorded = (table: string): Kind['detail'] => {
  return () => `insert into app.${table} (id, media_url) select unnest($1::uuid[]), 'https://example.org/a'`
}
const event = (starts: string) => `
  with made as (
    insert into app.events (id, body, starts_at, ends_at, timezone, location_kind)
    select unnest($1::uuid[]), 'x', ${starts}, now() + interval '9 days', 'UTC', 'online' returning id)
  insert into app.event_seats (event_id, host_id) select c.id, c.author_id from made join app.contents c using (id)`

const kinds: Record<string, Kind> = {
  video: { plural: 'videos', relation: 'videos', detail: recorded('videos') },
  audio: { plural: 'audio', relation: 'audio', detail: recorded('audio') },
  course: {
    plural: 'courses',
    relation: 'courses',
    detail: () => `insert into app.courses (id, summary, depth, price_mana) select unnest($1::uuid[]), 'x', 0, 0`,
  },
  debate: {
    plural: 'debates',
    relation: 'debates',
    detail: () =>
      `insert into app.debates (id, body, closes_at) select unnest($1::uuid[]), 'x', now() + interval '1 day'`,
  },
  event: {
    plural: 'events',
    relation: 'events',
    detail: (first) => event(`now() + interval '${first ? 1 : 2} days'`),
  },
  problem: {
    plural: 'problems',
    relation: 'problems',
    detail: () => `insert into app.problems (id, body) select unnest($1::uuid[]), 'x'`,
  },
  project: {
    plural: 'projects',
    relation: 'projects',
    detail: () => `insert into app.projects (id, summary) select unnest($1::uuid[]), 'x'`,
  },
  offering: {
    plural: 'offerings',
    relation: 'offerings',
    detail: (first) => `
      insert into app.offerings (id, description, price_mana, delivery_days, rating_sum, rating_count)
      select unnest($1::uuid[]), 'x', ${first ? '1, 1, 5, 1' : '1000, 1, 1, 1'}`,
  },
}
export const contentKinds = Object.keys(kinds)

type Where = { space?: string | null; interest?: string | null }

/** `MANY` contents of an author, newer than a content written with `old`. */
async function write(
  { ids, rows }: Ground,
  kind: string,
  author: string,
  { space = null, interest = null }: Where,
  detail: string,
  old = false,
): Promise<string[]> {
  const made = await ids(
    `insert into app.contents (kind, author_id, space_id, interest_id, created_at)
     select $1, $2, $3, $4, now() - $5::interval from generate_series(1, $6::integer) returning id`,
    ...[kind, author, space, interest, old ? '1 day' : '1 minute', old ? 1 : MANY],
  )
  await rows(detail, made)
  return made
}

/** The ways to hide contents that everybody could see, as SQL. */
const ways: Record<string, string> = {
  draft: 'update app.contents set is_draft = true where id = any ($1::uuid[])',
  removed: 'update app.contents set removed_at = now() where id = any ($1::uuid[])',
}

/** Floods hidden in each way, before the visible content in every order. @returns the visible one */
async function flood(ground: Ground, kind: string, where: Where, author?: string): Promise<string> {
  const { detail, relation } = kinds[kind] ?? { detail: () => '', relation: '' }
  const { ban, group, rows, someone } = ground
  const flooder = author ?? (await someone())
  const [honest = ''] = await write(ground, kind, author ?? (await someone()), where, detail(false), true)
  for (const hide of Object.values(ways)) await rows(hide, await write(ground, kind, flooder, where, detail(true)))
  const deleted = await write(ground, kind, flooder, where, detail(true))
  await rows('update app.contents set deleted_at = now() where id = any ($1::uuid[])', deleted)
  await rows(`delete from app.${relation} where id = any ($1::uuid[])`, deleted)
  if (!where.space) await write(ground, kind, flooder, { ...where, space: await group(flooder) }, detail(true))
  if (!author) {
    const banned = await someone()
    await write(ground, kind, banned, where, detail(true))
    await ban(banned)
  }
  return honest
}

/** Orders of lists besides that by publication. */
const orders: Record<string, string[]> = {
  event: [`p_when => 'upcoming'`, 'p_from => now()'],
  offering: [`p_sort => 'price'`, `p_sort => 'rating'`],
}

const listed = (kind: string): Flood[] => {
  const operation = `list_${kinds[kind]?.plural}`
  const inOrders = (narrowed: string) => [narrowed, ...(orders[kind] ?? []).map((order) => `${narrowed}, ${order}`)]
  return [
    {
      operation,
      against: `${kind}s that are hidden`,
      async scene(ground) {
        const interest = await ground.interest()
        const honest = await flood(ground, kind, { interest })
        return { asked: ['', ...(orders[kind] ?? []), `p_interest_id => '${interest}'`], honest }
      },
    },
    {
      operation,
      against: `${kind}s in a group`,
      async scene(ground) {
        const space = await ground.group(ground.stranger)
        return { asked: inOrders(`p_group_id => '${space}'`), honest: await flood(ground, kind, { space }) }
      },
    },
    {
      operation,
      against: `${kind}s of one author`,
      async scene(ground) {
        const author = await ground.someone()
        const honest = await flood(ground, kind, {}, author)
        return { asked: inOrders(`p_author_id => '${await ground.nameOf(author)}'`), honest }
      },
    },
  ]
}

const past = (starts: string) => event(`now() - interval '${starts}'`)

export const contentFloods: Flood[] = [
  // the stream comes first, because it would list the cancelled events of a later flood
  {
    operation: 'list_stream',
    against: 'hidden contents',
    scene: async (ground) => ({ asked: ['p_limit => 50'], honest: await flood(ground, 'audio', {}) }),
  },
  {
    operation: 'list_stream',
    against: 'hidden contents of one kind',
    scene: async (ground) => ({
      asked: [`p_type => 'debate', p_limit => 50`],
      honest: await flood(ground, 'debate', {}),
    }),
  },
  ...contentKinds.flatMap(listed),
  ...['video', 'audio'].map((kind) => ({
    operation: `list_${kinds[kind]?.plural}_by`,
    against: `${kind}s of one author`,
    async scene(ground: Ground) {
      const author = await ground.someone()
      const honest = await flood(ground, kind, {}, author)
      return { asked: [`'${await ground.nameOf(author)}'`], honest }
    },
  })),
  {
    operation: 'list_events',
    against: 'cancelled events',
    async scene(ground) {
      const detail = kinds.event?.detail ?? (() => '')
      const [honest = ''] = await write(ground, 'event', await ground.someone(), {}, detail(false), true)
      const cancelled = await write(ground, 'event', await ground.someone(), {}, detail(true))
      await ground.rows('update app.events set cancelled_at = now() where id = any ($1::uuid[])', cancelled)
      return { asked: [`p_when => 'upcoming'`], honest }
    },
  },
  {
    operation: 'list_events',
    against: 'hidden past events',
    async scene(ground) {
      const [honest = ''] = await write(ground, 'event', await ground.someone(), {}, past('2 hours'), true)
      const hidden = await write(ground, 'event', await ground.someone(), {}, past('1 hour'))
      await ground.rows(ways.removed ?? '', hidden)
      return { asked: [`p_when => 'past'`], honest }
    },
  },
]
