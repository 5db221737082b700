// Error messages of Postgres can quote the rejected row. This test checks that no internal id reaches a client that
// way.
import { expect, test } from 'vitest'
import { scramVerifier } from '../../../api-facade/lib/database.ts'
import { rest } from '../../support/rest.ts'
import { world } from '../../support/world.ts'

const { alice, bob, stack } = await world({ people: ['alice', 'bob'] })
const { client } = rest(stack, alice)
const me = client(alice.token)

test.each([
  ['an unknown emotion', { p_emotion: 'envy', p_tier: 0, p_receiver_id: 'bob' }],
  ['more mana than the balance', { p_emotion: 'joy', p_tier: 5, p_receiver_id: 'bob' }],
])('The error for paying with %s quotes no row', async (_what, payment) => {
  const { status, error } = await me.rpc('pay', payment)
  expect(status).toBeGreaterThanOrEqual(400)
  expect(JSON.stringify(error)).not.toContain(bob.id)
  expect(JSON.stringify(error)).not.toContain(alice.id)
})

test('The database receives the password of a pool only as a verifier', () => {
  const verifier = scramVerifier('a password')
  expect(verifier).toMatch(/^SCRAM-SHA-256\$4096:[\w+/=]{24}\$[\w+/=]{44}:[\w+/=]{44}$/)
  expect(verifier).not.toContain('a password')
})
