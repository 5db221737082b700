// What Postgres would say of a row when it refuses one: nobody's internal id goes out with it.
import { expect, test } from 'vitest'
import { scramVerifier } from '../../../api-facade/lib/database.ts'
import { rest } from '../../support/rest.ts'
import { world } from '../../support/world.ts'

const { alice, bob, stack } = await world({ people: ['alice', 'bob'] })
const { client } = rest(stack, alice)
const me = client(alice.token)

test.each([
  ['an emotion that is none', { p_emotion: 'envy', p_tier: 0, p_receiver_id: 'bob' }],
  ['more than one has', { p_emotion: 'joy', p_tier: 5, p_receiver_id: 'bob' }],
])('paying with %s quotes no row', async (_what, payment) => {
  const { status, error } = await me.rpc('pay', payment)
  expect(status).toBeGreaterThanOrEqual(400)
  expect(JSON.stringify(error)).not.toContain(bob.id)
  expect(JSON.stringify(error)).not.toContain(alice.id)
})

test('the password of a pool does not stand in what is sent to the database', () => {
  const verifier = scramVerifier('a password')
  expect(verifier).toMatch(/^SCRAM-SHA-256\$4096:[\w+/=]{24}\$[\w+/=]{44}:[\w+/=]{44}$/)
  expect(verifier).not.toContain('a password')
})
