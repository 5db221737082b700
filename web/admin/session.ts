// The session of a member of staff, and lists as files.
import { notify, PageError } from '../lib/errors.ts'
import { fetchText } from '../lib/fetch-text.ts'
import { computed } from '../lib/html.ts'
import type { Enter } from '../lib/login.ts'
import { saveFile } from '../lib/save.ts'
import { me, openKith } from '../lib/session.ts'
import { texts } from './texts.ts'

export { me } from '../lib/session.ts'

export const kith = openKith()

export const isAdmin = computed(() => me.value?.role === 'admin')

/** Logs in. Somebody who is not staff is logged out again. */
export const enter: Enter = async (open) => {
  const { user } = await open()
  if (user.role === 'user') {
    await kith.logOut()
    throw new PageError(texts.value.login.notStaff)
  }
  me.value = user
}

/** The largest number of answers in one file: each answer has up to 20 pages of 50 rows. */
const ANSWERS = 20

/** Saves a list as CSV. Says so if the list is longer than a file may be. */
export async function saveCsv(path: string, query: Record<string, string>): Promise<void> {
  const parts: string[] = []
  let next: string | undefined = `/api/v1${path}?${new URLSearchParams({ ...query, limit: '50' })}`
  while (next && parts.length < ANSWERS) {
    const answer = await fetchText(next, { accept: 'text/csv', authorization: `Bearer ${await kith.accessToken()}` })
    const text = await answer.text()
    // only the first answer keeps the names of the columns
    parts.push(parts.length === 0 ? text : text.slice(text.indexOf('\n') + 1))
    next = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1]
  }
  saveFile(new Blob(['\ufeff', ...parts], { type: 'text/csv' }), `${path.split('/').at(-1)}.csv`)
  if (next) notify(texts.value.shell.csvCut)
}
