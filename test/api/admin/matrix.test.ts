// Each caller may call exactly the routes of /admin that test/routes.tsv says. The callers are anonymous, a user, a
// moderator, an admin, and somebody who was an admin when the token was issued. The other files in this folder test
// what each route does.
import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { loadTables } from '../../../api-facade/lib/features.ts'
import { spellings } from '../../../api-facade/lib/routes.ts'
import { UNKNOWN } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { world } from '../../support/world.ts'

const { alice, admin, nobody, database, join } = await world({ people: ['alice'] })
const [mona, adam] = (await join('mona', 'adam')) as [Person, Person]
const promote = (name: string, role: string) => admin.patch(`/admin/users/${name}/role`, { role })
await promote('mona', 'moderator')
await promote('adam', 'admin')
const moderator = await mona.login()
const demoted = await adam.login()
await promote('adam', 'user')

const built = new Set(spellings(await loadTables()).map(({ method, path }) => `${method} ${path}`))
const routes = readFileSync('test/routes.tsv', 'utf8')
  .split('\n')
  .map((line) => line.split('\t'))
  .filter(([method, path]) => path?.startsWith('/admin/') && built.has(`${method} ${path}`)) as string[][]

test('Every staff route is listed in routes.tsv and uses the service pool, and no other route does', async () => {
  const staffs = spellings(await loadTables()).filter(({ path }) => path.startsWith('/admin/'))
  expect(routes).toHaveLength(staffs.length)
  expect(staffs.filter(({ row }) => !['moderator', 'admin'].includes(row.access))).toEqual([])
  const others = spellings(await loadTables()).filter(({ path }) => !path.startsWith('/admin/'))
  const served = others.filter(({ row }) => row.pool === 'service' || ['moderator', 'admin'].includes(row.access))
  expect(served.map(({ method, path }) => `${method} ${path}`)).toEqual([])
  // and no file uses the service pool except through a route’s row
  const files = globSync(['api-facade/**/*.ts', 'edge-functions/**/*.ts'])
  const naming = files.filter((file) => /'service'|\bpools\.service\b/.test(readFileSync(file, 'utf8')))
  expect(naming.sort()).toEqual(['lib/call.ts', 'lib/database.ts', 'lib/routes.ts'].map((file) => `api-facade/${file}`))
})

describe.each(routes)('%s %s', (method, route, access) => {
  const path = route.replace(':kind', 'videos').replace(':key', 'none').replace(/:\w+/g, UNKNOWN)
  const ask = (who: Person) => who.request(method, path, method === 'GET' ? undefined : {})

  test(`requires the role ${access}`, async () => {
    const before = await database.owner`select count(*)::int as entries from app.audit_log`
    expect(await ask(nobody)).toFailWith(401, 'token_missing')
    expect(await ask(alice)).toFailWith(403, 'role_required')
    expect(await ask(demoted)).toFailWith(401, 'token_revoked')
    expect(await database.owner`select count(*)::int as entries from app.audit_log`).toEqual(before)
    const allowed = access === 'moderator' ? [moderator, admin] : [admin]
    if (access === 'admin') expect(await ask(moderator)).toFailWith(403, 'role_required')
    // the ids do not exist, and required fields are missing
    for (const who of allowed) expect([200, 404, 422]).toContain((await ask(who)).status)
  })
})
