// node test/attacks/deep.ts measures which answers deeply nested or long bodies get, how many milliseconds they cost
// the database, and how often the documentation is served. It starts its own instance, with the limits of production.
import { readFileSync } from 'node:fs'
import { type Fresh, onFresh, say, tally } from '../support/fresh.ts'

const LEVELS = 10_000
const LONG = 1_000_000
const ROUNDS = 5
const DOCS = 200

/** Milliseconds of processor time of all backends. */
async function used({ sql }: Fresh): Promise<number> {
  const rows = await sql<{ pid: number }[]>`select pid from pg_stat_activity where backend_type = 'client backend'`
  const spent = rows.map(({ pid }) => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6)
  return spent.reduce((sum, one) => sum + one, 0)
}

/** The answers to several requests, and the cost of one. */
async function cost(fresh: Fresh, work: () => ReturnType<Fresh['ask']>): Promise<string> {
  await work() // the first run only fills the caches
  const before = await used(fresh)
  const start = performance.now()
  const answers: string[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const { status, body } = await work()
    const kept = body.keyword && ` (${body.keyword.length} characters are kept)`
    answers.push(status < 300 ? `${status}${kept ?? ''}` : `${status} ${body.code ?? ''} ${[body.message].flat()[0]}`)
  }
  const whole = (performance.now() - start) / ROUNDS
  const cpu = ((await used(fresh)) - before) / ROUNDS
  return `${tally(answers)}; ${whole.toFixed(1)} ms, of which the backends ${cpu.toFixed(1)} ms`
}

await onFresh(async (fresh) => {
  const { token } = await fresh.join('alice')
  const { body: post } = await fresh.ask('POST', '/api/v1/posts', { body: 'flat' }, token)
  const nested = '['.repeat(LEVELS) + ']'.repeat(LEVELS)
  const path = `/api/v1/posts/${post.id}`
  const patched = () => fresh.ask('PATCH', path, `{"media":${nested}}`, token)
  const called = () => fresh.rpc('update_post', `{"p_id":"${post.id}","p_changes":{"media":${nested}}}`, token)
  say(`PATCH /posts/:id, ${LEVELS} levels: ${await cost(fresh, patched)}`)
  say(`rpc update_post, ${LEVELS} levels: ${await cost(fresh, called)}`)

  const mute = (letter: string, bytes: number) => () =>
    fresh.rpc('mute_keyword', { p_keyword: letter.repeat(bytes / Buffer.byteLength(letter)) }, token)
  for (const letter of ['x', 'e\u0301'])
    for (const bytes of [30, LONG])
      say(`rpc mute_keyword, ${bytes} bytes of ${letter}: ${await cost(fresh, mute(letter, bytes))}`)

  const docs: number[] = []
  const start = performance.now()
  for (let n = 0; n < DOCS; n++) docs.push((await fresh.ask('GET', '/docs')).status)
  const each = (performance.now() - start) / DOCS
  say(`GET /docs, ${DOCS} times: ${tally(docs)}; ${each.toFixed(1)} ms each`)
})
