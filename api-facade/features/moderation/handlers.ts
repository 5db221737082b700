// The standing of people who can't log in. They prove who they are as at a login.
import type { z } from 'zod'
import { call } from '../../lib/call.ts'
import type { Context } from '../../lib/context.ts'
import { identified } from '../identity/identifying.ts'
import type { Identity, IdentityWithAppeal, IdentityWithDecision } from './schemas.ts'

export const standing = (c: Context, given: z.output<typeof Identity>) =>
  identified(c, given, (who) => call(c, 'find_standing', who))

export const statement = (c: Context, { decisionId, ...given }: z.output<typeof IdentityWithDecision>) =>
  identified(c, given, (who) => call(c, 'find_statement', { ...who, p_decision_id: decisionId }))

export const appeal = (c: Context, { decisionId, text, ...given }: z.output<typeof IdentityWithAppeal>) =>
  identified(c, given, (who) => call(c, 'appeal_by_password', { ...who, p_decision_id: decisionId, p_text: text }))
