// Tests the worst-case row counts of requests about moderation. See test/support/bounds.ts.
import { crowd, friend, friendly, id, ids, isShown, minutes, openBounds, SHOWN } from '../../support/bounds.ts'

const { checkBounds, newGroup, newPost, newViewer, put } = await openBounds()

const makeAdmin = (viewer: string) => put(`update app.users set role = 'admin' where id = $1`, viewer)

/** Closed cases about one person's things, without triggers, which would name the person. */
const cases = (person: string, size: number, what = 'gen_random_uuid()') =>
  put<{ id: string }>(
    `insert into app.cases (target_type, target_id, person_id, category, priority, source, status, outcome, closed_at)
     select 'post', ${what}, '${person}', 'other', 3, 'staff', 'closed', 'acted', now()
     from generate_series(1, ${size}) n returning id`,
  )

/** Decisions about one person, each with its audit entry. */
async function decisions(person: string, size: number) {
  const [{ last } = { last: 0 }] = await put<{ last: number }>(
    'select coalesce(max(id), 0)::integer as last from app.audit_log',
  )
  await put(
    `insert into app.audit_log (id, action, target_type, target_id, created_at, hash)
     select ${last} + n, 'user.warned', 'user', '${person}', ${minutes('n')}, '' from generate_series(1, ${size}) n`,
  )
  return put<{ id: string }>(
    `insert into app.decisions (target_type, target_id, person_id, action, reason, decided_at, audit_id)
     select 'user', '${person}', '${person}', 'warn', 'x', now() - n * interval '1 minute', ${last} + n
     from generate_series(1, ${size}) n returning id`,
  )
}

/** The rows that a replay may find around the one post that it judges, for each kind of condition that reads them. */
const replays = [
  {
    against: 'versions of the post',
    condition: { kind: 'words', words: ['nobody says this'] },
    most: 150,
    rows: (_: string, post: string, size: number) =>
      `insert into app.post_versions (post_id, version, body, media, created_at)
       select '${post}', n, 'x', '[]', now() + n * interval '1 second' from generate_series(1, ${size}) n`,
  },
  {
    against: 'posts of the author in the minutes before',
    condition: { kind: 'rate', moreThan: 500, minutes: 1440 },
    most: 1100,
    rows: (author: string, _: string, size: number) =>
      `insert into app.posts (author_id, body, created_at, published_at)
       select '${author}', 'x', now() - interval '60 days', now() - interval '1 minute' from generate_series(1, ${size})`,
  },
  {
    against: 'people whom the author invited',
    condition: { kind: 'near-ban', steps: 3 },
    most: 400,
    rows: (author: string, _: string, size: number) =>
      `insert into app.invite_tree (invitee_id, inviter_id, code_id, created_at)
       select ${crowd('n')}, '${author}', gen_random_uuid(), now() - n * interval '1 minute'
       from generate_series(1, ${size}) n
       on conflict (invitee_id) do update set inviter_id = excluded.inviter_id`,
  },
  {
    against: 'reports of the post',
    condition: { kind: 'reports', people: 20 },
    most: 7000, // reads the last 50 reports, and for each the last 100 settled reports of its reporter
    rows: (_: string, post: string, size: number) =>
      `with settled as (
         insert into app.reports (reporter_id, target_type, target_id, reason, status, created_at, reviewed_at)
         select ${crowd('n % 60')}, 'post', gen_random_uuid(), 'x', 'dismissed', now() - interval '50 days',
                now() - interval '40 days'
         from generate_series(1, 60 * ${size}) n)
       insert into app.reports (reporter_id, target_type, target_id, reason, created_at)
       select ${crowd('n')}, 'post', '${post}', 'x', ${minutes('n')} from generate_series(1, ${size}) n`,
  },
]
/** Creates a group that the viewer owns. */
async function ownGroup(viewer: string): Promise<string> {
  const group = await newGroup([viewer])
  await put(`update app.space_members set role = 'owner' where space_id = $1`, group)
  return group
}

/** Cases that a report opened in a group, newest last. `author` and `target` are SQL over n. */
const groupCases = (
  group: string,
  size: number,
  author: string,
  target = 'gen_random_uuid()',
  more = `'open', null, null`,
) =>
  put<{ id: string; person_id: string }>(
    `insert into app.cases (target_type, target_id, person_id, category, priority, source, space_id, opened_at, status,
                            outcome, closed_at)
     select 'post', ${target}, ${author}, 'other', 4, 'report', '${group}', ${minutes('n')}, ${more}
     from generate_series(1, ${size}) n returning id, person_id`,
  )

