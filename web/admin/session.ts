// The session of a member of staff, and lists as files.
import type { Schema } from 'kith/client'
import { notify } from '../lib/errors.ts'
import { fetchText } from '../lib/fetch-text.ts'
import { computed } from '../lib/html.ts'
import { saveFile } from '../lib/save.ts'
import { me, openKith } from '../lib/session.ts'
import { texts } from './texts.ts'

export { me } from '../lib/session.ts'

export const kith = openKith()

export const isAdmin = computed(() => me.value?.role === 'admin')

/** Logs in. @returns whether the person is staff; anybody else is logged out again */
export async function logIn(email: string, password: string, code?: string): Promise<boolean> {
  return enter(await kith.logIn({ email, password, ...(code && { code }) }))
}

/** The same with a login at the OpenID provider. */
export const logInWithOidc = async (login: Parameters<typeof kith.logInWithOidc>[0]): Promise<boolean> =>
  enter(await kith.logInWithOidc(login))

async function enter({ user }: Schema<'Session'>): Promise<boolean> {
  if (user.role === 'user') {
    await kith.logOut()
    return false
  }
  me.value = user
  return true
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
