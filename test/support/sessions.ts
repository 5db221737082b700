// Rotating sessions, as clients hold them.
import { createSeals } from '../../api-facade/lib/seals.ts'
import type { Headed, Person } from './person.ts'
import { JWT_SECRET } from './settings.ts'

export type Pair = { accessToken: string; refreshToken: string; expiresIn: number }

/** Logs in for a rotating session. */
export async function begin(person: Person, headers: Headed = {}): Promise<Pair> {
  const { email, password } = person
  const body = { email, password, session: 'rotating' }
  return (await person.withToken(undefined).post<Pair>('/auth/login', body, headers)).body
}

/** The session that a refresh token belongs to, as the token itself says. */
export const familyOf = (token: string) => createSeals([JWT_SECRET]).open('refresh', token)?.id ?? ''
