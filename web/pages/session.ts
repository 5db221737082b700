// Who uses the page. The token is in memory alone: a reload asks for the password again.
import { createKith, type Schema } from 'kith/client'
import { signal } from '../lib/html.ts'

/** Not in batches: the answer to a batch has no request id for each read. */
export const kith = createKith({
  url: location.origin,
  batch: false,
  onSession: (session) => {
    if (!session) me.value = undefined
  },
})

export const me = signal<Schema<'Me'> | undefined>(undefined)

export async function logIn(email: string, password: string): Promise<void> {
  const { user } = await kith.logIn({ email, password })
  me.value = user
}
