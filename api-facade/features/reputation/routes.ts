// Reputation routes: what people earned, and the capabilities that it gives. Rules are in sql/reputation.
import { routes } from '../../lib/routes.ts'
import { PersonId, UserId } from '../../lib/schemas.ts'
import {
  Appeal,
  AppealPage,
  Capabilities,
  CastVote,
  DetailedReputation,
  NewAppeal,
  NewVote,
  ReceivedVotePage,
  Reputation,
  ReputationSummary,
} from './schemas.ts'

const earning =
  'You earn reputation by publishing a post (3) and by replying (a reply 1, a criticism 2, a contribution 5, a reaction nothing). You also earn it when your posts get reactions, bookmarks or reposts (1 each; reactions once per person and post), when people join with your invites (3), and when you first choose a category (5). It counts in the primary interest of the post, or in the interest concerned. A post without an interest earns nothing. Peer votes and staff also change it. Half of an entry is added to the parent interest, a quarter to the parent of that. Actions on your own posts earn nothing. Undoing an action takes back what it earned, and deleting a post takes back everything that it earned its author; hiding or deleting a reply does not.'

/** What the feature offers, for the API's description. */
export const about = 'Reputation by interest: its entries, votes of others, and appeals.'

export default routes('reputation', {
  'GET /reputation/me': {
    summary: 'Get your reputation by interest',
    description: `Lists all interests, the highest value first. Leaves out interests with a value of 0. ${earning}`,
    access: 'user',
    operation: 'get_my_reputation',
    answers: { 200: Reputation },
    outcome: 'Your total, and the value and level of each interest.',
  },
  'GET /reputation/:userId': {
    summary: 'Get a person’s reputation by interest',
    description: 'The same as `GET /reputation/me`, for another person.',
    access: 'user',
    operation: 'get_reputation',
    params: UserId,
    as: { userId: 'p_person' },
    answers: { 200: Reputation },
    outcome: 'The person’s total, and the value and level of each interest.',
  },
  'GET /reputation/me/detailed': {
    summary: 'Get your reputation in detail, with the events behind it',
    description:
      '`interests` has all interests, highest first. `limit` and `cursor` page through `events`, newest first; a share from an interest below is a separate event, and so is an undone action, with a negative delta. `contributionScore` counts contributions to the community: 10 for a post (none for a repost), 3 for a reply, 1 for a reaction and 1 for a bookmark (once per post), 2 for an emoji payment. Undone actions and deleted posts are subtracted, and actions on your own posts do not count. Half of this score is also added to the score of the person who invited you, a quarter to the score of the person who invited them, and a tenth to the next. The share that you get from people whom you invited arrives within a minute or two.',
    access: 'user',
    operation: 'get_reputation_details',
    page: true,
    answers: { 200: DetailedReputation },
    outcome: 'Your totals, each interest, and your latest events.',
  },
  'GET /reputation/users/:id/public': {
    summary: 'Get a summary of a person’s reputation',
    description: 'Returns the total and up to five interests, highest first; only interests with a value above 0.',
    access: 'user',
    operation: 'get_reputation_summary',
    params: PersonId,
    as: { id: 'p_person' },
    answers: { 200: ReputationSummary },
    outcome: 'The person’s total and best interests.',
  },
  'POST /reputation/vote': {
    summary: 'Vote for or against a person in an interest',
    description:
      'You must have chosen the interest; the other person need not. Your vote has the weight `min(3, sqrt(r / ' +
      '10))`, where r is your own reputation in the interest, and no weight while r is below 5. There is one vote ' +
      'per person and interest. Voting again replaces the vote, with your current weight and the new comment. A ' +
      'value of 0 removes the vote and its comment. The reputation of the other person is then as if you had only ' +
      'cast your last vote. They are notified of a vote for or against and see who cast it. They are not notified ' +
      'of 0, or if the value stays the same. Limit: 300 votes per person and hour, including changed ones, unless ' +
      'the operator sets another one (429 `writes_exceeded`). `Retry-After` says when to try again.',
    access: 'user',
    operation: 'vote_reputation',
    body: NewVote,
    answers: { 200: CastVote },
    outcome: 'Your vote as it counts now; value 0 after removing it.',
  },
  'GET /reputation/votes/mine': {
    summary: 'List current votes for and against you, newest first',
    description:
      'The list is ordered by the time at which each vote was first cast; a changed vote keeps its position. Votes of people whom you cannot see (blocked, banned or erased) are left out, although they count.',
    access: 'user',
    id: 'listReceivedReputationVotes',
    operation: 'list_received_votes',
    page: true,
    answers: { 200: ReceivedVotePage },
    outcome: 'A page of votes that name nobody.',
  },
  'POST /reputation/appeals': {
    summary: 'Appeal to staff about your reputation in an interest',
    description:
      'The appeal is about the interest as a whole, or with `eventId` about one of its events in `GET /reputation/me/detailed`. 409 while you have a pending appeal in the same interest.',
    access: 'user',
    operation: 'create_appeal',
    body: NewAppeal,
    answers: { 201: Appeal },
    outcome: 'Your appeal, which waits for staff.',
  },
  'GET /reputation/appeals': {
    summary: 'List your appeals, newest first',
    description: 'Lists appeals of every status.',
    access: 'user',
    operation: 'list_my_appeals',
    page: true,
    answers: { 200: AppealPage },
    outcome: 'A page of your appeals with their decisions.',
  },
  'GET /access/me': {
    summary: 'Get your capabilities',
    description:
      'You get `canVoteWiki` with a reputation of 5 in total, `canMentor` with 30 in one interest or 50 in total, and `canPostJournalism` with 20 in one interest. Moderators and admins get `canModerate`. `canProposeGuild` is always false.',
    access: 'user',
    id: 'getMyCapabilities',
    operation: 'get_my_capabilities',
    answers: { 200: Capabilities },
    outcome: 'What you are allowed to do, by capability.',
  },
})
