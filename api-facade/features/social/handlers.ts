// Handles bodies in which one field has two names: clients send inviteeId or invitee.
import type { z } from 'zod'
import { call } from '../../lib/call.ts'
import type { Context } from '../../lib/context.ts'
import type { NewInvitation } from './schemas.ts'

export const invite = (c: Context, { id, inviteeId, bondLevel }: z.output<typeof NewInvitation> & { id: string }) =>
  call(c, 'invite_to_circle', { p_id: id, p_invitee_id: inviteeId, p_bond_level: bondLevel })
