// The routes of statements of reasons. The rules: sql/moderation/70_statements.sql.
import { Proof } from '../../lib/checkpoints.ts'
import { routes } from '../../lib/routes.ts'
import { Timestamp, Uuid, UuidId, z } from '../../lib/schemas.ts'
import { unlogged } from './cases.ts'
import { statement } from './handlers.ts'
import { AppealPath, IdentityWithDecision } from './schemas.ts'

const Statement = z
  .object({
    id: Uuid,
    action: z
      .enum(['warn', 'hide', 'remove', 'limit', 'suspend', 'ban'])
      .describe('What was decided. `suspend` is a ban that ends by itself.'),
    targetType: z
      .string()
      .openapi({ description: 'The type of the thing that the decision concerns.', example: 'post' }),
    targetId: Uuid.nullable().describe(
      'The id of the thing that the decision concerns; null if it concerns you as a person.',
    ),
    category: z.string().openapi({ description: 'The category of what was wrong.', example: 'spam' }),
    categoryText: z.string().describe('The category in words.'),
    rule: z.string().nullable().describe('The broken rule of the instance; null if none was named.'),
    reason: z.string().describe('The reason in the words of staff; empty if none was given.'),
    automated: z.boolean().describe('Whether a rule decided instead of a person.'),
    endsAt: Timestamp.nullable().describe('When the decision ends by itself; null if it does not.'),
    liftedAt: Timestamp.nullable().describe('When the decision was ended; null if it was not.'),
    overturnedAt: Timestamp.nullable().describe('When an appeal overturned it; null if none did.'),
    createdAt: Timestamp,
    appealPath: AppealPath,
    proof: Proof.nullable().describe(
      'Proves that the decision is in the audit log; null until the next checkpoint covers it, within a day.',
    ),
  })
  .openapi('Statement')

export default routes('moderation', {
  'GET /me/standing/:id/statement': {
    summary: 'Get the statement of reasons for a decision about you',
    description:
      'Says what was decided and why, but not who decided. The proof shows that the decision is in the audit log; docs/audit.md says how to verify it. `appealPath` says how to appeal. 404 for a decision that is not about you.',
    access: 'user',
    operation: 'get_statement',
    params: UuidId,
    answers: { 200: Statement },
    outcome: 'The decision, its reason and the proof.',
  },
  'POST /auth/statement': {
    summary: 'Get the statement of reasons for a decision about you without logging in',
    description: `${unlogged} The answer is that of \`GET /me/standing/:id/statement\`. 404 for a decision that is not about you.`,
    access: 'public',
    id: 'statementByPassword',
    pool: 'gate',
    limit: 'login',
    body: IdentityWithDecision,
    handler: statement,
    limits: ['login_account', 'login_device', 'login_factor'],
    calls: ['find_login', 'find_identity', 'take_passkey_challenge', 'find_statement'],
    answers: { 200: Statement },
    outcome: 'The decision, its reason and the proof.',
  },
})
