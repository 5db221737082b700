// The routes of personas. Rules are in sql/identity/17_personas.sql.
import { routes } from '../../lib/routes.ts'
import { UuidId } from '../../lib/schemas.ts'
import { NewPersona, Persona, PersonaChanges, PersonaPage } from './account-schemas.ts'

export default routes('identity', {
  'GET /me/personas': {
    summary: 'List your personas, oldest first',
    description: 'You have at most 5, so there is always one page.',
    access: 'user',
    operation: 'list_my_personas',
    etag: true,
    answers: { 200: PersonaPage },
    outcome: 'Your personas.',
  },
  'POST /me/personas': {
    summary: 'Create a persona',
    description: 'You can have at most 5, each with a different name. A new persona is not the default.',
    access: 'user',
    operation: 'create_persona',
    body: NewPersona,
    answers: { 201: Persona },
    outcome: 'The new persona.',
  },
  'PATCH /me/personas/:id': {
    summary: 'Change a persona',
    description: 'Absent fields do not change; null clears `about` and `profilePicUrl`.',
    access: 'user',
    operation: 'update_persona',
    params: UuidId,
    body: PersonaChanges,
    bodyAs: 'p_changes',
    answers: { 200: Persona },
    outcome: 'The persona after the change.',
  },
  'DELETE /me/personas/:id': {
    summary: 'Delete a persona',
    description:
      'The default persona cannot be deleted, even if it is the only one: make another one the default first.',
    access: 'user',
    operation: 'delete_persona',
    params: UuidId,
    answers: { 204: null },
    outcome: 'The persona is deleted.',
  },
  'POST /me/personas/:id/set-default': {
    summary: 'Make a persona the default',
    description: 'There is always exactly one default. Repeating it changes nothing.',
    access: 'user',
    operation: 'set_default_persona',
    params: UuidId,
    answers: { 200: Persona },
    outcome: 'The persona, now the default.',
  },
})
