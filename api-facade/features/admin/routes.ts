// Admin routes. Each runs on the service pool after the guard, and its operation checks the stored role itself.
import { routes } from '../../lib/routes.ts'
import { GeneratedCodes, Generation } from './schemas.ts'

export default routes('admin', {
  'POST /admin/invite-codes/generate': {
    summary: 'Generate invite codes',
    description: 'The codes are the calling admin’s own and are valid for 30 days. Leaves an audit entry.',
    access: 'admin',
    operation: 'generate_invite_codes',
    body: Generation,
    answers: { 201: GeneratedCodes },
    fails: ['count_out_of_range'],
  },
})
