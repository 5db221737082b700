import type { Enter } from '../lib/login.ts'
import { me, openKith } from '../lib/session.ts'

export { me } from '../lib/session.ts'

export const kith = openKith()

export const enter: Enter = async (open) => {
  me.value = (await open()).user
}
