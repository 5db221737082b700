// Rotating sessions, as clients have them.
import { createSeals } from '../../api-facade/lib/seals.ts'
import type { Headed, Person } from './person.ts'
import { JWT_SECRET } from './settings.ts'

export type Pair = { accessToken: string; refreshToken: string; expiresIn: number }

/** Logs in with a rotating session. */
export async function begin(person: Person, headers: Headed = {}): Promise<Pair> {
  const { email, password } = person
  const body = { email, password, session: 'rotating' }
  return (await person.withToken(undefined).post<Pair>('/auth/login', body, headers)).body
}

/** The session that a refresh token belongs to, as encoded in the token. */
export const familyOf = (token: string) => createSeals([JWT_SECRET]).open('refresh', token)?.id ?? ''
