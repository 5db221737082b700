// Reputation routes: what people earned, and what it lets them do. Rules are in sql/reputation.
import { routes } from '../../lib/routes.ts'
import { Capabilities, Reputation, UserId } from './schemas.ts'

const earning =
  'Publishing a post, replying, reactions received, people brought in and the first choice of a category earn it, in the post’s primary interest or the one concerned; a post without an interest earns nothing. Half of an entry rolls up to the parent interest, a quarter to the one above. Replying to one’s own post and reacting to it earn nothing. A reaction taken back takes back what it earned; a post or a reply that is deleted later does not.'

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
    fails: ['person_unknown'],
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
