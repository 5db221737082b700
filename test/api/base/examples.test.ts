// Sends every example body in api-facade/openapi.json unchanged and expects its route to accept it.
import { expect, test } from 'vitest'
import { UNKNOWN } from '../../support/lists.ts'
import { readOpenApi } from '../../support/openapi.ts'
import { world } from '../../support/world.ts'

type Operation = {
  security?: unknown[]
  parameters?: { name: string; in: string; schema: { format?: string; example?: string } }[]
  requestBody?: { content: Record<string, { example?: unknown }> }
}
const { paths } = readOpenApi<{ paths: Record<string, Record<string, Operation>> }>()
const { bob, admin, nobody } = await world({ people: ['alice', 'bob'] })

const bodies = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { requestBody, parameters = [], security = [] }]) => {
    const example = requestBody?.content['application/json']?.example
    if (!requestBody) return []
    const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
      const parameter = parameters.find((one) => one.in === 'path' && one.name === name)
      return parameter?.schema.format === 'uuid' ? UNKNOWN : (parameter?.schema.example ?? bob.username)
    })
    return [{ method: method.toUpperCase(), path: filled.replace('/api/v1', ''), example, open: security.length === 0 }]
  }),
)

// log out last: afterwards the admin’s token is invalid for all other routes
bodies.sort((one, other) => Number(one.path === '/auth/logout') - Number(other.path === '/auth/logout'))

test.each(bodies)('$method $path accepts its example', async ({ method, path, example, open }) => {
  expect(example).toBeDefined()
  const { status, text } = await (open ? nobody : admin).request(method, path, example)
  expect(status, text).not.toBe(422)
  expect(status, text).not.toBe(400)
})
