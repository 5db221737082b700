// Bots: random histories of two owners and of staff, with all steps of a round at once on many connections. Owners
// create bots with their allotment or with one code, delete them, and give them tokens. Staff bans, unbans and erases
// bots and owners. After each round nobody has more than five bots, each bot has used up one invite, and each code was
// used at most once. Bots are banned and erased with their owners. Only tokens of bots that may act are valid.
import fc from 'fast-check'
import type { Sql } from 'postgres'
import { expect, test } from 'vitest'
import { createDatabase } from '../support/database.ts'
import { runs } from '../support/runs.ts'

const { owner, connect } = await createDatabase()
const POOLS = { user: 'kith_user', gate: 'kith_gate', service: 'kith_service' } as const
type Pool = keyof typeof POOLS
const lanes = Object.fromEntries(Object.entries(POOLS).map(([pool, role]) => [pool, connect(role)])) as Record<
  Pool,
  Sql
>
await owner`update private.write_limits set per_hour = 1000000`

type Someone = { id: string; name: string }
let names = 0
async function someone(role = 'user'): Promise<Someone> {
  const name = `owner${++names}`
  const [made] = await owner<{ id: string }[]>`
    select private.create_person(${`${name}@example.org`}, 'no hash', ${name}, 'F', '1990-01-31', 'DE', 'Berlin', ${role}) as id`
  // the account is so old that its allotment of invites exceeds the limit of bots
  const [row] = await owner<Someone[]>`
    update app.users set created_at = now() - interval '60 days' where id = ${made?.id ?? null}
    returning id, username as name`
  if (!row) throw new Error('nobody was created')
  return row
}
const chief = await someone('admin')

// Tokens are issued an hour from now. So the token of an owner is valid after the end of a ban, as after another login.
const now = Math.floor(Date.now() / 1000)
const claims = ({ id }: Someone, role = 'user') => JSON.stringify({ sub: id, role, iat: now + 3600, exp: now + 7200 })

type Outcome = { code: string | null; body: Record<string, string> | null }
/** Like the facade, repeats a call after a deadlock, a limited number of times: ARCHITECTURE.md, Locks. */
async function call(
  pool: Pool,
  door: string,
  operation: string,
  ...values: (string | boolean | null)[]
): Promise<Outcome> {
  const text = `select api.${operation} as body from private.enter($1::text)`
  for (let tries = 1; ; tries++) {
    const outcome = await lanes[pool].unsafe<{ body: Outcome['body'] }[]>(text, [door, ...values]).then(
      ([row]) => ({ code: null, body: row?.body ?? null }),
      ({ message }: Error) => ({ code: message, body: null }),
    )
    if (outcome.code !== 'deadlock detected' || tries === 5) return outcome
  }
}

const verbs = [
  ...(['create', 'create', 'create', 'create with a code', 'create with a code', 'delete', 'token', 'token'] as const),
  ...(['end token', 'ban', 'ban bot', 'ban both', 'unban', 'unban bot', 'erase'] as const),
]
type Step = { does: (typeof verbs)[number]; who: number; which: number }
const step: fc.Arbitrary<Step> = fc.record({ does: fc.constantFrom(...verbs), who: fc.nat(1), which: fc.nat(4) })
const rounds = fc.array(fc.array(step, { minLength: 2, maxLength: 9 }), { minLength: 2, maxLength: 4 })

type Owner = Someone & { code: string }
type World = {
  owners: Owner[]
  made: Map<string, number>
  bannedAlone: Set<string>
  tokens: { id: string; claims: string }[]
}

const botsOf = ({ id }: Someone) => owner<Someone[]>`
  select id, username as name from app.users where bot_owner_id = ${id} and erased_at is null order by created_at, id`

async function act({ owners, made, bannedAlone, tokens }: World, { does, who, which }: Step, bots: Someone[]) {
  const one = owners[who] as Owner
  const bot = bots[which % Math.max(1, bots.length)] ?? { id: '', name: 'nobody' }
  const staff = claims(chief, 'admin')
  switch (does) {
    case 'create':
    case 'create with a code': {
      const code = does === 'create' ? null : one.code
      const name = `bot${++names}`
      const outcome = await call('user', claims(one), 'create_bot($2, $3, p_invite_code => $4)', name, 'Bot', code)
      if (!outcome.code) made.set(name, who)
      return outcome
    }
    case 'delete':
      return call('user', claims(one), 'delete_bot($2)', bot.name)
    case 'token': {
      const hash = `sha256(convert_to('${crypto.randomUUID()}', 'UTF8'))`
      const outcome = await call(
        'gate',
        claims(one),
        `create_bot_token($2, 'x', '{posts:read}', ${hash}, 'nonce')`,
        bot.name,
      )
      if (outcome.body) {
        const [row] = await owner<{ claims: string }[]>`
          select json_build_object('sub', user_id, 'role', 'user', 'iat', issued_at, 'exp', expires_at)::text as claims
          from app.access_tokens where id = ${outcome.body.id ?? ''}`
        tokens.push({ id: outcome.body.id ?? '', claims: row?.claims ?? '' })
      }
      return outcome
    }
    case 'end token': {
      const [row] = await owner<
        { id: string }[]
      >`select id from app.access_tokens where user_id = ${bot.id || null} and ended_at is null limit 1`
      return call('user', claims(one), 'end_bot_token($2, $3)', bot.name, row?.id ?? crypto.randomUUID())
    }
    case 'ban':
      return call('service', staff, `ban_person($2, 'x')`, one.name)
    case 'ban bot':
    case 'ban both': {
      bannedAlone.add(bot.id)
      return call('service', staff, `ban_person($2, 'x', p_also_owner => $3)`, bot.name, does === 'ban both')
    }
    case 'unban':
      return call('service', staff, 'unban_person($2)', one.name)
    case 'unban bot':
      return call('service', staff, 'unban_person($2)', bot.name)
    case 'erase':
      // an erasure is rare, because nothing comes after it
      return which === 0 ? call('gate', claims(one), `erase_me('no hash')`) : { code: null, body: null }
  }
}

