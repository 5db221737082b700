// Tests how the API's description is written: shared parts appear once, and the order does not depend on the order of
// the sources.
import { describe, expect, test } from 'vitest'
import { arranged, type Described, textOf } from '../api-facade/lib/openapi-text.ts'

const limit = (description: string) => ({
  name: 'limit',
  in: 'query',
  required: false,
  'x-component': 'limit',
  description,
})
const answer = (schema: object) => ({ description: 'A page of posts.', content: { 'application/json': { schema } } })
const page = {
  type: 'object',
  properties: { items: { type: 'array', items: { $ref: '#/components/schemas/Post' } } },
  required: ['items', 'nextCursor', 'hasMore'],
}
type Group = Record<string, object>
const documentOf = (paths: Described['paths']) => {
  const schemas: Group = { Post: { type: 'object' } }
  const [parameters, responses, headers]: Group[] = [{}, {}, {}]
  return { paths, components: { schemas, parameters, responses, headers } }
}

describe('arranging a description', () => {
  const list = {
    parameters: [{ ...limit('Items per page.'), schema: { type: 'integer', description: 'Items per page.' } }],
    responses: { 200: answer(page) },
  }
  const { paths, components } = arranged(
    documentOf({ '/b': { post: { responses: {} }, get: list }, '/a': { get: list } }),
  )

  test('writes a shared parameter once, without default values', () => {
    expect(paths).toMatchObject({ '/a': { get: { parameters: [{ $ref: '#/components/parameters/limit' }] } } })
    expect(components.parameters).toEqual({
      limit: { name: 'limit', in: 'query', description: 'Items per page.', schema: { type: 'integer' } },
    })
  })

  test('names a page after its items, and writes it once', () => {
    expect(components.schemas).toMatchObject({ PostPage: page })
    const shared = answer({ $ref: '#/components/schemas/PostPage' })
    expect(paths).toMatchObject({
      '/a': { get: { responses: { 200: shared } } },
      '/b': { get: { responses: { 200: shared } } },
    })
  })

  test('sorts paths, methods and components', () => {
    expect(Object.keys(paths)).toEqual(['/a', '/b'])
    expect(Object.keys(Object(paths)['/b'])).toEqual(['get', 'post'])
    expect(Object.keys(components.schemas)).toEqual(['Post', 'PostPage'])
  })

  test('fails when two parameters would have one name', () => {
    const other = { parameters: [{ ...limit('Something else.'), schema: {} }], responses: {} }
    expect(() => arranged(documentOf({ '/a': { get: list, post: other } }))).toThrow('Two parameters are called limit')
  })
})

test('a value that fits on a line is printed on one line', () => {
  const long = 'x'.repeat(100)
  expect(textOf({ short: { a: [1, null], b: {} }, long: { [long]: long } })).toBe(
    `{\n "short": { "a": [1, null], "b": {} },\n "long": {\n  "${long}": "${long}"\n }\n}\n`,
  )
})
