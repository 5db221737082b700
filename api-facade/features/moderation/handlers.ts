// The standing of people who can't log in. The facade checks the password as a login does.
import type { z } from 'zod'
import { call } from '../../lib/call.ts'
import type { Context } from '../../lib/context.ts'
import { authenticate } from '../identity/handlers.ts'
import type { Identity, IdentityWithAppeal, IdentityWithDecision } from './schemas.ts'

export async function standing(c: Context, credentials: z.output<typeof Identity>) {
  const { found } = await authenticate(c, credentials)
  return call(c, 'find_standing', { p_user_id: found.userId, p_password_hash: found.passwordHash })
}

export async function statement(c: Context, { decisionId, ...credentials }: z.output<typeof IdentityWithDecision>) {
  const { found } = await authenticate(c, credentials)
  return call(c, 'find_statement', {
    p_user_id: found.userId,
    p_password_hash: found.passwordHash,
    p_decision_id: decisionId,
  })
}

export async function appeal(c: Context, { decisionId, text, ...credentials }: z.output<typeof IdentityWithAppeal>) {
  const { found } = await authenticate(c, credentials)
  return call(c, 'appeal_by_password', {
    p_user_id: found.userId,
    p_password_hash: found.passwordHash,
    p_decision_id: decisionId,
    p_text: text,
  })
}
