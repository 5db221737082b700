// Tests the worst-case row counts of requests about reputation. See test/support/bounds.ts.
import { crowd, friend, friendly, ids, isShown, minutes, openBounds } from '../../support/bounds.ts'

const { checkBounds, put } = await openBounds()

checkBounds([
  {
    operation: 'list_received_votes',
    against: 'votes of hidden people, and removed votes',
    most: 2500,
    async scene(viewer, size) {
      const made = await put<{ id: string; shown: boolean }>(
        `insert into app.reputation_votes (voter_id, user_id, interest_id, value, impact, created_at)
         select case when ${isShown(size)} then ${friend(friendly(size))} else ${crowd('n')} end, '${viewer}',
                (select id from app.interests order by id limit 1),
                case when n % 2 = 0 or ${isShown(size)} then 1 else 0 end, 1, ${minutes('n')}
         from generate_series(1, ${size}) n returning id, voter_id >= ${friend('0')} as shown`,
      )
      return { parameters: '', shown: ids(made.filter(({ shown }) => shown)).reverse() }
    },
  },
  {
    operation: 'get_reputation_details',
    against: 'ledger entries',
    most: 1000,
    async scene(viewer, size) {
      await put(
        `insert into app.reputation_entries (user_id, interest_id, kind, delta)
         select '${viewer}', (select id from app.interests order by id limit 1), 'reaction.received', 1
         from generate_series(1, ${size}) n`,
      )
      return { parameters: '' }
    },
  },
])
