import { me, openKith } from '../lib/session.ts'

export { me } from '../lib/session.ts'

export const kith = openKith()

export async function logIn(email: string, password: string): Promise<void> {
  const { user } = await kith.logIn({ email, password })
  me.value = user
}
