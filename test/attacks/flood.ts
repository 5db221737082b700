// node test/attacks/flood.ts measures how many notifications one account can cause one person by replies and mentions
// until Kith rejects them, if it writes as fast as possible and avoids the facade's limits by address. It starts its
// own instance, with the limits by person.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Fresh, onFresh, type Someone, say } from '../support/fresh.ts'

const MOST = 2000
const AT_ONCE = 8

/** Writes until Kith rejects a write. @returns the result as text */
async function flood(write: (n: number) => ReturnType<Fresh['rpc']>): Promise<string> {
  let [n, written] = [0, 0]
  let error = ''
  const start = performance.now()
  const writer = async () => {
    while (!error && n < MOST) {
      const { status, body } = await write(++n)
      if (status < 300) written++
      else error ||= `${status} ${body.message}`
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, writer))
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  return `${written} written in ${seconds} s, then ${error || 'still not refused'}`
}

/** The victim's notifications, once no more arrive. */
async function told({ sql }: Fresh, victim: Someone): Promise<string> {
  let [before, now] = ['', '?']
  while (before !== now) {
    before = now
    await sleep(3000)
    const rows = await sql`select kind, count(*)::int as rows, sum(count)::int as said from app.notifications
                           where user_id = ${victim.id} group by kind order by kind`
    now = rows.map(({ kind, rows, said }) => `${rows} ${kind} (of ${said})`).join(', ')
  }
  return now || 'nothing'
}

const attack = async (fresh: Fresh) => {
  const post = async ({ token }: Someone) =>
    (await fresh.ask('POST', '/api/v1/posts', { body: 'A post.' }, token)).body.id
  type Write = (n: number, attacker: Someone, its: string, own: string) => ReturnType<Fresh['rpc']>
  const floods: Record<string, Write> = {
    'replies to one post': (n, { token }, its) => fresh.rpc('create_reply', { p_id: its, p_body: `Again ${n}` }, token),
    'posts that mention': (n, { token }) => fresh.rpc('create_post', { p_body: `@${name} ${n}` }, token),
    'replies to oneself that mention': (n, { token }, _, own) =>
      fresh.rpc('create_reply', { p_id: own, p_body: `@${name} ${n}` }, token),
  }
  let [name, pairs] = ['', 0]
  for (const [what, write] of Object.entries(floods)) {
    const [victim, attacker] = [await fresh.join(`victim${++pairs}`), await fresh.join(`attacker${pairs}`)]
    name = victim.username
    const [its, own] = [await post(victim), await post(attacker)]
    say(`${what}: ${await flood((n) => write(n, attacker, its, own))};`)
    say(`  notifications of the victim: ${await told(fresh, victim)}`)
  }
}

await onFresh(attack, { RATE_LIMITS: '{"global": "1000000/min", "register": "100/min", "reserve_invite": "100/min"}' })
