// Who uses the panel. The token is in memory alone: a reload asks for the password again.
import { createKith, type Schema } from 'kith/client'
import { computed, signal } from '../lib/html.ts'
import { saveFile } from '../lib/save.ts'

/** Not in batches: the answer to a batch has no request id for each read. */
export const kith = createKith({
  url: location.origin,
  batch: false,
  onSession: (session) => {
    if (!session) me.value = undefined
  },
})

export const me = signal<Schema<'Me'> | undefined>(undefined)

export const isAdmin = computed(() => me.value?.role === 'admin')

/** Logs in. @returns whether the person is staff; somebody else is logged out again */
export async function logIn(email: string, password: string): Promise<boolean> {
  await kith.logIn({ email, password })
  const found = await kith.get('/me')
  if (found.role === 'user') {
    await kith.logOut()
    return false
  }
  me.value = found
  return true
}

/** Saves a list as CSV: up to 20 pages, which is as many as one answer has. */
export async function saveCsv(path: string, query: Record<string, string>): Promise<void> {
  const token = await kith.accessToken()
  const answer = await fetch(`/api/v1${path}?${new URLSearchParams({ ...query, limit: '50' })}`, {
    headers: { accept: 'text/csv', authorization: `Bearer ${token}` },
  })
  if (!answer.ok) throw new Error(String(answer.status))
  saveFile(await answer.blob(), `${path.split('/').at(-1)}.csv`)
}
