// Interests routes: the catalog, and the caller's choice. Rules are in sql/interests.
import { routes } from '../../lib/routes.ts'
import { UuidId } from '../../lib/schemas.ts'
import { Catalog, CatalogQuery, Choice, Choices, NewChoice, NewChoices } from './schemas.ts'

/** What the feature offers, for the API's description. */
export const about = 'The catalog of interests, and those that a person has chosen.'

export default routes('interests', {
  'GET /interests/catalog': {
    summary: 'Get the catalog of interests',
    description:
      'Without a query the whole tree: categories (level 1) with nested `children` down to level 3, where `children` is empty. With `level`, `parentId` or both a flat list without `children`. Ordered by name, and always complete, without pages. A parent that does not exist is 404. The ETag changes with the catalog and its counts.',
    access: 'user',
    operation: 'get_catalog',
    query: CatalogQuery,
    etag: true,
    answers: { 200: Catalog },
    outcome: 'All interests of the instance.',
  },
  'GET /me/interests': {
    summary: 'List your interests',
    description: 'All of them in one page, in the order in which you chose them.',
    access: 'user',
    also: ['GET /interests/me'],
    operation: 'list_my_interests',
    etag: true,
    answers: { 200: Choices },
    outcome: 'The interests that you chose, with your depth and expertise.',
  },
  'POST /me/interests': {
    summary: 'Choose an interest, or change its depth and expertise',
    description:
      'Also 201 if it was already chosen. 404 if the interest does not exist. Gives no initial reputation; the bulk route does.',
    access: 'user',
    operation: 'select_interest',
    never: ['interest_depth_out_of_range', 'interest_expertise_out_of_range'],
    body: NewChoice,
    answers: { 201: Choice },
    outcome: 'The interest as you chose it.',
  },
  'POST /interests/me/bulk': {
    summary: 'Choose several interests',
    description:
      'Adds or changes the named interests and leaves the others unchanged. All or nothing: if one does not exist, the request is 404. If an interest is named twice, the last entry counts. Returns all your interests. A category (level 1) that is itself in the list gives you an initial reputation of 5, once in a lifetime.',
    access: 'user',
    operation: 'select_interests',
    never: ['interest_depth_out_of_range', 'interest_expertise_out_of_range'],
    body: NewChoices,
    answers: { 200: Choices },
    outcome: 'All interests that you have chosen now.',
  },
  'DELETE /me/interests/:id': {
    summary: 'Remove an interest from those that you chose',
    description:
      '`id` is the id of the interest. Repeating it changes nothing; an interest that does not exist is 404. Reputation stays.',
    access: 'user',
    operation: 'drop_interest',
    params: UuidId,
    as: { id: 'p_interest_id' },
    answers: { 204: null },
    outcome: 'The interest is no longer among yours.',
  },
})
