// Interests routes: the catalog, and what I chose from it. Rules are in sql/interests.
import { routes } from '../../lib/routes.ts'
import { UuidId } from '../../lib/schemas.ts'
import { Catalog, CatalogQuery, Choice, Choices, NewChoice, NewChoices } from './schemas.ts'

export default routes('interests', {
  'GET /interests/catalog': {
    summary: 'The catalog of interests',
    description:
      'Without a query the whole tree: categories (level 1) with their `children` nested down to level 3, where `children` is empty. With `level`, `parentId` or both a flat list of what they name, without `children`. By name, and never in pages. A parent that does not exist is 404. The ETag changes with the catalog and its counts.',
    access: 'user',
    operation: 'get_catalog',
    query: CatalogQuery,
    etag: true,
    answers: { 200: Catalog },
  },
  'GET /me/interests': {
    summary: 'My interests',
    description: 'All of them in one list, in the order in which I chose them.',
    access: 'user',
    also: ['GET /interests/me'],
    operation: 'list_my_interests',
    answers: { 200: Choices },
  },
  'POST /me/interests': {
    summary: 'Choose an interest, or change its depth and expertise',
    description:
      '201 also when it was chosen before. An interest that does not exist is 404. It seeds no reputation: that is for the bulk confirmation.',
    access: 'user',
    operation: 'select_interest',
    never: ['interest_depth_out_of_range', 'interest_expertise_out_of_range'],
    body: NewChoice,
    answers: { 201: Choice },
  },
  'POST /interests/me/bulk': {
    summary: 'Confirm a choice of interests',
    description:
      'Adds or changes those named and leaves the others, all or nothing: one that does not exist makes all of it 404. Of one named twice the last counts. Answers everything that is chosen then. A category (level 1) that is itself named seeds 5 reputation in it, once in a lifetime.',
    access: 'user',
    operation: 'select_interests',
    never: ['interest_depth_out_of_range', 'interest_expertise_out_of_range'],
    body: NewChoices,
    answers: { 200: Choices },
  },
  'DELETE /me/interests/:id': {
    summary: 'Take a choice back',
    description:
      'Takes the id of the interest. Repeating it changes nothing; an interest that does not exist is 404. Reputation stays.',
    access: 'user',
    operation: 'drop_interest',
    params: UuidId,
    as: { id: 'p_interest_id' },
    answers: { 204: null },
  },
})
