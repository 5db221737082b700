// People who write and read at random through several facades, and the history of what they were answered.
import fc from 'fast-check'
import { Positions } from '../../../clients/typescript/src/positions.ts'
import type { Answer } from '../../support/crawler.ts'
import { letIn } from '../../support/joining.ts'
import { Person } from '../../support/person.ts'
import { ADMIN } from '../../support/settings.ts'
import { until } from '../../support/until.ts'
import type { Entry, Step } from './history.ts'
import type { Facades } from './instance.ts'

const kinds = {
  about: 4,
  post: 2,
  edit: 4,
  bookmark: 2,
  unbookmark: 1,
  pay: 6,
  wallet: 3,
  block: 1,
  unblock: 1,
  'read me': 4,
  'read profile': 6,
  'read post': 10,
  'read own posts': 5,
  'read bookmarks': 4,
  'end token': 1,
  'use old token': 4,
}
const act = fc.record({
  kind: fc.oneof(
    ...Object.entries(kinds).map(([kind, weight]) => ({ weight, arbitrary: fc.constant(kind as keyof typeof kinds) })),
  ),
  /** Picks a person, a post, and so on. */
  which: fc.nat(999),
  tier: fc.nat(3),
  facade: fc.nat(1),
})
type Act = typeof act extends fc.Arbitrary<infer One> ? One : never

/** The acts of a person who only reads, so that the primary seldom answers this person. */
const reads = new Set<Act['kind']>(['read profile', 'read post'])

const POSITION = 'x-read-position'
/** The mana of the tiers 0 to 3. */
const prices = [1, 3, 10, 25]
/** The largest number of posts of a person. One page of a list has all of them. */
const POSTS = 40
/** The number of requests of one person that run at the same time. */
const LANES = 2

type Post = { cell: string; id: string; edits: number }
type Body = {
  id: string
  body: string
  about: string | null
  balance: number
  senderBalance: number
  payment: { id: string }
  items: { id: string; body: string }[]
  nextCursor: string | null
}
type Asked = Pick<Entry, 'asked' | 'answered' | 'facade' | 'from'>
type Known = Asked & { answer: Answer<Body> }
/** No answer came: `answered` is Infinity. */
type Lost = Asked & { answer: undefined }
/** `carried`: a position to send instead of those of the client. */
type More = { key?: string; token?: string; carried?: string }

/** Whether it is known what the request did. If the connection or the database failed, it may have run. */
const isKnown = ({ status }: Answer) => status !== 503 && status !== 504

const isRefused = (error: unknown) =>
  error instanceof TypeError &&
  error.cause instanceof Error &&
  'code' in error.cause &&
  error.cause.code === 'ECONNREFUSED'

const visible = (author: string) => `${author} is visible`
const sees = (viewer: string, author: string) => `${viewer} sees ${author}`
const versionIn = (text: string | null) => Number(/\d+$/.exec(text ?? '')?.[0] ?? 0)

export type Traffic = {
  facades: Facades
  seed: number
  /** The number of requests in each of a person's concurrent sequences. */
  length: number
  /** Runs beside the traffic. `reached` waits until a part of it is done, from 0 to 1. */
  disturb?: (reached: (part: number) => Promise<unknown>) => Promise<void>
  /** Whether clients send the position that they have seen to every facade. By default they do. */
  carries?: boolean
  /** The index of the facade that gets a request. By default it is random. */
  facadeOf?: (isRead: boolean) => number
}

/** One client of one person: what it knows, and the positions that it copies from answers to requests. */
class Client {
  readonly name: string
  readonly posts: Post[] = []
  about = 0
  /** A second token, and whether the client has ended it. */
  second = ''
  ended = false
  /** The position of the client when it got the second token. */
  carriedThen = ''
  token: string
  readonly #traffic: Running
  readonly #positions = new Positions()

  constructor(traffic: Running, { username, token }: Person) {
    this.#traffic = traffic
    this.name = username
    this.token = token ?? ''
  }

