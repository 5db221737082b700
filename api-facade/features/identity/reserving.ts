// Reserving an invite code. Codes are short, so attempts with unknown codes are counted for the whole instance.
// docs/decisions.md, Limits.
import type { z } from 'zod'
import { type Answer, call } from '../../lib/call.ts'
import type { Context } from '../../lib/context.ts'
import { ApiError, toApiError } from '../../lib/errors.ts'
import { metrics } from '../../lib/metrics.ts'
import type { Reservation, ReservationAlias } from './schemas.ts'

/** Every attempt is counted first. The count is undone if the code exists, or if it could not be looked up. */
async function guarded(c: Context, look: () => Promise<Answer>): Promise<Answer> {
  const takeBack = await c
    .get('services')
    .limits.guess(c)
    .catch((error: unknown) => {
      if (error instanceof ApiError) metrics.guessed('refused')
      throw error
    })
  let unknown = false
  try {
    return await look()
  } catch (error) {
    unknown = toApiError(error).code === 'invite_unknown'
    if (unknown) metrics.guessed('unknown')
    throw error
  } finally {
    if (!unknown) await takeBack()
  }
}

export const reserve = (c: Context, { code }: z.output<typeof Reservation>) =>
  guarded(c, () => call(c, 'reserve_invite', { p_code: code }))

export const reserveAlias = (c: Context, { code, candidateSessionId }: z.output<typeof ReservationAlias>) =>
  guarded(c, () => call(c, 'reserve_invite_code', { p_code: code, p_candidate_session_id: candidateSessionId }))
