// The session of a person in these pages. The tab keeps it from page to page. Where an app asks for consent, nothing is
// kept: each request needs a login of its own.
import { keeper } from '../lib/kept-session.ts'
import type { Enter } from '../lib/login.ts'
import { path } from '../lib/router.ts'
import { isRestored, me, openKith, restore } from '../lib/session.ts'

export { isRestored, me } from '../lib/session.ts'

const isForApp = path.value.startsWith('/oauth/')
/** Whether the page is about the person who is logged in. Other pages run the step of a link, whoever is logged in. */
const isOwn = ['/account', '/notifications'].includes(path.value.replace(/\/$/, '').toLowerCase())

const { store, begin } = keeper({ inTab: true, isUsed: isOwn })
export const kith = openKith(isForApp ? {} : { store })

if (isOwn) void restore(kith)
else isRestored.value = true

export const enter: Enter = async (open) => {
  begin(false)
  me.value = (await open()).user
}