  /** Sends a request to the facade `first`, or to the other one if `first` is down. */
  async ask(first: number, method: string, path: string, body?: object, more: More = {}): Promise<Known | Lost> {
    const { carries, clock, facades } = this.#traffic
    const headers = new Headers({ 'x-read-from': '?', ...(more.key && { 'idempotency-key': more.key }) })
    const isOther = more.carried !== undefined || !carries
    const take = isOther ? undefined : this.#positions.send(headers)
    if (more.carried) headers.set(POSITION, more.carried)
    const token = more.token ?? this.token
    const asked = clock()
    let facade = first
    const send = () =>
      new Person(facades.urls[facade] ?? '', token).request<Body>(method, path, body, Object.fromEntries(headers))
    // like a balancer, sends the request to the other facade if the first refuses the connection
    const answer = await send()
      .catch((error) => {
        if (!isRefused(error)) throw error
        facade = 1 - first
        return send()
      })
      .catch((error) => {
        if (error instanceof TypeError) return null // the connection broke
        throw error
      })
    if (!answer || !isKnown(answer)) return { asked, answered: Infinity, facade, from: undefined, answer: undefined }
    if (answer.status >= 500) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
    take?.(new Response(null, { headers: answer.headers }))
    const from = answer.headers.get('x-read-from') ?? undefined
    return { asked, answered: clock(), facade, from, answer }
  }

  /** Sends a request with a key until it is answered, to any facade. `asked` is when it was first asked. */
  async askOnce(facade: number, path: string, body: object): Promise<Known> {
    const key = crypto.randomUUID()
    let first: number | undefined
    let turn = facade
    return until(async () => {
      const known = await this.ask(turn++ % 2, 'POST', path, body, { key })
      first ??= known.asked
      return known.answer ? { ...known, asked: first } : undefined
    })
  }
}

/** The running traffic: the people, and their history until now. */
class Running {
  readonly history: Entry[] = []
  readonly clients: Client[] = []
  readonly facades: Facades
  readonly carries: boolean
  readonly #begin = performance.now()

  constructor({ facades, carries = true }: Traffic) {
    this.facades = facades
    this.carries = carries
  }

  clock = () => performance.now() - this.#begin

  note(client: string, { asked, answered, facade, from }: Asked, step: Step, uses: string[] = []): void {
    this.history.push({ by: client, facade, from, asked, answered, step, uses })
  }

  other(than: Client, which: number): Client {
    const others = this.clients.filter((one) => one !== than)
    return others[which % others.length] as Client
  }

  /** A write without a key. If it gets no answer, it may have run. */
  async write(client: Client, asked: Promise<Known | Lost>, step: Step): Promise<void> {
    const known = await asked
    if (!known.answer || known.answer.status < 300) this.note(client.name, known, step)
  }

