// Gates: a caller without the capability, reputation or feature for an operation gets that error even if the request is
// also invalid. The routes say which gate they have. This test compares the gates with the codes that the operations
// raise. See docs/decisions.md, Errors.
import { expect, test } from 'vitest'
import { errors } from '../../../api-facade/generated/errors.ts'
import { loadTables } from '../../../api-facade/lib/features.ts'
import { ownCodes } from '../../../api-facade/lib/openapi-answers.ts'
import { type Route, spellings } from '../../../api-facade/lib/routes.ts'
import { UNKNOWN } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { world } from '../../support/world.ts'

/** Codes of gates. All other codes of 403 concern an owner, a member or a party, or follow from details of a person. */
const gates = [
  'apps_closed',
  'feature_disabled',
  'guild_not_allowed',
  'interest_not_held',
  'journalism_not_allowed',
  'reputation_too_low',
  'wiki_reputation',
]
const others =
  /_not_yours$|^(space_(not_member|role|banned)|role_required|case_own|person_(banned|suspended)|password_wrong|factor_(missing|required)|code_wrong|proof_required|proposal_ineligible|upload_refused|conversation_closed|no_shared_circle|not_enrolled|invitation_required|order_party|passkey_wrong|access_token_required|bot_refused|moderate_own|oidc_unverified|scope_missing|session_required)$/

/** Codes that depend on the body, so that they cannot be checked before it is read. */
const ofTheBody: Record<string, string[]> = {
  'POST /economy/pay': ['reputation_too_low'], // the code depends on the post and the amount
  'POST /posts': ['journalism_not_allowed'],
  'PATCH /posts/:id': ['journalism_not_allowed'],
  'POST /groups/:id/posts': ['journalism_not_allowed'],
  'POST /guilds/:id/posts': ['journalism_not_allowed'],
  'POST /reputation/vote': ['interest_not_held'],
}

const routes = spellings(await loadTables())
const spelling = ({ method, path }: Route) => `${method} ${path}`
const codesOf = (route: Route) =>
  ownCodes(route.row).filter((code) => gates.includes(code) && !ofTheBody[spelling(route)]?.includes(code))
const gated = routes.filter((route) => codesOf(route).length > 0)

test('Every code of 403 belongs to a gate or is listed among the others', () => {
  const all = Object.entries(errors).filter(([, [status]]) => status === 403)
  expect(all.map(([code]) => code).filter((code) => !gates.includes(code) && !others.test(code))).toEqual([])
})

test('A route has a gate if and only if its operation raises the code of a gate', () => {
  expect(routes.filter(({ row }) => row.gate).map(spelling)).toEqual(gated.map(spelling))
  expect(gated.length).toBeGreaterThan(10)
})

test('Every code listed as depending on the body is raised by its route', () => {
  const wrong = Object.entries(ofTheBody).filter(([name, codes]) => {
    const route = routes.find((one) => spelling(one) === name)
    return !route || codes.some((code) => !ownCodes(route.row).some((own) => own === code))
  })
  expect(wrong).toEqual([])
})

const { alice, admin, nobody, database } = await world({ people: ['alice'], env: { RATE_LIMIT_SCALE: '1000' } })
const { owner } = database
const [interest] = await owner<{ id: string }[]>`select id from app.interests where slug = 'music'`
const made = async (path: string, body: object) => {
  const answer = await admin.post<{ id: string }>(path, body)
  expect(answer.status, answer.text).toBe(201)
  return answer.body.id
}
const guild = await made('/guilds', { name: 'A guild', interestId: interest?.id, minRep: 10 })
await owner`select private.add_reputation(${admin.id}, ${interest?.id ?? ''}, 'admin.adjusted', 30)`
const proposal = await made('/wiki/music/proposals', { body: 'x', summary: 'x', baseVersion: 0 })
/** The path of a route with its parameters replaced by things that exist. */
const filled = (path: string, ids: Record<string, string> = {}) =>
  path.replace(/:(\w+)/g, (_, name: string) => {
    const known = { slug: 'music', n: '1', id: path.startsWith('/guilds') ? guild : proposal, ...ids }
    return known[name as keyof typeof known]
  })

/** Requests to a route that its validation rejects. */
const wrongly = (who: Person, { method, path: pattern }: Route, path = filled(pattern)) =>
  method === 'GET'
    ? [who.get(`${path}?limit=0`)]
    : [{}, { value: 9, message: 1, tier: -1 }, '{', '[]'].map((body) => who.request(method, path, body))

test.each(gated.map((route) => [spelling(route), route] as const))(
  '%s checks its gate before the body',
  async (_, route) => {
    const { gate } = route.row
    const closed = gate?.check === 'require_flag' ? 'feature_disabled' : undefined
    // a route without a body cannot be called with an invalid body
    const takesBody = route.method !== 'GET' && route.row.body !== undefined
    if (closed) await owner`update app.feature_flags set enabled = false where key = ${gate?.of ?? ''}`
    for (const answer of await Promise.all(wrongly(alice, route))) {
      expect(answer).toFailWith(403, closed ?? codesOf(route).find((code) => code !== 'feature_disabled') ?? '')
    }
    for (const answer of await Promise.all(wrongly(nobody, route))) expect(answer).toFailWith(401, 'token_missing')
    if (closed) await owner`update app.feature_flags set enabled = true`
    if (takesBody) for (const { status } of await Promise.all(wrongly(admin, route))) expect(status).not.toBe(403)
  },
)

test('Something in the path that does not exist gives 404, whatever the body is', async () => {
  for (const route of gated.filter(({ row }) => row.gate?.param)) {
    const path = filled(route.path, { id: UNKNOWN, slug: 'no-such-interest' })
    for (const { status } of await Promise.all(wrongly(alice, route, path))) expect(status, path).toBe(404)
  }
})

test('A revoked token gives 401 before any gate is checked', async () => {
  const { body } = await nobody.post<{ accessToken: string }>('/auth/login', alice)
  const gone = alice.withToken(body.accessToken)
  await gone.post('/auth/logout')
  for (const route of gated) {
    for (const answer of await Promise.all(wrongly(gone, route))) expect(answer).toFailWith(401, 'token_revoked')
  }
})
