// The routes of follows and followers. Rules are in sql/social/50_follows.sql, visibility in policies/social.sql.
import { routes } from '../../lib/routes.ts'
import { PersonId } from '../../lib/schemas.ts'
import { FollowStats, PersonPage } from './schemas.ts'

export default routes('social', {
  'POST /circles/users/:id/follow': {
    summary: 'Follow a person',
    description:
      'Repeating it changes nothing and does not notify the person again. Limit: 400 follows per person and hour, including repeated ones, unless the operator sets another one (429 `writes_exceeded`). `Retry-After` says when to try again.',
    access: 'user',
    also: ['POST /users/:id/follow'],
    operation: 'follow_person',
    params: PersonId,
    as: { id: 'p_person' },
    answers: { 200: FollowStats },
    outcome: 'The person’s numbers, with you among the followers.',
  },
  'DELETE /circles/users/:id/follow': {
    summary: 'Unfollow a person',
    description: 'Repeating it changes nothing.',
    access: 'user',
    also: ['DELETE /users/:id/follow'],
    operation: 'unfollow_person',
    params: PersonId,
    as: { id: 'p_person' },
    answers: { 204: null },
    outcome: 'You do not follow the person.',
  },
  'GET /circles/users/:id/follow-stats': {
    summary: 'Count a person’s followers, and the people whom they follow',
    description:
      'Counts exactly the people in the lists that you get: without banned people and people with a block between you.',
    access: 'user',
    id: 'getFollowStats',
    operation: 'follow_stats',
    params: PersonId,
    as: { id: 'p_person' },
    answers: { 200: FollowStats },
    outcome: 'The person’s numbers, and whether you follow them.',
  },
  'GET /circles/users/:id/followers': {
    summary: 'List a person’s followers, newest first',
    description: 'The cursor is an actor id. It is valid for a day after that follow has ended.',
    access: 'user',
    operation: 'list_followers',
    params: PersonId,
    as: { id: 'p_person' },
    page: true,
    answers: { 200: PersonPage },
    outcome: 'A page of people.',
  },
  'GET /circles/users/:id/following': {
    summary: 'List people whom a person follows, newest first',
    description: 'The cursor is an actor id. It is valid for a day after that follow has ended.',
    access: 'user',
    operation: 'list_following',
    params: PersonId,
    as: { id: 'p_person' },
    page: true,
    answers: { 200: PersonPage },
    outcome: 'A page of people.',
  },
})
