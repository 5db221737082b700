// node test/attacks/puppets.ts shows the rank at which private.suspicious_flows lists a puppet account that votes for
// and pays its inviter as soon as it is created, among neighbours in the invite tree who pay each other a little. It
// starts its own instance.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { migrate, preparePlatform } from '../../supabase/embedded/migrate.ts'
import { startPostgres } from '../../supabase/embedded/postgres.ts'

const HOSTS = 20
const GUESTS = 5 // of each host
const PAYMENTS = 3 // by the puppet

const dataDir = mkdtempSync(join(tmpdir(), 'kith-attack-'))
const server = await startPostgres({ dataDir, ephemeral: true })
const sql = postgres(server.superuserUrl(), { max: 1, onnotice: () => {} })

type Someone = { id: string; username: string }

async function enter(name: string, inviter?: Someone): Promise<Someone> {
  const [made] = await sql`
    select private.create_person(${`${name}@example.org`}, 'no hash', ${name}, 'Lima', '1990-01-31', 'DE', 'Berlin') as id`
  const [one] = await sql<Someone[]>`select id, username from app.users where id = ${made?.id}`
  if (!one) throw new Error('no person was created')
  if (inviter)
    await sql`insert into app.invite_tree (invitee_id, inviter_id, code_id)
              values (${one.id}, ${inviter.id}, (private.make_invite_code(${inviter.id})).id)`
  return one
}

/** Votes for a person, in a chosen interest, and pays them. */
async function give(giver: Someone, receiver: Someone, tier: number, times: number): Promise<void> {
  const now = Math.floor(Date.now() / 1000)
  const claims = JSON.stringify({ sub: giver.id, role: 'user', iat: now, exp: now + 900 })
  await sql`insert into app.user_interests (user_id, interest_id, depth, expertise)
            select ${giver.id}, id, 1, 1 from app.interests where slug = 'ethics'`
  await sql.begin(async (tx) => {
    await tx`select set_config('role', 'authenticated', true)`
    await tx`select private.enter(${claims}::text)`
    await tx`select api.vote_reputation(${receiver.username}, (select id from app.interests where slug = 'ethics'), 1)`
    for (let n = 0; n < times; n++) await tx`select api.pay('love', ${tier}, p_receiver_id => ${receiver.username})`
  })
}

try {
  await preparePlatform(server.superuserUrl())
  await migrate(server.url())
  const root = await enter('root_of_all')
  const hosts: Someone[] = []
  for (let n = 0; n < HOSTS; n++) hosts.push(await enter(`host${n}`, root))
  for (const [n, host] of hosts.entries())
    for (let guest = 0; guest < GUESTS; guest++) await give(await enter(`guest${n}_${guest}`, host), host, 0, 1)
  await sql`update app.users set created_at = now() - interval '90 days'`
  const [patron] = hosts
  if (!patron) throw new Error('no person was created')
  const puppet = await enter('puppet', patron)
  await give(puppet, patron, 1, PAYMENTS)

  for (const kind of ['mana', 'votes']) {
    const [all] =
      await sql`select count(*)::int as rows from private.suspicious_flows(p_limit => 1000) where kind = ${kind}`
    const [row] = await sql`
      select place::int, total, younger_age, given_share
      from (select s.*, row_number() over () as place from private.suspicious_flows(p_limit => 1000) s where kind = ${kind}) s
      where giver_id = ${puppet.id} and receiver_id = ${patron.id}`
    const shown = row
      ? `place ${row.place}; ${row.total} given, ${row.given_share} of all that the puppet gave`
      : 'not shown'
    console.log(`${kind} from puppet to patron, among ${all?.rows} pairs: ${shown}`)
  }
} finally {
  await sql.end()
  await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
