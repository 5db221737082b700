import { kith, me } from '../lib/session.ts'

export { kith, me } from '../lib/session.ts'

export async function logIn(email: string, password: string): Promise<void> {
  const { user } = await kith.logIn({ email, password })
  me.value = user
}