  /** One act of a person. An act that is answered with an error changed nothing, and is not in the history. */
  async run(client: Client, { kind, which, tier, facade }: Act): Promise<void> {
    const { name, posts } = client
    const own = posts[which % posts.length]
    const other = this.other(client, which)
    const about = `about ${name}`
    switch (kind) {
      case 'about': {
        const value = ++client.about
        const known = client.ask(facade, 'PATCH', '/me', { about: `version ${value}` })
        await this.write(client, known, { kind: 'write', cell: about, value })
        return
      }
      case 'post': {
        if (posts.length >= POSTS) return
        const post: Post = { cell: `post ${posts.length + 1} of ${name}`, id: '', edits: 1 }
        posts.push(post)
        const known = await client.askOnce(facade, '/posts', { body: `${post.cell}, edit 1` })
        if (known.answer.status !== 201) throw new Error(`no post: ${known.answer.text}`)
        post.id = known.answer.body.id
        this.note(name, known, { kind: 'write', cell: post.cell, value: 1 })
        return
      }
      case 'edit': {
        if (!own?.id) return
        const value = ++own.edits
        const known = client.ask(facade, 'PATCH', `/posts/${own.id}`, { body: `${own.cell}, edit ${value}` })
        await this.write(client, known, { kind: 'write', cell: own.cell, value })
        return
      }
      case 'bookmark':
      case 'unbookmark': {
        if (!own?.id) return
        const isOn = kind === 'bookmark'
        const known = client.ask(facade, isOn ? 'POST' : 'DELETE', `/posts/${own.id}/bookmark`)
        await this.write(client, known, { kind: 'write', cell: `bookmark of ${own.cell}`, value: isOn ? 1 : 0 })
        return
      }
      case 'pay':
        return this.pay(client, other, tier, facade)
      case 'wallet':
        await this.look(client, facade)
        return
      case 'block':
      case 'unblock': {
        const isBlock = kind === 'block'
        const known = await client.ask(facade, isBlock ? 'POST' : 'DELETE', `/users/${other.name}/block`)
        if (known.answer && known.answer.status >= 300) return
        // a block hides the two people from each other
        for (const right of [sees(other.name, name), sees(name, other.name)])
          this.note(name, known, { kind: isBlock ? 'withdraw' : 'grant', right: `${right} (${name} did not block)` })
        return
      }
      case 'read me': {
        const known = await client.ask(facade, 'GET', '/me')
        if (known.answer?.status === 200) this.saw(client, known, { [about]: versionIn(known.answer.body.about) })
        return
      }
      case 'read profile': {
        const known = await client.ask(facade, 'GET', `/users/${other.name}`)
        if (known.answer?.status !== 200) return
        this.saw(client, known, { [`about ${other.name}`]: versionIn(known.answer.body.about) }, other)
        return
      }
      case 'read post': {
        const post = other.posts[tier % other.posts.length]
        if (!post?.id) return
        const known = await client.ask(facade, 'GET', `/posts/${post.id}`)
        if (known.answer?.status === 200)
          this.saw(client, known, { [post.cell]: versionIn(known.answer.body.body) }, other)
        return
      }
      case 'read own posts': {
        const all = posts.filter(({ id }) => id)
        const known = await client.ask(facade, 'GET', `/posts/by/${name}?limit=50`)
        if (known.answer?.status !== 200) return
        const listed = new Map(known.answer.body.items.map(({ id, body }) => [id, versionIn(body)]))
        this.saw(client, known, Object.fromEntries(all.map(({ cell, id }) => [cell, listed.get(id) ?? 0])))
        return
      }
      case 'read bookmarks': {
        const all = posts.filter(({ id }) => id)
        const known = await client.ask(facade, 'GET', '/posts/bookmarks?limit=50')
        if (known.answer?.status !== 200) return
        const listed = new Set(known.answer.body.items.map(({ id }) => id))
        const cells = all.map(({ cell, id }) => [`bookmark of ${cell}`, listed.has(id) ? 1 : 0])
        this.saw(client, known, Object.fromEntries(cells))
        return
      }
      case 'end token': {
        if (client.ended) return
        client.ended = true
        const known = await client.ask(facade, 'POST', '/auth/logout', undefined, { token: client.second })
        if (!known.answer || known.answer.status < 300)
          this.note(name, known, { kind: 'withdraw', right: `second token of ${name}` })
        return
      }
      case 'use old token': {
        // an old position of the client, because somebody who has found the token would have no newer one
        const more = { token: client.second, carried: client.carriedThen }
        const path = tier === 0 ? '/economy/wallet' : '/me'
        const known = await client.ask(facade, 'GET', path, undefined, more)
        if (known.answer?.status !== 200) return
        const uses = [`second token of ${name}`]
        const { balance } = known.answer.body
        this.note(name, known, tier === 0 ? { kind: 'wallet', balance } : { kind: 'read', cells: {} }, uses)
      }
    }
  }

  /** Notes a read of the client's own things, or of what `author` wrote. */
  saw(client: Client, known: Asked, cells: Record<string, number>, author?: Client): void {
    const uses = author
      ? [author, client].map(({ name }) => `${sees(client.name, author.name)} (${name} did not block)`)
      : []
    this.note(client.name, known, { kind: 'read', cells }, author ? [...uses, visible(author.name)] : [])
  }

  async pay(client: Client, to: Client, tier: number, facade: number): Promise<void> {
    const gift = { receiverId: to.name, emotion: 'joy', tier }
    const known = await client.askOnce(facade, '/economy/pay', gift)
    const { status, body, headers } = known.answer
    const amount = prices[tier] ?? 0
    if (status === 201)
      this.note(client.name, known, { kind: 'pay', to: to.name, amount, id: body.payment.id, left: body.senderBalance })
    else if (headers.get('x-error-code') === 'insufficient_mana')
      this.note(client.name, known, { kind: 'refused', amount })
  }

