import { me, openKith } from '../lib/session.ts'

export { me } from '../lib/session.ts'

export const kith = openKith()

export async function logIn(email: string, password: string, code?: string): Promise<void> {
  const { user } = await kith.logIn({ email, password, ...(code && { code }) })
  me.value = user
}

export async function logInWithOidc(login: Parameters<typeof kith.logInWithOidc>[0]): Promise<void> {
  const { user } = await kith.logInWithOidc(login)
  me.value = user
}
