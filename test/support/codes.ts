// Invite codes for tests: creating and reserving a code.
import type { Person } from './person.ts'

/** Lets the admin make a new invite code. */
export async function newCode(admin: Person): Promise<string> {
  const { body } = await admin.post<{ items: { code: string }[] }>('/admin/invite-codes/generate', { count: 1 })
  return body.items[0]?.code ?? ''
}

/** Reserves the code. @returns the reservation's id, which registering requires */
export async function reserve(nobody: Person, code: string): Promise<string> {
  return (await nobody.post<{ sessionId: string }>('/auth/reserve-invite', { code })).body.sessionId
}
