// The examples of answers in api-facade/openapi.json. test/README.md says how to renew them.
import { expect, test } from 'vitest'
import { checkAgainst } from './support/contract.ts'
import { readOpenApi } from './support/openapi.ts'

type Answer = { content?: Record<string, { examples?: Record<string, { $ref: string }> }> }
const { paths, components } = readOpenApi<{
  paths: Record<string, Record<string, { responses: Record<string, Answer> }>>
  components: { examples: Record<string, { value: unknown }> }
}>()

/** Answers that no example shows: exports would be too long, and the others depend on how the instance is set up. */
const unshown = [
  'get /.well-known/apple-app-site-association',
  'get /.well-known/assetlinks.json',
  'get /.well-known/kith',
  'get /.well-known/kith/audit',
  'get /.well-known/kith/audit/{number}',
  'get /api/v1/me/export',
  'get /ready',
  'post /api/v1/admin/users/{id}/export',
  'post /api/v1/media/avatar/generate',
  'put /api/v1/media/local/{assetId}',
]

test('Every JSON answer has an example, which its schema allows', () => {
  const check = checkAgainst(readOpenApi())
  const silent = new Set<string>()
  for (const [path, operations] of Object.entries(paths))
    for (const [method, { responses }] of Object.entries(operations))
      for (const [status, { content = {} }] of Object.entries(responses)) {
        const json = content['application/json']
        if (!status.startsWith('2') || !json) continue
        const [{ $ref = '' } = {}] = Object.values(json.examples ?? {})
        const body = components.examples[$ref.split('/').at(-1) ?? '']?.value
        if (body === undefined) silent.add(`${method} ${path}`)
        else expect(check({ method, path, status: Number(status), body }), `${method} ${path}`).toBeUndefined()
      }
  expect([...silent].sort()).toEqual(unshown)
})
