// Reputation routes: what people earned, and what it lets them do. Rules are in sql/reputation.
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
  'Publishing a post (3), replying (a reply 1, a criticism 2, a contribution 5, an emotional one nothing), reactions, bookmarks and reposts received (1 each, reactions once a person and post), people brought in (3) and the first choice of a category (5) earn it, in the post’s primary interest or the one concerned; a post without an interest earns nothing. Peer votes move it, and so does the staff. Half of an entry rolls up to the parent interest, a quarter to the one above. What I do with my own posts earns nothing. What is taken back takes back what it earned, and a post that is deleted all that it earned its author; a reply that is hidden or deleted does not.'

export default routes('reputation', {
  'GET /reputation/me': {
    summary: 'My reputation by interest',
    description: `The strongest interest first, in one list; an interest whose value is 0 is left out. ${earning}`,
    access: 'user',
    operation: 'get_my_reputation',
    answers: { 200: Reputation },
  },
  'GET /reputation/:userId': {
    summary: 'A person’s reputation by interest',
    description: 'As `GET /reputation/me`.',
    access: 'user',
    operation: 'get_reputation',
    params: UserId,
    as: { userId: 'p_person' },
    answers: { 200: Reputation },
  },
  'GET /reputation/me/detailed': {
    summary: 'My reputation with its parts, and the events behind it',
    description:
      '`interests` has all interests, the strongest first. `limit` and `cursor` are those of `events`, newest first; a roll-up is an event of its own, and so is what is taken back, with a delta below 0. `contributionScore` counts what I do for the whole: 10 for a post (a repost is none), 3 for a reply, 1 for a reaction and 1 for a bookmark (once a post), 2 for an emoji payment; what is taken back, or a post that is deleted, is taken off, and what I do with my own posts counts nothing. Of all that, half comes also to who invited me, a quarter to who invited them, a tenth to the next: what those whom I invited bring me is there within a minute or two.',
    access: 'user',
    operation: 'get_reputation_details',
    page: true,
    answers: { 200: DetailedReputation },
  },
  'GET /reputation/users/:id/public': {
    summary: 'A person’s reputation in short',
    description: 'The total and up to five interests, the strongest first; none whose value is not above 0.',
    access: 'user',
    operation: 'get_reputation_summary',
    params: PersonId,
    as: { id: 'p_person' },
    answers: { 200: ReputationSummary },
  },
  'POST /reputation/vote': {
    summary: 'Vote for a person in an interest, or against',
    description:
      'I must have chosen the interest; the other need not. My vote weighs `min(3, sqrt(r / 10))`, where r is my own reputation in it, and nothing while r is below 5. There is one vote a person and interest: voting again moves it, at what it weighs by then, and replaces the comment; 0 takes it back, comment and all. The reputation of the other is then as if only the last vote had been cast. They hear of a vote for or against, and who it is from; not of 0, nor when the value stays. At most 300 votes an hour and person, moved ones among them, unless an operator sets another number: 429 `writes_exceeded`, and `Retry-After` says until when.',
    access: 'user',
    operation: 'vote_reputation',
    body: NewVote,
    answers: { 200: CastVote },
  },
  'GET /reputation/votes/mine': {
    summary: 'The votes for and against me that stand, newest first',
    description:
      'By when each was first cast: a vote that is moved stays at its place. Those of people whom I cannot see (a block, a ban, an erasure) are left out, though they count.',
    access: 'user',
    operation: 'list_received_votes',
    page: true,
    answers: { 200: ReceivedVotePage },
  },
  'POST /reputation/appeals': {
    summary: 'Appeal to the staff about my reputation in an interest',
    description:
      'About the interest as a whole, or with `eventId` about one event of `GET /reputation/me/detailed` in it. While one in the same interest is pending another is 409.',
    access: 'user',
    operation: 'create_appeal',
    body: NewAppeal,
    answers: { 201: Appeal },
  },
  'GET /reputation/appeals': {
    summary: 'My appeals, newest first',
    access: 'user',
    operation: 'list_my_appeals',
    page: true,
    answers: { 200: AppealPage },
  },
  'GET /access/me': {
    summary: 'What I may do',
    description:
      '`canVoteWiki` from 5 in total; `canMentor` from 30 in one interest or 50 in total; `canPostJournalism` from 20 in one interest; `canModerate` for moderators and admins; `canProposeGuild` is always false in the first release.',
    access: 'user',
    operation: 'get_my_capabilities',
    answers: { 200: Capabilities },
  },
})
