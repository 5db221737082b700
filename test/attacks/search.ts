// node test/attacks/search.ts measures what long notes of short words, in a private group or public, cost other people
// who search, and how long a stranger waits while searches run. It starts its own instance, with the limits of
// production except those by address and by minute.
import { readFileSync } from 'node:fs'
import { type Fresh, onFresh, type Someone, say, tally } from '../support/fresh.ts'

const NOTES = 180
const LENGTH = 4980
const AT_ONCE = 12
const ROUNDS = 5
const common = [...'abcdefghijklmnopqrstuvwxyz0123456789'] // the shorter a word, the more often it fits into a note

/** A note of the same short words, with the words of `more` now and then. */
function note(more: string[]): string {
  const words = [...common, ...more]
  let text = ''
  while (text.length < LENGTH) text += `${words[Math.floor(Math.random() * words.length)]} `
  return text.slice(0, LENGTH).trim()
}

async function publish({ sql }: Fresh, { id }: Someone, space: string | null, more: string[]): Promise<void> {
  for (let n = 0; n < NOTES; n++) {
    const [post] = await sql<{ id: string }[]>`insert into app.posts (author_id, body, space_id)
      values (${id}, ${note(more)}, ${space}) returning id`
    await sql`select private.index_for_search('post', array[${post?.id ?? ''}::uuid])`
  }
}

/** Milliseconds of processor time of all backends. */
async function used({ sql }: Fresh): Promise<number> {
  const rows = await sql<{ pid: number }[]>`select pid from pg_stat_activity where backend_type = 'client backend'`
  const spent = rows.map(({ pid }) => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6)
  return spent.reduce((sum, one) => sum + one, 0)
}

/** Repeats a search. Returns the answers, and the highest CPU time that a search cost the database. */
async function cost(fresh: Fresh, { token }: Someone, q: string, limit = 50): Promise<string> {
  const search = () =>
    fresh.ask('GET', `/api/v1/discovery/search?limit=${limit}&q=${encodeURIComponent(q)}`, undefined, token)
  await search() // the first run only fills the caches
  const answers: string[] = []
  let most = 0
  for (let round = 0; round < ROUNDS; round++) {
    const before = await used(fresh)
    const { status, body } = await search()
    most = Math.max(most, (await used(fresh)) - before)
    answers.push(status === 200 ? `${body.items.length} found` : `${status} ${body.message}`)
  }
  return `${tally(answers)}; ${most.toFixed(0)} ms`
}

async function timed(work: () => ReturnType<Fresh['ask']>): Promise<{ status: number; ms: number }> {
  const start = performance.now()
  const { status } = await work()
  return { status, ms: performance.now() - start }
}

/** How long a stranger's requests take while others search without a pause, and how the searches are answered. */
async function besides(fresh: Fresh, searchers: Someone[], stranger: Someone, q: string): Promise<string> {
  const answers: number[] = []
  let going = true
  const searching = Array.from({ length: AT_ONCE }, async (_, n) => {
    const { token } = searchers[n % searchers.length] as Someone
    while (going)
      answers.push(
        (await fresh.ask('GET', `/api/v1/discovery/search?q=${encodeURIComponent(q)}`, undefined, token)).status,
      )
  })
  const waits: number[] = []
  for (let round = 0; round < ROUNDS; round++)
    waits.push((await timed(() => fresh.ask('GET', '/api/v1/me', undefined, stranger.token))).ms)
  going = false
  await Promise.all(searching)
  return `/me in at most ${Math.max(...waits).toFixed(0)} ms; searches ${tally(answers)}`
}

const attack = async (fresh: Fresh) => {
  const [owner, outsider, stranger] = [
    await fresh.join('owner'),
    await fresh.join('outsider'),
    await fresh.join('stranger'),
  ]
  const searchers: Someone[] = []
  for (let n = 0; n < AT_ONCE; n++) searchers.push(await fresh.join(`searcher${n}`))
  const group = { name: 'Ours', visibility: 'private', joinPolicy: 'invite' }
  const { body: made } = await fresh.ask('POST', '/api/v1/groups', group, owner.token)
  const all = common.slice(0, 32).join(' ') // the largest number of words that a search accepts
  const few = common.slice(0, 2).join(' ')
  const phrase = `"${common.slice(0, 2).join(' ')} ${common.slice(0, 2).join(' ')}"`

  await publish(fresh, owner, made.id, ['secret'])
  await fresh.sql`vacuum analyze`
  say(`${NOTES} notes of ${LENGTH} characters in a private group`)
  for (const q of ['secret', 'nowhere', few, all])
    say(`  an outsider searches for ${q.length > 30 ? '32 words' : q}: ${await cost(fresh, outsider, q)}`)
  for (const q of ['a', few, all, phrase])
    say(`  a member searches for ${q.length > 30 ? '32 words' : q}: ${await cost(fresh, owner, q)}`)
  say(`  ${AT_ONCE} outsiders search: ${await besides(fresh, searchers, stranger, all)}`)

  await publish(fresh, owner, null, [])
  await fresh.sql`vacuum analyze`
  say(`${NOTES} such public notes`)
  for (const q of ['a', few, all, phrase, `${few} -${phrase}`])
    say(`  a person searches for ${q.length > 30 ? '32 words' : q}: ${await cost(fresh, outsider, q)}`)
  say(`  ${AT_ONCE} people search: ${await besides(fresh, searchers, stranger, all)}`)
  say(`  one person searches ${AT_ONCE} times at once: ${await besides(fresh, searchers.slice(0, 1), stranger, all)}`)
}

const limits = { global: '1000000/min', search: '1000000/min', register: '100/min', reserve_invite: '100/min' }
await onFresh(attack, { RATE_LIMITS: JSON.stringify(limits) })
