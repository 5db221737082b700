// Tests the worst-case row counts of requests about debates and problems. See test/support/bounds.ts.
import { crowd, friend, id, ids, isShown, minutes, openBounds } from '../../support/bounds.ts'

const { checkBounds, put } = await openBounds()

/** Creates a content of this kind that everybody sees. */
const open = async (kind: 'debate' | 'problem') => {
  const made = id(
    await put<{ id: string }>(
      `insert into app.contents (kind, author_id, title) select $1, ${friend('1')}, 'x' returning id`,
      kind,
    ),
  )
  const columns =
    kind === 'debate'
      ? `debates (id, body, closes_at) select $1::uuid, 'x', 'infinity'`
      : `problems (id, body) select $1::uuid, 'x'`
  await put(`insert into app.${columns}`, made)
  return made
}

/** Rows by the crowd at a content, with a few by friends in between. The ids of the rows are in order of time. */
const left = async (table: string, of: string, content: string, size: number, more = { names: '', values: '' }) => {
  const made = await put<{ id: string; shown: boolean }>(
    `insert into app.${table} (id, ${of}, author_id, body${more.names})
     select (lpad(to_hex(n), 8, '0') || '-' || substr($1, 1, 4) || '-7000-8000-000000000000')::uuid, $1::text::uuid,
            case when ${isShown(size)} then ${friend('1')} else ${crowd('n')} end, repeat('x', 60)${more.values}
     from generate_series(1, ${size}) n returning id, author_id = ${friend('1')} as shown`,
    content,
  )
  return ids(made.filter(({ shown }) => shown)).reverse()
}
const argued = (debate: string, size: number, parent = 'null::uuid') =>
  left('debate_arguments', 'debate_id', debate, size, {
    names: ', side, depth, parent_id',
    values: `, 'for', 1, ${parent}`,
  })

/** `size` contents of the crowd that contain a word, and a few of friends. */
const crowded = async (kind: 'debate' | 'problem', size: number) => {
  await put('delete from app.contents where true')
  const made = await put<{ id: string; shown: boolean }>(
    `insert into app.contents (kind, author_id, title, words, created_at)
     select $1, case when ${isShown(size)} then ${friend('1')} else ${crowd('n')} end, 'x', private.words_in(array['gears']), ${minutes('n')}
     from generate_series(1, ${size}) n returning id, author_id = ${friend('1')} as shown`,
    kind,
  )
  const columns =
    kind === 'debate'
      ? `debates (id, body, closes_at) select unnest($1::text::uuid[]), 'x', 'infinity'`
      : `problems (id, body, depth) select unnest($1::text::uuid[]), 'x', 3`
  await put(`insert into app.${columns}`, `{${ids(made).join()}}`)
  return ids(made.filter(({ shown }) => shown)).reverse()
}

checkBounds([
  ...['top', 'new'].map((sort) => ({
    operation: 'list_arguments',
    against: `arguments of blocked people, ${sort}`,
    most: 2500,
    async scene(_: string, size: number) {
      const debate = await open('debate')
      const shown = await argued(debate, size)
      return { parameters: `p_id => '${debate}', p_sort => '${sort}'`, shown }
    },
  })),
  {
    operation: 'list_arguments',
    against: 'answers of blocked people',
    most: 2500,
    async scene(_, size) {
      const debate = await open('debate')
      const root = id(
        await put<{ id: string }>(
          `insert into app.debate_arguments (debate_id, author_id, side, depth, body, answered)
           select $1::text::uuid, ${friend('1')}, 'for', 1, repeat('x', 60), true returning id`,
          debate,
        ),
      )
      const shown = await argued(debate, size, `'${root}'::uuid`)
      return { parameters: `p_id => '${debate}', p_parent_id => '${root}'`, shown }
    },
  },
  {
    operation: 'list_solutions',
    against: 'solutions of blocked people',
    most: 2500,
    async scene(_, size) {
      const problem = await open('problem')
      return { parameters: `p_id => '${problem}'`, shown: await left('problem_solutions', 'problem_id', problem, size) }
    },
  },
  {
    operation: 'list_debates',
    against: 'debates of blocked people that have the word',
    most: 2500,
    async scene(_, size) {
      return { parameters: `p_q => 'gears'`, shown: await crowded('debate', size) }
    },
  },
  {
    operation: 'list_problems',
    against: 'problems of blocked people, and a filter',
    most: 3500,
    async scene(_, size) {
      return { parameters: `p_q => 'gears', p_min_depth => 2`, shown: await crowded('problem', size) }
    },
  },
])
