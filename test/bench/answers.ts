// Compares the answers of two checkouts. It sends the same short series of writes to both of them, and then every read
// of api-facade/openapi.json, as several people, with each of its parameters and with the pages after the first.
// Generated ids, times and codes may differ, and everything else must be equal.
import { createTokens } from '../../api-facade/lib/tokens.ts'
import { readOpenApi } from '../support/openapi.ts'
import { claims, interest, person, post } from './case.ts'
import { caughtUp, jwtSecret, type Side } from './side.ts'

type Caller = number | 'admin' | null
type Question = { caller: Caller; method: string; path: string; body?: unknown }
type Parameter = {
  name: string
  in: string
  schema: { type?: string; enum?: string[]; minimum?: number; maximum?: number }
}
type Document = { paths: Record<string, Record<string, { parameters?: Parameter[] }>> }

/** One checkout, and the names of the things that the writes have created there. */
type Teller = { side: Side; now: string; admin: string; named: Map<string, string>; ids: Map<string, string> }
type Answer = { status: number; said: string; next: string | null; ids: Record<string, unknown> }

const STRANGE = '99999999-9999-4999-8999-999999999999'
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g
const GIVEN = /^[123]0000000-0000-4000-8000-|^9{8}-/
/**
 * Fields whose values are random or come from the clock, in any format. Views are here because they are counted some
 * time later.
 */
const DRAWN = /^(code|codes|inviteCodes|uptime|views|timestamp)$/
const OTHER_HEADERS = /^(date|x-request-id|etag|connection|keep-alive|content-length|ratelimit-(remaining|reset))$/

const tokens = await createTokens([jwtSecret])

