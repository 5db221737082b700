// Routes with argon2 between two calls: the facade alone sees a password.
import type { z } from 'zod'
import { callFor } from '../../lib/call.ts'
import type { Context } from '../../lib/context.ts'
import { Refusal } from '../../lib/errors.ts'
import { checkPassword, hashPassword } from '../../lib/passwords.ts'
import { type Credentials, FoundLogin, Issued, type Registration, TOKEN_SECONDS } from './schemas.ts'

async function session(c: Context, { claims, user }: z.output<typeof Issued>) {
  return { accessToken: await c.get('services').tokens.sign(claims), user }
}

export async function register(c: Context, person: z.output<typeof Registration>) {
  const issued = await callFor(
    c,
    'register',
    {
      p_session_id: person.sessionId,
      p_email: person.email,
      p_password_hash: await hashPassword(person.password),
      p_first_name: person.firstName,
      p_last_name: person.lastName,
      p_date_of_birth: person.dateOfBirth,
      p_country: person.country,
      p_city: person.city,
      p_seconds: TOKEN_SECONDS,
    },
    Issued,
  )
  return session(c, issued)
}

export async function logIn(c: Context, { email, password }: z.output<typeof Credentials>) {
  const found = await callFor(c, 'find_login', { p_email: email }, FoundLogin)
  const right = await checkPassword(found?.passwordHash, password)
  if (!found || !right) throw new Refusal('credentials_wrong')
  const answer = { p_user_id: found.userId, p_password_hash: found.passwordHash, p_seconds: TOKEN_SECONDS }
  return session(c, await callFor(c, 'log_in', answer, Issued))
}
