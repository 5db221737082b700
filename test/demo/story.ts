// The main use case of Kith as a story: from an invite code to a payment, over HTTP, by named people.
// Every step states what it expects, and the story stops at the first step with another result.

type Print = (line: string) => void
type Json = Record<string, unknown>
// answers are untyped on purpose: each step checks what it reads and fails if it differs
type Answer = { status: number; body: Json & { items: Json[] } }

type StoryOptions = { url: string; admin: { email: string; password: string }; print: Print }

class Storyteller {
  readonly url: string
  readonly print: Print

  constructor(url: string, print: Print) {
    this.url = url
    this.print = print
  }

  chapter(title: string): void {
    this.print(`\n## ${title}\n`)
  }

  /** Sends one request, prints it with the relevant part of the answer, and fails if the status differs. */
  async ask(
    who: Actor | null,
    request: string,
    expected: number,
    body?: Json,
    show?: (answer: Answer['body']) => unknown,
  ) {
    const [method, path = ''] = request.split(' ')
    const response = await fetch(this.url + (path === '/health' ? path : `/api/v1${path}`), {
      method,
      headers: {
        ...(body && { 'Content-Type': 'application/json' }),
        ...(who?.token && { Authorization: `Bearer ${who.token}` }),
      },
      body: body ? JSON.stringify(body) : null,
    })
    const text = await response.text()
    const answer: Answer = { status: response.status, body: text ? JSON.parse(text) : {} }
    const code = response.headers.get('x-error-code')
    const seen = code
      ? `${code}: ${answer.body.message}`
      : text && JSON.stringify(show ? show(answer.body) : answer.body)
    const sent = body ? ` ${JSON.stringify(hidden(body))}` : ''
    this.print(`${(who?.name ?? 'nobody').padEnd(6)} ${method} ${path}${sent}\n       → ${response.status} ${seen}`)
    if (response.status !== expected) throw new Error(`${request}: ${response.status} where ${expected} was expected`)
    return answer.body
  }

  expect(what: string, seen: unknown, wanted: unknown): void {
    if (JSON.stringify(seen) !== JSON.stringify(wanted))
      throw new Error(`${what}: ${JSON.stringify(seen)} where ${JSON.stringify(wanted)} was expected`)
    this.print(`       ✓ ${what}`)
  }
}

type Actor = { name: string; token: string }

const hidden = (body: Json): Json => ('password' in body ? { ...body, password: '…' } : body)
const pick =
  (...keys: string[]) =>
  (body: Json) =>
    Object.fromEntries(keys.map((key) => [key, body[key]]))
const each =
  (...keys: string[]) =>
  (body: { items: Json[] }) =>
    body.items.map(pick(...keys))
const text = (value: unknown): string => String(value)

/** Plays the story against a running, fresh instance. @throws Error at the first step with an unexpected result */
export async function play({ url, admin, print }: StoryOptions): Promise<void> {
  const story = new Storyteller(url, print)
  const people = await joining(story, admin)
  const interest = await interests(story, people)
  const posts = await circlesAndPosts(story, people, interest)
  await block(story, people, posts.circles)
  await talking(story, people, posts.public)
  await paying(story, people, posts.public)
}

type People = { ada: Actor; ben: Actor; cleo: Actor }

async function joining(story: Storyteller, admin: { email: string; password: string }): Promise<People> {
  story.chapter('An invitation')
  await story.ask(null, 'GET /health', 200, undefined, pick('status'))
  const session = await story.ask(null, 'POST /auth/login', 200, admin, () => '{accessToken, user}')
  const root = { name: 'admin', token: text(session.accessToken) }
  const codes = await story.ask(root, 'POST /admin/invite-codes/generate', 201, { count: 3 }, each('code', 'status'))

  const join = async (name: string, lastName: string, code: unknown): Promise<Actor> => {
    const held = await story.ask(null, 'POST /auth/reserve-invite', 200, { code })
    await story.ask(null, 'POST /auth/reserve-invite', 409, { code })
    const person = {
      sessionId: held.sessionId,
      email: `${name.toLowerCase()}@example.org`,
      password: `${name} keeps a secret`,
      firstName: name,
      lastName,
      dateOfBirth: '1990-01-31',
      country: 'PT',
      city: 'Lisbon',
    }
    await story.ask(null, 'POST /auth/register', 422, { ...person, dateOfBirth: '2020-01-31' })
    await story.ask(null, 'POST /auth/register', 201, person, () => '{accessToken, user}')
    const { email, password } = person
    const login = await story.ask(null, 'POST /auth/login', 200, { email, password }, () => '{accessToken, user}')
    const actor = { name, token: text(login.accessToken) }
    await story.ask(actor, 'GET /me', 200, undefined, pick('actorId', 'username', 'city', 'role'))
    return actor
  }
  const [first, second, third] = codes.items
  return {
    ada: await join('Ada', 'Lima', first?.code),
    ben: await join('Ben', 'Okafor', second?.code),
    cleo: await join('Cleo', 'Santos', third?.code),
  }
}

async function interests(story: Storyteller, { ada, ben }: People): Promise<string> {
  story.chapter('Interests and reputation')
  const few = (body: { items: Json[] }) => [
    ...body.items.slice(0, 3).map((item) => item.slug),
    `… ${body.items.length} in all`,
  ]
  const roots = await story.ask(ada, 'GET /interests/catalog?level=1', 200, undefined, few)
  const philosophy = roots.items.find((item) => item.slug === 'philosophy')
  await story.ask(ada, `GET /interests/catalog?parentId=${philosophy?.id}`, 200, undefined, few)
  const chosen = { interests: [{ interestId: philosophy?.id, depth: 4, expertise: 3 }] }
  for (const person of [ada, ben]) await story.ask(person, 'POST /interests/me/bulk', 200, chosen, () => '…')
  const reputation = await story.ask(ada, 'GET /reputation/me', 200, undefined, pick('total'))
  story.expect('5 points for the category that she chose', reputation.total, 5)
  await story.ask(ada, 'GET /access/me', 200)
  return text(philosophy?.id)
}

