// Tests the report on a change of the API's description.
import { describe, expect, test } from 'vitest'
import { compare, type Description, report, type Schema } from '../api-facade/describe-diff.ts'

type Operation = Description['paths'][string][string]

const Post = {
  type: 'object',
  properties: { id: { type: 'string' }, title: { type: 'string' }, kind: { type: 'string', enum: ['note', 'essay'] } },
  required: ['id', 'title'],
}
const limit = { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 50 } }
const json = (schema: Schema) => ({ 'application/json': { schema } })
const toPost = json({ $ref: '#/components/schemas/Post' })
const listing: Operation = {
  summary: 'List posts',
  parameters: [{ $ref: '#/components/parameters/limit' }],
  responses: {
    200: { headers: { ETag: {} }, content: json({ type: 'array', items: { $ref: '#/components/schemas/Post' } }) },
    404: { $ref: '#/components/responses/404', description: '`person_unknown`, `post_unknown`' },
  },
}
const creating: Operation = { requestBody: { content: toPost }, responses: { 201: { content: toPost } } }

const documentOf = (get: Operation, post: object = Post, more: Description['paths'] = {}): Description => ({
  paths: { '/posts': { get, post: creating }, ...more },
  components: { schemas: { Post: post }, parameters: { limit }, responses: { 404: { description: 'Not Found' } } },
})
const before = documentOf(listing)
const found = (after: Description) => compare(before, after)
const changedPost = (properties: object, required = Post.required) =>
  found(documentOf(listing, { ...Post, properties: { ...Post.properties, ...properties }, required }))
const nothing = { breaking: [], changed: [], added: [], texts: 0 }

describe('the comparison of two descriptions', () => {
  test('finds no difference between a document and itself', () => {
    expect(found(before)).toEqual(nothing)
    expect(report(found(before))).toEqual(['  no difference'])
  })

  test('resolves references, and treats both ways to write a nullable schema alike', () => {
    const inline = { ...listing, parameters: [limit] }
    expect(found(documentOf(inline))).toEqual(nothing)
    const time = { type: 'string', format: 'date-time' }
    const written = documentOf(listing, { properties: { at: { ...time, type: ['string', 'null'] } } })
    const chosen = documentOf(listing, { properties: { at: { anyOf: [time, { type: 'null' }] } } })
    expect(compare(written, chosen)).toEqual(nothing)
  })

  test('reports added and removed routes', () => {
    const more = documentOf(listing, Post, { '/series': { get: {} } })
    expect(compare(before, more)).toEqual({ ...nothing, added: ['GET /series is new'] })
    expect(compare(more, before)).toEqual({ ...nothing, breaking: ['GET /series is gone'] })
  })

  test('reports a change of a schema once, for requests and for answers', () => {
    expect(changedPost({ body: { type: 'string' } })).toEqual({
      ...nothing,
      added: ['Post, as answered: body is new', 'Post, as sent: body is new'],
    })
    expect(changedPost({ body: { type: 'string' } }, ['id', 'title', 'body'])).toEqual({
      ...nothing,
      added: ['Post, as answered: body is new'],
      breaking: ['Post, as sent: body is new'],
    })
  })

  test('an optional field breaks clients that read it, and a required field breaks clients that send it', () => {
    expect(changedPost({}, ['id'])).toMatchObject({
      breaking: ['Post, as answered: title became optional'],
      changed: ['Post, as sent: title became optional'],
    })
    expect(changedPost({}, ['id', 'title', 'kind'])).toMatchObject({
      breaking: ['Post, as sent: kind became required'],
      changed: ['Post, as answered: kind became required'],
    })
  })

  test('another type, fewer values and tighter bounds break clients that send them', () => {
    expect(changedPost({ kind: { type: 'string', enum: ['note', 'photo'] } })).toEqual({
      ...nothing,
      breaking: ['Post, as sent.kind: no longer essay'],
      changed: ['Post, as answered.kind: no longer essay', 'Post, as answered.kind: now also photo'],
      added: ['Post, as sent.kind: now also photo'],
    })
    expect(changedPost({ title: { type: ['string', 'null'] } })).toEqual({
      ...nothing,
      breaking: ['Post, as answered.title: string became null,string'],
      changed: ['Post, as sent.title: string became null,string'],
    })
    const tighter = { ...listing, parameters: [{ ...limit, schema: { type: 'integer', maximum: 20 } }] }
    expect(found(documentOf(tighter)).breaking).toEqual(['GET /posts: query limit: maximum 50 became 20'])
    const wider = { ...listing, parameters: [{ ...limit, schema: { type: 'integer', maximum: 100 } }] }
    expect(found(documentOf(wider)).changed).toEqual(['GET /posts: query limit: maximum 50 became 100'])
  })

  test('reports parameters, headers, statuses and codes', () => {
    const parameters = [{ name: 'tab', in: 'query', required: true }]
    const responses = {
      200: { ...listing.responses?.[200], headers: { Link: {} } },
      403: { description: '`role_required`' },
      404: { description: '`post_unknown`, `series_unknown`' },
    }
    expect(found(documentOf({ ...listing, parameters, responses }))).toEqual({
      ...nothing,
      breaking: [
        'GET /posts: query limit is gone',
        'GET /posts: query tab is new',
        'GET /posts: 200: the header ETag is gone',
      ],
      changed: ['GET /posts: 404 is no longer person_unknown'],
      added: [
        'GET /posts: 200: the header Link is new',
        'GET /posts: 403 is new: role_required',
        'GET /posts: 404 can be series_unknown',
      ],
    })
  })

  test('stops at a schema that refers to itself', () => {
    const tree = (of: object) =>
      documentOf(listing, { properties: { below: { $ref: '#/components/schemas/Post' }, ...of } })
    expect(compare(tree({}), tree({ leaf: {} })).added).toEqual([
      'Post, as answered: leaf is new',
      'Post, as sent: leaf is new',
    ])
  })

  test('counts the operations whose texts changed, and prints at most 40 lines of a kind', () => {
    expect(report(found(documentOf({ ...listing, summary: 'The posts' })))).toEqual(['  other words: 1 operation'])
    const many = { ...nothing, added: Array.from({ length: 42 }, (_, at) => `GET /${at} is new`) }
    expect(report(many)).toHaveLength(42)
    expect(report(many).at(-1)).toBe('    … and 2 more')
  })
})
