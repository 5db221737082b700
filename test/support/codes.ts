// Invite codes: making one and reserving it.
import type { Person } from './person.ts'

/** A fresh code of the admin. */
export async function newCode(admin: Person): Promise<string> {
  const { body } = await admin.post<{ items: { code: string }[] }>('/admin/invite-codes/generate', { count: 1 })
  return body.items[0]?.code ?? ''
}

/** Reserves the code, and gives the reservation that registering asks for. */
export async function reserve(nobody: Person, code: string): Promise<string> {
  return (await nobody.post<{ sessionId: string }>('/auth/reserve-invite', { code })).body.sessionId
}
