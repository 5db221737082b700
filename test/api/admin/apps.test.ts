// Staff lists and deletes the apps of everybody.
import { expect, test } from 'vitest'
import type { Person } from '../../support/person.ts'
import { world } from '../../support/world.ts'

const { admin, alice, bob, database, join } = await world()
await database.owner`update app.settings set value = 'everyone' where key = 'register_apps'`
const [mona] = (await join('mona')) as [Person]
await admin.patch('/admin/users/mona/role', { role: 'moderator' })
const moderator = await mona.login()

type App = { id: string; name: string; owner: { username: string } }
const register = async (who: typeof alice, name: string) => {
  const app = { name, redirectUris: ['https://garden.example/done'], scopes: ['posts:read'] }
  return (await who.post<App>('/apps', app)).body.id
}
const garden = await register(alice, 'Garden')
const park = await register(bob, 'Park')
const found = async (query = '') => (await moderator.get<{ items: App[] }>(`/admin/apps${query}`)).body.items

test('Staff lists the apps of everybody, newest first, and finds them by owner and words', async () => {
  expect(await found()).toMatchObject([
    { id: park, owner: { username: 'bob' } },
    { id: garden, owner: { username: 'alice' } },
  ])
  expect(await found('?ownerId=alice')).toMatchObject([{ id: garden }])
  expect(await found('?q=PARK')).toMatchObject([{ id: park }])
  expect(await found('?ownerId=alice&q=park')).toEqual([])
  expect(await found('?limit=1')).toMatchObject([{ id: park }])
  expect(await alice.get('/admin/apps')).toFailWith(403, 'role_required')
})

test('An admin deletes an app: its consents end, and its owner is notified', async () => {
  await database.owner`insert into app.app_consents (id, user_id, app_id, scopes)
    values (gen_random_uuid(), ${bob.id}, ${garden}, '{posts:read}')`
  expect((await bob.get('/me/apps')).body).toMatchObject({ items: [{ id: garden }] })
  expect(await moderator.delete(`/admin/apps/${garden}`)).toFailWith(403, 'role_required')
  expect(await admin.delete(`/admin/apps/${garden}`)).toMatchObject({ status: 204 })
  expect(await admin.delete(`/admin/apps/${garden}`)).toFailWith(404, 'app_unknown')
  expect((await bob.get('/me/apps')).body).toMatchObject({ items: [] })
  const consents = await database.owner`select from app.app_consents where app_id = ${garden} and ended_at is null`
  expect(consents).toHaveLength(0)
  expect(await found()).toMatchObject([{ id: park }])
})
