// The limits of docs/rate-limits.md on calls of the OAuth endpoints by one address, and on device codes that one person
// enters.
import { describe, expect, test } from 'vitest'
import { CLIENT, startBalancer } from '../../support/balancer.ts'
import { world } from '../../support/world.ts'

const LIMIT = 3
const limits = { oauth: `${LIMIT}/min`, device_code: `${LIMIT}/min` }
const { alice, bob, url } = await world({
  env: { RATE_LIMIT_SCALE: '1', RATE_LIMITS: JSON.stringify(limits), TRUSTED_PROXY_HOPS: '1' },
})

describe('The endpoints of OAuth', async () => {
  const balancer = await startBalancer([url], { named: true })
  const ask = (path: string, address: string, fields: Record<string, string>) =>
    fetch(`${balancer.url}${path}`, {
      method: 'POST',
      headers: { [CLIENT]: address },
      body: new URLSearchParams(fields),
    })
  const forms: [string, Record<string, string>][] = [
    ['/oauth/token', { grant_type: 'refresh_token', refresh_token: 'guessed', client_id: crypto.randomUUID() }],
    ['/oauth/device-code', { client_id: crypto.randomUUID(), scope: 'posts:read' }],
    ['/oauth/introspect', { token: 'guessed', client_id: crypto.randomUUID() }],
    ['/oauth/revoke', { token: 'guessed', client_id: crypto.randomUUID() }],
  ]

  test('share one limit for each address', async () => {
    for (const [index, [path, fields]] of forms.entries()) {
      const address = `198.51.100.${index}`
      for (let n = 0; n < LIMIT; n++) expect((await ask(path, address, fields)).status, path).not.toBe(429)
      for (const [other, others] of forms) {
        const answer = await ask(other, address, others)
        expect([answer.status, Number(answer.headers.get('retry-after')) > 0], other).toEqual([429, true])
      }
    }
    await balancer.close()
  })
})

test('A person may enter only a few device codes, and this limit affects nobody else', async () => {
  const guess = { userCode: 'BCDF-GHJK' }
  for (let n = 0; n < LIMIT; n++) expect(await alice.post('/oauth/device', guess)).toFailWith(410, 'consent_over')
  expect(await alice.post('/oauth/device', guess)).toFailWith(429, 'rate_limited')
  expect(await alice.post('/oauth/device/decision', { ...guess, allow: true })).toFailWith(429, 'rate_limited')
  expect((await bob.post('/oauth/device', guess)).status).toBe(410)
})