  /** Reads the wallet. @returns whether the request was answered */
  async look(client: Client, facade: number): Promise<boolean> {
    const known = await client.ask(facade, 'GET', '/economy/wallet')
    if (known.answer?.status !== 200) return false
    this.note(client.name, known, { kind: 'wallet', balance: known.answer.body.balance })
    return true
  }

  /** The last reads of each person: their wallet, and all payments that they sent. */
  async close(client: Client): Promise<void> {
    await until(() => this.look(client, 0))
    const ids: string[] = []
    const first = this.clock()
    for (let cursor: string | null = ''; cursor !== null; ) {
      const path = `/economy/payments?direction=sent&limit=50${cursor && `&cursor=${cursor}`}`
      const { body } = await until(async () => {
        const { answer } = await client.ask(1, 'GET', path)
        return answer?.status === 200 ? answer : undefined
      })
      ids.push(...body.items.map(({ id }) => id))
      cursor = body.nextCursor
    }
    this.note(client.name, { asked: first, answered: this.clock(), facade: 1 }, { kind: 'sent', ids })
  }
}

/** Bans somebody and ends the ban, each after a third of the traffic. */
async function ban(traffic: Running, admin: Person, person: Person, reached: (part: number) => Promise<unknown>) {
  const decide = async (what: 'ban' | 'unban', kind: 'withdraw' | 'grant') => {
    const asked = traffic.clock()
    const url = `/admin/users/${person.username}/${what}`
    // no other request changes the ban, so the request can be sent again
    await until(async () => {
      const answer = await new Person(traffic.facades.urls[1] ?? '', admin.token).post(url, { reason: 'Test' })
      return answer.status === 200
    })
    const times = { asked, answered: traffic.clock(), facade: 1 }
    traffic.note('admin', times, { kind, right: visible(person.username) })
  }
  await reached(1 / 3)
  await decide('ban', 'withdraw')
  await reached(2 / 3)
  await decide('unban', 'grant')
}

/**
 * Registers people who act as the seed determines, and returns the history. Eve only reads. Vic does nothing after the
 * first posts, and is banned for a while.
 */
export async function runTraffic(options: Traffic): Promise<Entry[]> {
  const { facades, seed, length, disturb, facadeOf } = options
  const traffic = new Running(options)
  const admin = await Object.assign(new Person(facades.urls[0] ?? ''), ADMIN).login()
  const people = await letIn(
    admin,
    ['ann', 'ben', 'cyd', 'eve', 'vic'].map((name) => `${name}${seed}`),
  )
  const vic = people.at(-1) as Person
  for (const person of people) {
    const client = new Client(traffic, person)
    traffic.clients.push(client)
    client.second = (await person.login()).token ?? ''
    const { answer } = await client.ask(0, 'GET', '/me')
    client.carriedThen = answer?.headers.get(POSITION) ?? ''
    for (const which of [0, 1]) await traffic.run(client, { kind: 'post', which, tier: 0, facade: which })
  }
  const active = traffic.clients.slice(0, -1)
  const plan = fc.array(act, { minLength: length, maxLength: length })
  const plans = fc.sample(plan, { seed, numRuns: active.length * LANES })
  let done = 0
  const lanes = plans.map(async (acts, at) => {
    const client = active[at % active.length] as Client
    const isReader = client.name.startsWith('eve')
    for (const one of acts) {
      const facade = facadeOf?.(one.kind.startsWith('read')) ?? one.facade
      if (!isReader || reads.has(one.kind)) await traffic.run(client, { ...one, facade })
      done += 1 / (plans.length * length)
    }
  })
  /** Waits until this part of the traffic is done. */
  const reached = (part: number) => until(() => done > part - 1e-9, { timeout: 600_000 })
  await Promise.all([...lanes, ban(traffic, admin, vic, reached), disturb?.(reached)])
  const last = traffic.clients.at(-1) as Client
  const { email, password } = vic
  last.token = (await Object.assign(new Person(facades.urls[0] ?? ''), { email, password }).login()).token ?? ''
  for (const client of traffic.clients) await traffic.close(client)
  return traffic.history
}
