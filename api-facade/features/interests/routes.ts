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
      'Without a query, returns the whole tree: categories (level 1) with nested `children` down to level 3, where `children` is empty. With `level`, `parentId` or both, returns a flat list without `children`. Both are ordered by name and complete, without pages. A parent that does not exist is 404. The ETag changes with the catalog and its counts.',
    access: 'user',
    operation: 'get_catalog',
    query: CatalogQuery,
    etag: true,
    answers: { 200: Catalog },
    outcome: 'All interests of the instance.',
  },
  'GET /me/interests': {
    summary: 'List your interests',
    description: 'Lists all of them on one page, in the order in which you chose them.',
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
      'The answer is 201 even if the interest was already chosen. 404 if the interest does not exist. Gives no initial reputation; the bulk route does.',
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
      'Adds or changes the named interests and leaves the others unchanged. If one does not exist, the request is 404 and changes nothing. If an interest is named twice, the last entry counts. Returns all your interests. A category (level 1) that is itself in the list gives you an initial reputation of 5, once in a lifetime.',
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
      '`id` is the id of the interest. Repeating it changes nothing; an interest that does not exist is 404. Your reputation in the interest stays.',
    access: 'user',
    operation: 'drop_interest',
    params: UuidId,
    as: { id: 'p_interest_id' },
    answers: { 204: null },
    outcome: 'The interest is removed from yours.',
  },
})