async function ask(teller: Teller, { caller, method, path, body }: Question): Promise<Answer> {
  const who = caller === 'admin' ? { ...claims(0), sub: teller.admin, role: 'admin' as const } : claims(caller ?? 0)
  const own = (text: string) => text.replaceAll(/\{(\w+)\}/g, (_, name) => teller.ids.get(name) ?? STRANGE)
  const response = await fetch(`${teller.side.url}${own(path)}`, {
    method,
    headers: {
      ...(caller !== null && { authorization: `Bearer ${await tokens.sign(who)}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : own(JSON.stringify(body)),
  })
  const text = await response.text()
  const json = (response.headers.get('content-type') ?? '').includes('json') && text !== '' ? JSON.parse(text) : text
  const headers = [...response.headers].filter(([name]) => !OTHER_HEADERS.test(name))
  return {
    status: response.status,
    said: told(teller, [response.status, headers, json], path),
    next: json?.nextCursor ?? null,
    ids: json,
  }
}

/** The answer as text, with names in place of generated values. */
function told({ named, now }: Teller, answer: unknown, path: string): string {
  const here = new Map<string, string>()
  // An export has its rows in the order of their ids, or in no particular order
  const isExport = path.endsWith('/export')
  const name = (id: string) => {
    if (GIVEN.test(id)) return id
    const known = named.get(id) ?? here.get(id) ?? (isExport ? 'an id' : `id ${here.size + 1}`)
    if (!named.has(id)) here.set(id, known)
    return known
  }
  const plain = (key: string, value: unknown): unknown => {
    if (DRAWN.test(key)) return `a ${typeof value}`
    if (typeof value === 'string') {
      if (key === 'nextCursor' && value.replace(ID, '') !== '') return 'a cursor'
      return value.replace(ID, name).replace(TIME, (time) => (time > now ? 'since' : time))
    }
    if (Array.isArray(value)) {
      const items = value.map((item) => plain('', item))
      return isExport ? items.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : items
    }
    if (typeof value !== 'object' || value === null) return value
    const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)) // an object has no order
    return Object.fromEntries(fields.map(([inner, item]) => [inner, plain(inner, item)]))
  }
  return JSON.stringify(plain('', answer), null, 1)
}

const P = '/api/v1'
const history = interest('history')
/**
 * The requests of the story. `as` names the id of the thing that a request creates, and a name in braces stands for
 * that id.
 */
const story: (Question & { as?: string })[] = [
  ['post', 201, 'POST', '/posts', { body: 'What I read today, says @p000202.', interestId: history, depth: 3 }],
  ['poll', 201, 'POST', '/posts', { body: 'Which of them?', poll: { options: ['this', 'that'] } }],
  [
    'essay',
    202,
    'POST',
    '/posts',
    { body: 'At length. '.repeat(50), format: 'essay', title: 'Of it', isJournalism: true },
  ],
  ['closer', 202, 'POST', '/posts', { body: 'For some.', visibility: 'circles' }],
  ['later', 201, 'POST', '/posts', { body: 'Later.', publishAt: '2099-01-31T12:00:00.000Z' }],
  ['quote', 203, 'POST', '/posts/{post}/repost', { body: 'As they say.' }],
  ['repost', 203, 'POST', '/posts/{essay}/repost', {}],
  ['gone', 203, 'POST', '/posts', { body: 'Not for long.' }],
  ['', 203, 'DELETE', '/posts/{gone}'],
  ['hidden', 203, 'POST', '/posts', { body: 'Not for all.' }],
  ['', 'admin', 'POST', '/admin/posts/{hidden}/hide', { reason: 'So' }],
  ['reply', 202, 'POST', '/posts/{post}/replies', { body: 'I see.', kind: 'criticism' }],
  ['', 201, 'POST', '/posts/{post}/replies', { body: 'Do you?', parentId: '{reply}' }],
  ['', 203, 'POST', '/posts/{post}/replies', { body: 'I do.' }],
  ...[202, 203, 204, 205].map((who) => ['', who, 'POST', '/posts/{post}/react', { kind: 'heart' }] as const),
  ['', 205, 'POST', '/posts/{post}/react', { kind: 'spark' }],
  ['', 204, 'DELETE', '/posts/{post}/react'],
  ['', 202, 'POST', '/posts/{post}/bookmark'],
  ['', 202, 'POST', `/posts/${post(90_000)}/bookmark`],
  ['', 203, 'POST', `/posts/${post(80_000)}/mute`],
  ['', 201, 'POST', '/posts/{post}/pin'],
  ['series', 201, 'POST', '/posts/series', { title: 'Notes' }],
  ['', 203, 'POST', '/series/{series}/follow'],
  ['', 201, 'POST', '/posts/series/{series}/items', { postId: '{post}' }],
  ['', 201, 'POST', '/posts/series/{series}/items', { postId: '{poll}' }],
  ['', 201, 'POST', '/posts/{post}/co-authors', { userId: 'p000204' }],
  ['', 202, 'POST', '/economy/pay', { emotion: 'joy', tier: 1, postId: '{post}' }],
  ['', 203, 'POST', '/economy/pay', { emotion: 'awe', tier: 0, receiverId: 'p000201' }],
  ['', 202, 'POST', '/users/p000201/follow'],
  ['', 203, 'POST', '/users/p000202/mute'],
  ['', 204, 'POST', '/users/p000203/block'],
  ['', 203, 'POST', '/identity/me/muted-keywords', { keyword: 'words' }],
  ['circle', 201, 'POST', '/circles', { name: 'Readers', kind: 'work' }],
  ['', 201, 'POST', '/circles/me/{circle}/members', { memberId: 'p000205', bondLevel: 'inner-circle' }],
  ['', 201, 'POST', '/circles/me/{circle}/invitations', { inviteeId: 'p000206' }],
  ['', 201, 'POST', '/me/interests', { interestId: history, depth: 4, expertise: 2 }],
  ['', 201, 'POST', '/me/personas', { name: 'Reader' }],
  ['', 201, 'POST', '/me/invites'],
  ['', 'admin', 'POST', '/admin/reputation/adjust', { userId: 'p000202', interestId: history, delta: 60, note: 'So' }],
  ['', 202, 'POST', '/reputation/vote', { userId: 'p000201', interestId: history, value: 1, comment: 'Fine' }],
  ['', 201, 'POST', '/reputation/appeals', { interestId: history, text: 'Look again.' }],
  ['', 205, 'POST', '/reports', { targetType: 'post', targetId: '{essay}', reason: 'So' }],
  ['', 201, 'PATCH', '/me', { bio: 'Reads.' }],
].map(
  ([as, caller, method, path, body]) =>
    ({ as, caller, method, path: `${P}${path}`, body }) as Question & { as: string },
)

/** The values for a parameter in a path. */
function choices(path: string, name: string, posts: number): string[] {
  const made = (...names: string[]) => [...names.map((one) => `{${one}}`), STRANGE]
  if (name === 'seriesId') return made('series')
  if (name === 'postId' || /\/posts\/\{id\}/.test(path)) {
    const ofData = [posts - 50_000, posts - 7, posts - 8, posts - 9, posts - 10].map(post)
    return [...ofData, ...made('post', 'poll', 'essay', 'closer', 'later', 'quote', 'repost', 'gone', 'hidden')]
  }
  if (/\/circles\/me\/\{id\}/.test(path)) return [person(201), ...made('circle')]
  return ['p000007', 'acct:p000201@localhost', '@p000202', person(203), 'nobody-at-all']
}

function valuesOf({ name, schema }: Parameter): string[] {
  if (name === 'cursor') return ['strange', post(1)]
  if (name === 'parentId') return [interest('history'), '{reply}', STRANGE]
  if (schema.enum) return [...schema.enum, 'strange']
  if (schema.type === 'boolean') return ['true', 'false']
  if (schema.type === 'integer') return [`${schema.minimum ?? 0}`, `${schema.maximum ?? 9}`, '-1']
  return [history, STRANGE]
}

/** All reads of an OpenAPI document. */
function reads({ paths }: Document, posts: number): Question[] {
  return Object.entries(paths).flatMap(([template, { get }]) => {
    if (!get) return []
    const { parameters = [] } = get
    const inPath = parameters.filter((one) => one.in === 'path')
    const filled = inPath.reduce(
      (all, { name }) =>
        all.flatMap((path) => choices(template, name, posts).map((choice) => path.replace(`{${name}}`, `<${choice}>`))),
      [template],
    )
    const queries = parameters
      .filter((one) => one.in === 'query')
      .flatMap((one) => valuesOf(one).map((value) => `?${one.name}=${value}`))
    const callers: Caller[] = template.includes('/admin/') ? [201, 'admin'] : [1, 2, 3, 201, 202, 203]
    return filled
      .map((path) => path.replaceAll(/[<>]/g, ''))
      .flatMap((path, at) => [
        ...callers.map((caller) => ({ caller, method: 'GET', path })),
        { caller: null, method: 'GET', path },
        // For the other parameters, one path and two callers are enough
        ...(at > 0
          ? []
          : queries.flatMap((query) => [2, 201].map((caller) => ({ caller, method: 'GET', path: path + query })))),
      ])
  })
}

const place = (one: string, other: string): string => {
  let at = 0
  while (one[at] === other[at]) at++
  const cut = (text: string) => text.slice(Math.max(0, at - 60), at + 60).replaceAll(/\s+/g, ' ')
  return `    this   …${cut(one)}…\n    other  …${cut(other)}…`
}

const say = (line: string) => process.stdout.write(`${line}\n`)

/** Prints which answers differ. @returns whether none does */
export async function compareAnswers(sides: Side[], roots: string[], posts: number, now: string): Promise<boolean> {
  const tellers = await Promise.all(
    sides.map(async (side): Promise<Teller> => {
      const [row] = await side.superuser<{ id: string }[]>`select id from app.users where role = 'admin'`
      const interests = await side.superuser<{ id: string; slug: string }[]>`select id, slug from app.interests`
      const named = new Map(interests.map(({ id, slug }) => [id, slug]))
      return { side, now, named, admin: row?.id ?? '', ids: new Map() }
    }),
  )
  let differing = 0
  let asked = 0
  let answered = 0
  const askAll = async (question: Question): Promise<Answer[]> => {
    const answers = await Promise.all(tellers.map((teller) => ask(teller, question)))
    const [mine, theirs] = answers
    asked++
    if (mine && mine.status < 300) answered++
    if (mine && theirs && mine.said !== theirs.said) {
      differing++
      if (differing <= 30)
        say(`${question.caller} ${question.method} ${question.path}\n${place(mine.said, theirs.said)}`)
    }
    return answers
  }

  for (const { as, ...question } of story) {
    for (const [at, { ids }] of (await askAll(question)).entries()) {
      const id = typeof ids === 'object' ? ids?.id : undefined
      if (!as || typeof id !== 'string') continue
      tellers[at]?.ids.set(as, id)
      tellers[at]?.named.set(id, as)
    }
  }
  await Promise.all(sides.map((side) => caughtUp(side)))

  const documents = roots.map((root) => readOpenApi<Document>(root))
  const [mine = [], theirs = []] = documents.map((document) => reads(document, posts))
  const known = new Set(theirs.map((question) => JSON.stringify(question)))
  const questions = mine.filter((question) => known.has(JSON.stringify(question)))
  for (const question of questions) {
    let answers = await askAll(question)
    for (let page = 0; page < 2 && answers.every(({ next }) => next); page++) {
      // A cursor may contain ids, so each side has its own cursors
      const cursors = answers.map(({ next }) => encodeURIComponent(next ?? ''))
      for (const [at, teller] of tellers.entries()) teller.ids.set('next', cursors[at] ?? '')
      answers = await askAll({
        ...question,
        path: `${question.path}${question.path.includes('?') ? '&' : '?'}cursor={next}`,
      })
    }
  }
  const skipped = mine.length + theirs.length - 2 * questions.length
  say(
    `${asked} answers compared, ${answered} of them successes: ${differing} differ; ${skipped} reads exist on one side only`,
  )
  return differing === 0
}