checkBounds([
  {
    operation: 'list_cases',
    against: 'cases of other states and types',
    most: 1300,
    role: 'service_role',
    async scene(viewer, size) {
      await makeAdmin(viewer)
      await cases(await newViewer(0), size)
      return { parameters: `p_status => 'closed', p_target_type => 'video'`, shown: [] }
    },
  },
  {
    operation: 'list_cases',
    against: 'closed cases, among which nothing is open',
    most: 100,
    role: 'service_role',
    async scene(viewer, size) {
      await makeAdmin(viewer)
      await cases(await newViewer(0), size)
      return { parameters: `p_status => 'open'`, shown: [] }
    },
  },
  {
    operation: 'list_cases',
    against: 'cases of the person that another has claimed, and that say something else',
    most: 3500, // the operation reads each of the 400 rows with the names of two people
    role: 'service_role',
    async scene(viewer, size) {
      await makeAdmin(viewer)
      const [person, claimer] = [await newViewer(0), await newViewer(0)]
      await put('truncate app.cases cascade') // the place of the person in the queue must not matter
      await put(
        `insert into app.cases (target_type, target_id, person_id, category, priority, source, claimed_by, claimed_until)
         select 'post', gen_random_uuid(), '${person}', 'other', 3, 'staff', '${claimer}', now() + interval '1 hour'
         from generate_series(1, ${size}) n`,
      )
      return { parameters: `p_person_id => '${person}', p_claimed => 'nobody', p_q => 'nobody says this'`, shown: [] }
    },
  },
  ...(['p_person_id', 'p_category'] as const).map((filter) => ({
    operation: 'list_cases',
    against: `cases of others that come first, with ${filter}`,
    most: 2500,
    role: 'service_role' as const,
    async scene(viewer: string, size: number) {
      await makeAdmin(viewer)
      const [person, other] = [await newViewer(0), await newViewer(0)]
      await put('truncate app.cases cascade')
      const made = await put<{ id: string; last: boolean }>(
        `insert into app.cases (target_type, target_id, person_id, category, priority, source)
         select 'post', gen_random_uuid(), case when n > ${size} then '${person}' else '${other}' end::uuid,
                case when n > ${size} then 'spam' else 'other' end, case when n > ${size} then 4 else 3 end, 'staff'
         from generate_series(1, 2 * ${size}) n
         returning id, priority = 4 as last`,
      )
      const value = filter === 'p_person_id' ? person : 'spam'
      return { parameters: `${filter} => '${value}'`, shown: ids(made.filter(({ last }) => last)) }
    },
  })),
  {
    operation: 'get_case',
    against: 'reports, earlier cases, proposals, entries of the history and decisions about the person',
    most: 30_000,
    role: 'service_role',
    async scene(viewer, size) {
      await makeAdmin(viewer)
      const author = await newViewer(0)
      const post = await newPost(`'${author}'`)
      await cases(author, size, `'${post}'`)
      await decisions(author, size)
      const one = id(
        await put<{ id: string }>(
          `insert into app.cases (target_type, target_id, person_id, category, priority, source, reports)
           values ('post', '${post}', '${author}', 'other', 3, 'report', ${size}) returning id`,
        ),
      )
      await put(
        `with made as (
           insert into app.reports (reporter_id, target_type, target_id, reason, created_at)
           select ${crowd('n')}, 'post', '${post}', 'x', ${minutes('n')} from generate_series(1, ${size}) n returning id)
         insert into app.case_reports (case_id, report_id) select '${one}', id from made`,
      )
      await put(
        `insert into app.case_events (case_id, kind, actor_id, note)
         select '${one}', 'note', '${viewer}', 'x' from generate_series(1, ${size}) n`,
      )
      await put(
        `insert into app.case_proposals (case_id, actions, reason, proposed_by, proposed_at, status, settled_by, settled_at)
         select '${one}', '{ban}', 'x', '${viewer}', ${minutes('n')}, 'declined', '${viewer}', now()
         from generate_series(1, ${size}) n`,
      )
      return { parameters: `p_id => '${one}'` }
    },
  },
  {
    operation: 'list_decision_appeals',
    against: 'appeals that say something else',
    most: 3500,
    role: 'service_role',
    async scene(viewer, size) {
      await makeAdmin(viewer)
      const person = await newViewer(0)
      await decisions(person, size)
      await put(
        `insert into app.decision_appeals (decision_id, person_id, text, created_at)
         select id, person_id, 'x', decided_at from app.decisions where person_id = '${person}'`,
      )
      return { parameters: `p_status => 'pending', p_q => 'nobody says this'`, shown: [] }
    },
  },
  {
    operation: 'list_invitees',
    against: 'people of other names',
    most: 2500,
    role: 'service_role',
    async scene(viewer, size) {
      await makeAdmin(viewer)
      await put('delete from app.invite_tree')
      await put(
        `insert into app.invite_tree (invitee_id, inviter_id, code_id, created_at)
         select ${crowd('n')}, ${friend('1')}, gen_random_uuid(), now() - n * interval '1 minute' from generate_series(1, ${size}) n`,
      )
      const last = `${size - 1}`
      const shown = ids(await put<{ id: string }>(`select ${crowd(last)} as id`))
      return { parameters: `p_id => 'friend1', p_q => 'crowd${last}'`, shown }
    },
  },
  {
    operation: 'get_standing',
    against: 'decisions about the person',
    most: 2500,
    async scene(viewer, size) {
      await decisions(viewer, size)
      return { parameters: '' }
    },
  },
  {
    operation: 'list_rule_hits',
    against: 'hits of the rule in another mode that say something else',
    most: 3500, // the operation reads each of the 400 rows with the name of its author
    role: 'service_role',
    async scene(viewer, size) {
      await makeAdmin(viewer)
      const rule = id(
        await put<{ id: string }>(
          `insert into app.moderation_rules (name, conditions, compiled, at_report, applies_to, action)
           values ('x', '[]', '{}', false, '{post}', 'case') returning id`,
        ),
      )
      await put(
        `insert into app.rule_hits (rule_id, target_type, target_id, author_id, mode, action, created_at)
         select '${rule}', 'post', gen_random_uuid(), ${crowd('n')}, 'shadow', 'case', ${minutes('n')}
         from generate_series(1, ${size}) n`,
      )
      return { parameters: `p_id => '${rule}', p_mode => 'live', p_q => 'nobody says this'`, shown: [] }
    },
  },
  ...replays.map(({ against, condition, most, rows }) => ({
    operation: 'replay_draft',
    against,
    most,
    role: 'service_role' as const,
    async scene(viewer: string, size: number) {
      await makeAdmin(viewer)
      const author = await newViewer(0)
      await put(`update app.posts set created_at = now() - interval '60 days'`)
      const post = await newPost(`'${author}'`)
      await put(`update app.posts set created_at = now(), published_at = now() where id = '${post}'`)
      await put(rows(author, post, size))
      return { parameters: `p_conditions => '[${JSON.stringify(condition)}]', p_applies_to => '{post}'` }
    },
  })),
  ...[false, true].map((isPopular) => ({
    operation: 'get_case',
    against: `cases, entries and reports of other things, with ${isPopular ? 'many' : 'none'} before of this one`,
    most: 2000,
    role: 'service_role' as const,
    async scene(viewer: string, size: number) {
      await makeAdmin(viewer)
      await put('truncate app.cases, app.reports cascade')
      const [author, popular] = [await newViewer(0), await newPost(friend('1'))]
      const things = [popular, await newPost(friend('1'))]
      const made = await cases(author, size / 3, `'${popular}'`)
      await put(
        `insert into app.case_events (case_id, kind, note)
         select '${id(made)}', 'note', 'x' from generate_series(1, ${size}) n`,
      )
      const one = id(await cases(author, 1, `'${things[isPopular ? 0 : 1]}'`))
      await cases(author, size)
      return { parameters: `p_id => '${one}'` }
    },
  })),
  {
    operation: 'list_space_reports',
    against: 'cases about what the caller wrote themselves',
    most: 700,
    async scene(viewer, size) {
      const group = await ownGroup(viewer)
      const made = await groupCases(
        group,
        size,
        `case when ${isShown(size)} then ${friend(friendly(size))} else '${viewer}' end`,
      )
      const shown = ids(made.filter(({ person_id }) => person_id !== viewer)).reverse()
      return { parameters: `p_kind => 'group', p_id => '${group}'`, shown }
    },
  },
  {
    operation: 'list_space_reports',
    against: 'closed cases, and cases of other groups',
    most: 300,
    async scene(viewer, size) {
      const [group, other] = [await ownGroup(viewer), await newGroup([])]
      await groupCases(group, size, friend('1'), undefined, `'closed', 'acted', now()`)
      await groupCases(other, size, friend('1'))
      const shown = ids(await groupCases(group, SHOWN, friend('1'))).reverse()
      return { parameters: `p_kind => 'group', p_id => '${group}'`, shown }
    },
  },
  {
    operation: 'list_space_reports',
    against: 'reports of one thing',
    most: 300,
    async scene(viewer, size) {
      const group = await ownGroup(viewer)
      const post = await newPost(friend('1'))
      const shown = ids(await groupCases(group, 1, friend('1'), `'${post}'::uuid`))
      await put(
        `with made as (
           insert into app.reports (reporter_id, target_type, target_id, reason, created_at)
           select ${crowd('n')}, 'post', '${post}', 'x', ${minutes('n')} from generate_series(1, ${size}) n returning id)
         insert into app.case_reports (case_id, report_id) select '${shown[0]}', id from made`,
      )
      return { parameters: `p_kind => 'group', p_id => '${group}'`, shown }
    },
  },
  {
    operation: 'list_reports',
    against: 'reports that still belong to a group',
    most: 2500, // the operation reads each of the 400 rows with its case
    role: 'service_role',
    async scene(viewer, size) {
      await makeAdmin(viewer)
      await put('truncate app.cases, app.reports cascade')
      const group = await newGroup([])
      await groupCases(group, size, friend('1'))
      await put(`update app.cases set staff_from = now() + interval '1 day' where space_id = '${group}'`)
      const isAtOnce = `c.number % ${size / SHOWN} = 0`
      const made = await put<{ id: string; shown: boolean }>(
        `with made as (
           insert into app.reports (reporter_id, target_type, target_id, reason, created_at)
           select ${friend('1')}, c.target_type, c.target_id, 'x', ${minutes('c.number')} from app.cases c
           returning id, target_id, created_at
         ), joined as (
           insert into app.case_reports (case_id, report_id)
           select c.id, m.id from made m join app.cases c on c.target_id = m.target_id where not ${isAtOnce})
         select m.id, ${isAtOnce} as shown
         from made m join app.cases c on c.target_id = m.target_id order by m.created_at desc`,
      )
      return { parameters: `p_status => 'open'`, shown: ids(made.filter(({ shown }) => shown)) }
    },
  },
  {
    operation: 'limit_person',
    against: 'posts and followers of the person',
    most: 100,
    role: 'service_role',
    async scene(viewer, size) {
      await makeAdmin(viewer)
      const person = await newViewer(0)
      await put(`insert into app.posts (author_id, body) select '${person}', 'x' from generate_series(1, ${size})`)
      await put(
        `insert into app.follows (follower_id, following_id) select ${crowd('n')}, '${person}' from generate_series(1, ${size}) n`,
      )
      return { parameters: `p_id => '${person}', p_reason => 'x'` }
    },
  },
  {
    operation: 'get_transparency',
    against: 'reports of the year, and of other years',
    most: 101_000,
    sizes: [100_500],
    role: 'service_role',
    async scene(viewer, size) {
      await makeAdmin(viewer)
      for (const at of ['2020-06-01', '2021-06-01'])
        await put(
          `insert into app.reports (reporter_id, target_type, target_id, reason, created_at)
           select ${friend('1')}, 'post', gen_random_uuid(), 'x', '${at}' from generate_series(1, ${size}) n`,
        )
      return { parameters: 'p_year => 2020' }
    },
  },
  {
    operation: 'get_transparency',
    against: 'entries in the history of cases that a space closed',
    most: 100,
    role: 'service_role',
    async scene(viewer, size) {
      await makeAdmin(viewer)
      const made = await groupCases(
        await newGroup([]),
        SHOWN,
        friend('1'),
        undefined,
        `'closed', 'acted', '2019-06-01'`,
      )
      await put(
        `insert into app.case_events (case_id, kind, detail)
         select c::uuid, e.kind, '{"action": "hide"}'
         from unnest('{${ids(made).join()}}'::text[]) c
         cross join (select 'note' as kind from generate_series(1, ${size / SHOWN}) union all select 'space') e`,
      )
      return { parameters: 'p_year => 2019' }
    },
  },
  {
    operation: 'get_statement',
    against: 'entries of the log that other checkpoints cover',
    most: 600,
    async scene(viewer, size) {
      const decision = (await decisions(viewer, size))[size / 2 - 1]
      const [{ entry } = { entry: 0 }] = await put<{ entry: number }>(
        `select audit_id::integer as entry from app.decisions where id = '${decision?.id}'`,
      )
      await put('delete from private.audit_checkpoints')
      await put(
        `insert into private.audit_checkpoints (number, entries, head, root, created_at, key, signature)
         select n, ${entry - size / 2} + n * 100, '', '', now(), 'x', 'x' from generate_series(1, ${size / 100}) n`,
      )
      await put(`update app.audit_log set detail_hash = '' where id = ${entry}`)
      return { parameters: `p_id => '${decision?.id}'` }
    },
  },
])
