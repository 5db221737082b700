// Tests the worst-case row counts of requests of the wiki. See test/support/bounds.ts.
import { crowd, friend, friendly, ids, isShown, minutes, openBounds } from '../../support/bounds.ts'

const { checkBounds, put } = await openBounds()

const interests = await put<{ id: string; slug: string }>(`select id, slug from app.interests order by id limit 20`)
const next = () => interests.pop() ?? { id: '', slug: '' }
const proposals = (size: number, interest: string) =>
  put<{ id: string; shown: boolean }>(
    `insert into app.wiki_proposals (interest_id, author_id, base_version, body, summary, created_at)
     select '${interest}', case when ${isShown(size)} then ${friend(friendly(size))} else ${crowd('n')} end, 0, 'x',
            case when ${isShown(size)} then 'owls${size}' else 'x' end, ${minutes('n')}
     from generate_series(1, ${size}) n returning id, author_id >= ${friend('0')} as shown`,
  ).then((made) => ids(made.filter(({ shown }) => shown)).reverse())
const versions = (size: number, interest: string) =>
  put<{ id: string }>(
    `insert into app.wiki_versions (interest_id, version, body, summary, author_id)
     select '${interest}', n, 'x', 'x', ${crowd('n')} from generate_series(1, ${size}) n returning id`,
  )

checkBounds([
  {
    operation: 'list_wiki_proposals',
    against: 'proposals of people whom the caller can’t see',
    most: 2500,
    async scene(_, size) {
      const { id, slug } = next()
      return { parameters: `p_slug => '${slug}'`, shown: await proposals(size, id) }
    },
  },
  {
    operation: 'list_all_wiki_proposals',
    against: 'proposals that don’t match',
    role: 'service_role',
    most: 2500,
    async scene(viewer, size) {
      await put(`update app.users set role = 'admin' where id = '${viewer}'`)
      await proposals(size, next().id)
      return { parameters: `p_q => 'owls${size}'` }
    },
  },
  {
    operation: 'list_wiki_versions',
    against: 'versions',
    most: 300,
    async scene(_, size) {
      const { id, slug } = next()
      await versions(size, id)
      return { parameters: `p_slug => '${slug}'` }
    },
  },
  {
    operation: 'get_wiki_entry',
    against: 'versions',
    most: 30,
    async scene(_, size) {
      const { id, slug } = next()
      await versions(size, id)
      return { parameters: `p_slug => '${slug}'` }
    },
  },
])
