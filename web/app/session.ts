// The session of a person. It is only in memory, unless they stay signed in: then this browser keeps it.
import { keeper } from '../lib/kept-session.ts'
import type { Enter } from '../lib/login.ts'
import { me, openKith } from '../lib/session.ts'

export { isRestored, me } from '../lib/session.ts'

const { store, begin } = keeper({ inTab: false })
export const kith = openKith({ store })

/** Logs in. With `stay`, the session outlasts the tab. */
export const enter: Enter = async (open, { stay }) => {
  begin(stay === 'true')
  me.value = (await open()).user
}
