// The rules for a row of a route table, as in api-facade/lib/routes.ts.
import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import type { Env } from '../../../api-facade/lib/context.ts'
import { openApiText } from '../../../api-facade/lib/openapi.ts'
import { mount, type Row, routes } from '../../../api-facade/lib/routes.ts'
import { z } from '../../../api-facade/lib/schemas.ts'
import { world } from '../../support/world.ts'

const row: Row<'get_space'> = {
  summary: 'A group',
  access: 'user',
  operation: 'get_space',
  constants: { p_kind: 'group' },
  params: z.object({ id: z.string() }),
  answers: { 200: z.object({}) },
  outcome: 'The group.',
}
const tables = (rows: Record<string, Row<'get_space'>>) => [routes('groups', rows)]
const mounted = (one: Row<'get_space'>) => () => mount(new Hono<Env>(), tables({ 'GET /groups/:id': one }))

describe('a constant', () => {
  test('must be a parameter of the operation', () => {
    expect(mounted(row)).not.toThrow()
    expect(mounted({ ...row, constants: { p_role: 'x' } as object })).toThrow('get_space has no p_role')
  })

  test('must not be a field of the request too', () => {
    const query = z.object({ kind: z.string() })
    expect(mounted({ ...row, query })).toThrow('two values for one parameter')
  })

  test('cannot be changed by a request', async () => {
    const { alice } = await world()
    const { body } = await alice.post<{ id: string }>('/groups', { name: 'Owls' })
    for (const query of ['', '?kind=guild', '?p_kind=guild', '?pKind=guild'])
      expect((await alice.get(`/groups/${body.id}${query}`)).status).toBe(200)
    expect(await alice.get(`/guilds/${body.id}?kind=group&p_kind=group`)).toFailWith(404, 'space_unknown')
  })
})

const described = (rows: Parameters<typeof tables>[0]) =>
  openApiText(tables(rows).map((table) => ({ ...table, about: 'Groups and guilds.' })))

test('two routes with the same operationId are rejected', () => {
  const [groups, guilds] = [
    { ...row, id: 'getGroup' },
    { ...row, id: 'getGroup' },
  ]
  expect(() => described({ 'GET /groups/:id': groups, 'GET /guilds/:id': guilds })).toThrow('getGroup')
  expect(described({ 'GET /groups/:id': groups, 'GET /guilds/:id': row })).toContain('"getSpace"')
})