async function circlesAndPosts(story: Storyteller, { ada, ben, cleo }: People, interestId: string) {
  story.chapter('A circle, and posts for everyone, for circles, for the inner circle')
  const me = await story.ask(ben, 'GET /me', 200, undefined, pick('actorId'))
  const circle = await story.ask(
    ada,
    'POST /circles/me',
    201,
    { name: 'Old friends', kind: 'inner' },
    pick('name', 'kind'),
  )
  const sent = await story.ask(
    ada,
    `POST /circles/me/${circle.id}/invitations`,
    201,
    { inviteeId: me.actorId, bondLevel: 'inner-circle' },
    pick('circleName', 'inviteeId', 'bondLevel', 'status'),
  )
  const inbox = await story.ask(ben, 'GET /notifications', 200, undefined, each('kind', 'payload'))
  story.expect('Ben was notified', inbox.items[0]?.kind, 'circle.invited')
  await story.ask(ben, `POST /circles/invitations/${sent.id}/accept`, 200, undefined, pick('status'))

  const posts = { public: '', circles: '', inner: '' }
  for (const visibility of ['public', 'circles', 'inner'] as const) {
    const body = `What I owe to strangers (${visibility}).`
    const post = await story.ask(
      ada,
      'POST /posts',
      201,
      { body, visibility, interestId, depth: 2 },
      pick('id', 'visibility'),
    )
    posts[visibility] = text(post.id)
  }
  for (const [reader, count] of [
    [ben, 3],
    [cleo, 1],
  ] as const) {
    const feed = await story.ask(reader, 'GET /feed', 200, undefined, each('body', 'authorId'))
    story.expect(`${reader.name} sees ${count} of the three`, feed.items.length, count)
  }
  await story.ask(ben, `GET /posts/${posts.inner}`, 200, undefined, pick('body', 'depthLabel'))
  await story.ask(cleo, `GET /posts/${posts.inner}`, 404)
  await story.ask(cleo, 'GET /posts/00000000-0000-4000-8000-000000000000', 404)
  return posts
}

async function block(story: Storyteller, { ada, ben }: People, post: string): Promise<void> {
  story.chapter('A block, and back')
  await story.ask(ada, 'POST /users/ben_okafor/block', 200)
  await story.ask(ben, `GET /posts/${post}`, 404)
  const feed = await story.ask(ben, 'GET /feed', 200, undefined, each('body'))
  story.expect('neither sees the other’s posts', feed.items, [])
  await story.ask(ben, 'POST /economy/pay', 404, { receiverId: 'ada_lima', emotion: 'joy', tier: 0 })
  await story.ask(ada, 'DELETE /users/ben_okafor/block', 204)
  await story.ask(ben, `GET /posts/${post}`, 200, undefined, pick('body', 'visibility'))
}

async function talking(story: Storyteller, { ada, ben, cleo }: People, post: string): Promise<void> {
  story.chapter('Replies and reactions')
  const long =
    'A stranger is a friend whose obligations to us have not been spelled out yet; that is why they bind us more.'
  const replies = `POST /posts/${post}/replies`
  const shown = pick('kind', 'authorId')
  await story.ask(ben, replies, 201, { body: 'I owe you one.' }, shown)
  await story.ask(ben, replies, 201, { body: 'Oh!', kind: 'reaction' }, shown)
  await story.ask(cleo, replies, 422, { body: 'Too short.', kind: 'criticism' })
  await story.ask(cleo, replies, 201, { body: long.slice(0, 80), kind: 'criticism' }, shown)
  await story.ask(ben, replies, 201, { body: long, kind: 'contribution' }, shown)
  await story.ask(cleo, `POST /posts/${post}/react`, 200, { kind: 'heart' })
  await story.ask(cleo, `POST /posts/${post}/react`, 200, { kind: 'spark' })
  const reputation = await story.ask(ada, 'GET /reputation/me', 200, undefined, pick('total'))
  story.expect('15 for Ada: 5 chosen, 3 × 3 for posts, 1 for the heart and the spark together', reputation.total, 15)
}

async function paying(story: Storyteller, { ada, ben }: People, postId: string): Promise<void> {
  story.chapter('A payment')
  await story.ask(ben, 'POST /economy/pay', 403, { postId, emotion: 'insight', tier: 5 })
  const paid = { postId, emotion: 'insight', tier: 1 }
  const { senderBalance } = await story.ask(ben, 'POST /economy/pay', 201, paid, pick('senderBalance'))
  story.expect('3 mana of 50 are gone', senderBalance, 47)
  const wallet = await story.ask(ada, 'GET /economy/wallet', 200)
  story.expect('and are hers', wallet.balance, 53)
  await story.ask(
    ada,
    'GET /economy/payments?direction=received',
    200,
    undefined,
    each('senderId', 'emotion', 'amount'),
  )
  await story.ask(ada, `GET /posts/${postId}`, 200, undefined, pick('counters', 'emojiBreakdown'))
  const inbox = await story.ask(ada, 'GET /notifications', 200, undefined, each('kind', 'count'))
  story.expect(
    'Ada was notified of the payment',
    inbox.items.some(({ kind }) => kind === 'payment.received'),
    true,
  )
}
