// Who uses the page, and the client with which it calls the API.
import { createKith, type Kith, KithError, type KithOptions, type Schema } from 'kith/client'
import { signal } from './html.ts'

export const me = signal<Schema<'Me'> | undefined>(undefined)

/**
 * The client of a part. Without a `store` the token is in memory alone: a reload asks for the password again. Reads
 * are not sent in batches, because in the answer to a batch the reads have no request ids.
 */
export const openKith = ({ store, onSession }: Pick<KithOptions, 'store' | 'onSession'> = {}): Kith =>
  createKith({
    url: location.origin,
    batch: false,
    ...(store && { store }),
    onSession: (session) => {
      if (!session) me.value = undefined
      onSession?.(session)
    },
  })

/** Reads what is not JSON: a CSV, or a text of the operator. @throws KithError */
export async function fetchText(path: string, headers: Record<string, string> = {}): Promise<Response> {
  const answer = await fetch(path, { headers })
  if (answer.ok) return answer
  throw new KithError(answer.status, answer.headers, await answer.json().catch(() => undefined))
}
