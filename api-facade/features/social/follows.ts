// Follows. Rules are in sql/social/50_follows.sql, visibility in policies/social.sql.
import { routes } from '../../lib/routes.ts'
import { PersonId } from '../../lib/schemas.ts'
import { FollowStats, PersonPage } from './schemas.ts'

export default routes('social', {
  'POST /circles/users/:id/follow': {
    summary: 'Follow a person',
    description:
      'Repeating it changes nothing, and tells the person nothing. At most 400 an hour and person, repeats among them, unless an operator sets another number: 429 `writes_exceeded`, and `Retry-After` says until when.',
    access: 'user',
    also: ['POST /users/:id/follow'],
    operation: 'follow_person',
    params: PersonId,
    as: { id: 'p_person' },
    answers: { 200: FollowStats },
  },
  'DELETE /circles/users/:id/follow': {
    summary: 'End a follow',
    description: 'Repeating it changes nothing.',
    access: 'user',
    also: ['DELETE /users/:id/follow'],
    operation: 'unfollow_person',
    params: PersonId,
    as: { id: 'p_person' },
    answers: { 204: null },
  },
  'GET /circles/users/:id/follow-stats': {
    summary: 'How many follow a person, and whom they follow',
    description: 'As many as the lists show to the caller: banned people and those across a block are not counted.',
    access: 'user',
    operation: 'follow_stats',
    params: PersonId,
    as: { id: 'p_person' },
    answers: { 200: FollowStats },
  },
  'GET /circles/users/:id/followers': {
    summary: 'Who follows a person, newest first',
    description: 'The cursor is an actor id; it holds for a day after that follow has ended.',
    access: 'user',
    operation: 'list_followers',
    params: PersonId,
    as: { id: 'p_person' },
    page: true,
    answers: { 200: PersonPage },
  },
  'GET /circles/users/:id/following': {
    summary: 'Whom a person follows, newest first',
    description: 'The cursor is an actor id; it holds for a day after that follow has ended.',
    access: 'user',
    operation: 'list_following',
    params: PersonId,
    as: { id: 'p_person' },
    page: true,
    answers: { 200: PersonPage },
  },
})