/** How a step may end. */
const REFUSALS = [
  ...['bots_exhausted', 'invites_exhausted', 'invite_dead', 'invite_unknown', 'bot_unknown', 'access_token_unknown'],
  ...['token_revoked', 'person_unknown', 'owner_banned', 'owner_unknown'],
]

/** The rules that the database breaks, as sentences. */
async function faults({ owners, made, bannedAlone, tokens }: World): Promise<string[]> {
  const found: string[] = []
  for (const [at, { id, name, code }] of owners.entries()) {
    const [row] = await owner`
      with bots as (select * from app.users where bot_owner_id = ${id})
      select (select count(*)::int from bots where erased_at is null) as alive,
             (select count(*)::int from bots) as bots,
             (select count(*)::int from app.invite_tree t join bots b on b.id = t.invitee_id where t.inviter_id = ${id}) as links,
             (select count(distinct c.used_by)::int from app.invite_codes c join bots b on b.id = c.used_by
              where c.generated_by = ${id} and (c.status = 'used' or u.erased_at is not null)) as paid,
             (select count(*)::int from app.invite_codes where generated_by = ${id}) as codes,
             (select count(*)::int from app.invite_codes where generated_by = ${id} and used_by is not null) as spent,
             (select count(*)::int from app.invite_codes where code = ${code} and used_by is not null) as by_code,
             private.invite_allotment(${id}) as allotment,
             u.erased_at is not null as erased, u.banned_at is not null as banned,
             (select coalesce(array_agg(id), '{}') from bots where erased_at is null and banned_at is not null) as banned_bots
      from app.users u where u.id = ${id}`
    if (!row) throw new Error('an owner is gone')
    const mine = [...made.values()].filter((who) => who === at).length
    if (row.alive > 5) found.push(`${name} has ${row.alive} bots`)
    if (row.bots !== mine) found.push(`${name} was told of ${mine} bots and has ${row.bots}`)
    if (row.links !== row.bots || row.paid !== row.bots || row.spent !== row.bots)
      found.push(`${row.bots} bots with ${row.links} inviters, ${row.paid} paid for with ${row.spent} codes`)
    if (row.codes > row.allotment) found.push(`${row.codes} codes of an allotment of ${row.allotment}`)
    if (row.by_code > 1) found.push('a code was used twice')
    if (row.erased && row.alive > 0) found.push('an erased owner has bots')
    if (row.banned && row.banned_bots.length !== row.alive) found.push('a banned owner has bots that are not banned')
    const alone = row.banned_bots.filter((bot: string) => !bannedAlone.has(bot))
    if (!row.banned && alone.length > 0) found.push('bots are banned without a ban of them or of their owner')
  }
  for (const token of tokens) {
    const [row] = await owner`
      select t.ended_at is null as kept, u.banned_at is null and u.erased_at is null as may_act
      from app.access_tokens t join app.users u on u.id = t.user_id where t.id = ${token.id}`
    const door = await lanes.user.unsafe(`select private.enter($1::text, null, 'get_post')`, [token.claims]).then(
      () => 'open',
      ({ message }: Error) => message,
    )
    if (row?.kept && !row.may_act) found.push('a bot that may not act has a token that was not ended')
    if ((door === 'open') !== Boolean(row?.kept && row.may_act))
      found.push(`a token is ${door}: ${JSON.stringify(row)}`)
  }
  return found
}

async function play(histories: Step[][]): Promise<void> {
  const owners: Owner[] = []
  for (const one of [await someone(), await someone()]) {
    const { body } = await call('user', claims(one), 'create_invite()')
    owners.push({ ...one, code: body?.code ?? '' })
  }
  const world: World = { owners, made: new Map(), bannedAlone: new Set(), tokens: [] }
  for (const steps of histories) {
    const bots = await Promise.all(owners.map(botsOf))
    const outcomes = await Promise.all(steps.map((one) => act(world, one, bots[one.who] ?? [])))
    const odd = outcomes.flatMap(({ code }, at) =>
      code && !REFUSALS.includes(code) ? [`${steps[at]?.does}: ${code}`] : [],
    )
    expect(odd).toEqual([])
    expect(await faults(world)).toEqual([])
  }
}

test('In any parallel history, bots stay within their limits and invites, and are banned and erased with owners', async () => {
  await fc.assert(fc.asyncProperty(rounds, play), { numRuns: runs(12, 400), endOnFailure: true })
})

test('Five of ten concurrent requests create a bot, and only one of ten requests with the same code does', async () => {
  const many = (does: Step['does']) => Array.from({ length: 10 }, (): Step => ({ does, who: 0, which: 0 }))
  await play([
    many('create with a code'),
    many('create'),
    [...many('token'), { does: 'ban', who: 0, which: 0 }, ...many('create')],
  ])
})
