// Who uses the page. The token is in memory alone: a reload asks for the password again.
import { createKith, KithError, type Schema } from 'kith/client'
import { signal } from './html.ts'

/** Reads are not sent in batches, because in the answer to a batch the reads have no request ids. */
export const kith = createKith({
  url: location.origin,
  batch: false,
  onSession: (session) => {
    if (!session) me.value = undefined
  },
})

export const me = signal<Schema<'Me'> | undefined>(undefined)

/** Reads what is not JSON: a CSV, or a text of the operator. @throws KithError */
export async function fetchText(path: string, headers: Record<string, string> = {}): Promise<Response> {
  const answer = await fetch(path, { headers })
  if (answer.ok) return answer
  throw new KithError(answer.status, answer.headers, await answer.json().catch(() => undefined))
}
