// The person who uses the page, and the client with which it calls the API.
import { createKith, type Kith, type KithOptions, type Schema } from 'kith/client'
import { notifyError } from './errors.ts'
import { signal } from './html.ts'
import { reachable } from './instance.ts'
import { proving } from './proof.ts'

export const me = signal<Schema<'Me'> | undefined>(undefined)

/**
 * The client of a part. Without a `store` the token is only in memory: a reload asks for the password again. Reads are
 * not sent in batches, because in the answer to a batch the reads have no request ids. If a request needs a fresh
 * proof, a dialog asks for it.
 */
export const openKith = ({ store, onSession }: Pick<KithOptions, 'store' | 'onSession'> = {}): Kith =>
  proving(
    createKith({
      url: location.origin,
      batch: false,
      uploadTo: reachable,
      ...(store && { store }),
      onSession: (session) => {
        if (!session) me.value = undefined
        onSession?.(session)
      },
    }),
  )

/** Whether it is known if somebody is logged in. */
export const isRestored = signal(false)

/** Goes on with the session that was kept. */
export async function restore(kith: Kith): Promise<void> {
  try {
    if (await kith.session()) me.value = await kith.get('/me')
  } catch (error) {
    // a session that has ended is no error; the client has deleted it
    if (await kith.session()) notifyError(error)
  }
  isRestored.value = true
}
