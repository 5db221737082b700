// Guessing invite codes: unknown codes are counted across the whole instance, and people with a valid code can still
// register.
import { describe, expect, test } from 'vitest'
import { newCode } from '../../support/codes.ts'
import { until } from '../../support/until.ts'
import { world } from '../../support/world.ts'

const METRICS_TOKEN = 'a-token-for-the-scraper'
const limits = {
  global: '10000/min',
  reserve_invite: '10000/min',
  unknown_invite: '2/h',
  unknown_invites_first: '6/min',
  unknown_invites: '5/h',
}
const env = {
  RATE_LIMIT_SCALE: '1',
  RATE_LIMITS: JSON.stringify(limits),
  TRUSTED_PROXY_HOPS: '1',
  METRICS_TOKEN,
}

const paths = ['/auth/reserve-invite', '/identity/invite-codes/reserve']
const ways = (nobody: Awaited<ReturnType<typeof world>>['nobody']) => {
  let turn = 0
  return (code: string, client: number) =>
    nobody.post(
      paths[turn++ % 2] ?? '',
      { code, candidateSessionId: crypto.randomUUID() },
      { 'X-Forwarded-For': `198.51.100.${client}` },
    )
}

describe('A client that guesses invite codes from one address', async () => {
  const { nobody, admin, alice, database } = await world({ people: ['alice'], env })
  const ask = ways(nobody)
  const told = async (answer: string) => {
    const { text } = await nobody.get('//metrics', { Authorization: `Bearer ${METRICS_TOKEN}` })
    return Number(new RegExp(`^kith_invite_guesses_total{answer="${answer}"} (\\d+)$`, 'm').exec(text)?.[1] ?? 0)
  }

  test('uses up the limit with unknown codes only, not with reserved or invalid ones', async () => {
    const [held, dead] = [await newCode(admin), await newCode(admin)]
    await database.owner`update app.invite_codes set status = 'revoked' where code = ${dead}`
    expect(await ask(held, 1)).toMatchObject({ status: 200 })
    for (let n = 0; n < 10; n++) {
      expect(await ask(held, 1)).toFailWith(409, 'invite_reserved')
      expect(await ask(dead, 1)).toFailWith(410, 'invite_dead')
      expect(await nobody.post(paths[0] ?? '', {}, { 'X-Forwarded-For': '198.51.100.1' })).toMatchObject({
        status: 422,
      })
    }
  })

  test('gets 429 once the instance’s limit is reached, even with a valid code', async () => {
    const before = [await told('unknown'), await told('refused')]
    for (let n = 0; n < 7; n++) expect(await ask('INV-ZZZZZZ', 1)).toFailWith(404, 'invite_unknown')
    const code = await newCode(admin)
    for (const one of ['INV-ZZZZZZ', code]) {
      const refused = await ask(one, 1)
      expect(refused).toFailWith(429, 'rate_limited')
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    const [row] = await database.owner`select status from app.invite_codes where code = ${code}`
    expect(row, 'nobody looked').toEqual({ status: 'active' })
    expect([await told('unknown'), await told('refused')]).toEqual([(before[0] ?? 0) + 7, (before[1] ?? 0) + 2])
  })

  test('does not keep others from reserving their codes, even after one wrong attempt', async () => {
    expect(await ask(await newCode(admin), 2)).toMatchObject({ status: 200 })
    expect(await ask('INV-ZZZZZ2', 3)).toFailWith(404, 'invite_unknown')
    expect(await ask(await newCode(admin), 3)).toMatchObject({ status: 200 })
    expect((await alice.get('/me')).status).toBe(200)
  })
})

describe('Clients that guess from many addresses', async () => {
  const { nobody } = await world({ people: [], env })
  const ask = ways(nobody)

  test('get exactly as many answers as the instance allows in total', async () => {
    // the windows are those of the clock, and the requests must be in the same one
    await until(() => new Date().getSeconds() < 45)
    const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => ask('INV-ZZZZZZ', n % 50)))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 404)).toHaveLength(6 + 5)
    expect(statuses.filter((status) => status === 429)).toHaveLength(100 - 11)
  })

  test('make a blocked client wait no longer than the shorter of the two windows', async () => {
    const refused = await ask('INV-ZZZZZZ', 60)
    expect(refused).toFailWith(429, 'rate_limited')
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60)
  })
})
