// What api-facade/openapi.json says about every route besides its schemas: the configured limits, and headers.
import { expect, test } from 'vitest'
import { defaultLimits } from '../api-facade/lib/config.ts'
import { loadTables } from '../api-facade/lib/features.ts'
import { API, spellings } from '../api-facade/lib/routes.ts'
import { readOpenApi } from './support/openapi.ts'

type Operation = {
  description?: string
  'x-rate-limits'?: Record<string, string>
  responses: Record<string, { description: string; headers?: Record<string, unknown> }>
}
const { paths } = readOpenApi<{ paths: Record<string, Record<string, Operation>> }>()
const routes = spellings(await loadTables()).map(({ row, method, path }) => {
  const operation = paths[API + path.replace(/:([^/]+)/g, '{$1}')]?.[method.toLowerCase()]
  return { name: `${method} ${path}`, row, operation }
})

test('Every route states its limits, and describes its own ones in words', () => {
  for (const { name, row, operation } of routes) {
    const own = [row.limit ?? [], row.limits ?? []].flat()
    const limits = Object.fromEntries((['global', ...own] as const).map((limit) => [limit, defaultLimits[limit]]))
    expect(operation?.['x-rate-limits'], name).toEqual(limits)
    for (const limit of own) expect(operation?.description, name).toContain(`Limit \`${limit}\`:`)
  }
})

test('The API description lists the headers of every answer', () => {
  for (const { name, operation } of routes)
    for (const [status, { headers = {} }] of Object.entries(operation?.responses ?? {}))
      expect(Object.keys(headers), `${name} ${status}`).toContain('X-Request-Id')
})

test('Every success says in a few words what the answer is', () => {
  const said = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { responses }]) =>
      Object.entries(responses)
        .filter(([status]) => status.startsWith('2'))
        .map(([status, { description }]) => `${method} ${path} ${status}: ${description}`),
    ),
  )
  expect(said.length).toBeGreaterThanOrEqual(routes.length)
  expect(
    said.filter((line) => !/: [A-Z`]\S*( \S+){1,30}\.$/.test(line) || /: (OK|Done|Success|A body `)/i.test(line)),
  ).toEqual([])
})
