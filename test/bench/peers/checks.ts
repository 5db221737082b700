// Checks that the peer is comparable: both sides show the same posts to the same people, with the same fields, and
// write the same.
import { isDeepStrictEqual } from 'node:util'
import { person } from '../case.ts'
import { tokenOf } from '../load.ts'
import type { Side } from '../side.ts'
import type { Operation } from './documents.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers of two APIs, whose parts are compared
type Json = any

export type Sides = { kith: Side; peer: Side }

/** The fields of a post that both sides have. */
type Shown = {
  id: string
  body: string
  audience: string
  depth: number
  author: string
  reactions: number
  comments: number
  viewer: string[]
  replies: string[] | undefined
}

const fail = (what: string, ...told: unknown[]): never => {
  throw new Error(`the sides cannot be compared: ${what}: ${told.map((one) => JSON.stringify(one)).join(' | ')}`)
}

const send = async (side: Side, caller: number, method: string, path: string, body?: unknown) => {
  const headers = { authorization: `Bearer ${await tokenOf(caller)}`, 'content-type': 'application/json' }
  const answer = await fetch(`${side.url}/api/v1${path}`, {
    method,
    headers,
    body: body === undefined ? null : JSON.stringify(body),
  })
  const json: Json = await answer.json()
  return { status: answer.status, json }
}

/** Asks the peer. @throws Error when the peer answers with errors */
async function askPeer({ peer }: Sides, caller: number, id: Operation, variables: object = {}) {
  const { json } = await send(peer, caller, 'POST', '/graphql', { id, variables })
  if (json.errors) throw new Error(`${id}: ${JSON.stringify(json.errors)}`)
  return json.data
}

/** Asks Kith. @throws Error when Kith refuses */
async function askKith({ kith }: Sides, caller: number, method: string, path: string, body?: unknown) {
  const { status, json } = await send(kith, caller, method, path, body)
  if (status > 299) throw new Error(`${path} answered ${status}: ${JSON.stringify(json)}`)
  return json
}

const ofKith = (card: Json): Shown => ({
  id: card.id,
  body: card.body,
  audience: card.visibility === 'public' ? 'everyone' : card.visibility,
  depth: card.depth,
  author: card.author.username,
  reactions: card.counters.reactions,
  comments: card.counters.replies,
  viewer: card.viewer.reactions,
  replies: card.replies?.items.map((reply: { author: { username: string } }) => reply.author.username),
})

const ofPeer = (node: Json): Shown => ({
  id: node.id,
  body: node.body,
  audience: node.audience,
  depth: node.depth,
  author: node.author.username,
  reactions: node.reactionCount,
  comments: node.commentCount,
  viewer: node.viewer.map(({ kind }: { kind: string }) => kind),
  replies: node.comments?.nodes.map((comment: { author: { username: string } }) => comment.author.username),
})

/** What a person sees of a post, in the same form for both sides. Null if the person may not see the post. */
async function shown(sides: Sides, viewer: number, id: string): Promise<Shown | null> {
  const { status, json } = await send(sides.kith, viewer, 'GET', `/posts/${id}`)
  const ours = status === 404 ? null : ofKith(json)
  const { post: node } = await askPeer(sides, viewer, 'detail', { post: id })
  const theirs = node && ofPeer(node)
  if (!isDeepStrictEqual(ours, theirs)) fail(`person ${viewer} and post ${id}`, ours, theirs)
  return ours
}

/** Both sides show the viewer the same posts, for some posts of each audience by each kind of author. */
async function checkAudiences(sides: Sides, viewer: number): Promise<void> {
  const rows = await sides.kith.superuser<{ id: string; kind: string }[]>`
    select id, kind from (
      select p.id, p.visibility || ' ' || coalesce(a.level, 0) as kind,
             row_number() over (partition by p.visibility, a.level order by p.id desc) as n
      from app.posts p left join app.audience a on a.author_id = p.author_id and a.viewer_id = ${person(viewer)}) p
    where n <= 5`
  const seen = new Set<string>()
  for (const { id, kind } of rows) if (await shown(sides, viewer, id)) seen.add(kind)
  // Levels: 0 a stranger, 1 in a circle, 2 in the inner circle, 3 the viewer's own
  const kinds = [...new Set(rows.map(({ kind }) => kind))]
  const due = kinds.filter((kind) => {
    const [audience, level] = kind.split(' ')
    return Number(level) >= (audience === 'inner' ? 2 : audience === 'circles' ? 1 : 0)
  })
  if (!isDeepStrictEqual([...seen].sort(), due.sort())) fail(`what person ${viewer} sees`, [...seen], due)
}

/**
 * Of the posts that a viewer may see by Kith's rule, the peer's page has the 20 newest, and Kith's page has 20 of the
 * 120 newest.
 */
async function checkHome(sides: Sides, viewer: number): Promise<void> {
  const rows = await sides.kith.superuser<{ id: string }[]>`
    select id from app.posts where private.post_visible_to(id, ${person(viewer)})
    order by published_at desc, id desc limit 120`
  const newest = rows.map(({ id }) => id)
  const { posts } = await askPeer(sides, viewer, 'home')
  const theirs: Shown[] = posts.nodes.map(ofPeer)
  const page = theirs.map(({ id }) => id)
  if (!isDeepStrictEqual(page, newest.slice(0, 20))) fail(`the peer's home of ${viewer}`, page, newest.slice(0, 20))
  const { items } = await askKith(sides, viewer, 'GET', '/feed')
  const ours: Shown[] = items.map(ofKith)
  const strange = ours.filter(({ id }) => !newest.includes(id))
  if (ours.length !== 20 || strange.length > 0) fail(`Kith's home of ${viewer}`, ours.length, strange)
  for (const one of ours) {
    const other = theirs.find(({ id }) => id === one.id)
    if (other && !isDeepStrictEqual(one, other)) fail(`a post in the home of ${viewer}`, one, other)
  }
}

/** A block hides both people's posts and replies from each other, on both sides. */
async function checkBlocks(sides: Sides, id: string, viewer: number): Promise<void> {
  const [row] = await sides.kith.superuser<{ username: string; other: string; own: string; theirs: string }[]>`
    select u.username, u.id as other,
           (select p.id from app.posts p where p.author_id = ${person(viewer)} and p.visibility = 'public' limit 1) as own,
           (select p.id from app.posts p where p.author_id = u.id and p.visibility = 'public' limit 1) as theirs
    from app.replies r join app.users u on u.id = r.author_id where r.post_id = ${id} order by r.created_at, r.id limit 1`
  if (!row) return fail('no reply to hide')
  const other = Number(row.username.slice(1))
  const all = async () => [
    (await shown(sides, viewer, row.theirs)) !== null,
    (await shown(sides, other, row.own)) !== null,
    (await shown(sides, viewer, id))?.replies?.includes(row.username),
  ]
  const before = await all()
  await askKith(sides, viewer, 'POST', `/users/${row.username}/block`)
  await askPeer(sides, viewer, 'block', { blocker: person(viewer), blocked: row.other })
  const after = await all()
  if (
    !isDeepStrictEqual(
      [before, after],
      [
        [true, true, true],
        [false, false, false],
      ],
    )
  )
    fail('a block', before, after)
}

/** Who may see posts for a restricted audience, and react to them. @throws Error that names the first difference */
export async function checkWrites(sides: Sides): Promise<void> {
  // In data.sql, person 2 is in a circle of 101 and in the inner circle of 105, and person 1 is in no circle of either
  for (const { author, audience, readers } of [
    { author: 101, audience: 'circles', readers: [2] },
    { author: 101, audience: 'inner', readers: [] },
    { author: 105, audience: 'inner', readers: [2] },
  ]) {
    const body = `For ${audience} of ${author}.`
    const ours = await askKith(sides, author, 'POST', '/posts', { body, visibility: audience })
    const { create } = await askPeer(sides, author, 'create', { author: person(author), body, audience })
    if (create.post.body !== body || create.post.audience !== audience) fail('create', create)
    for (const reader of [1, 2]) {
      const variables = { post: create.post.id, kind: 'heart' }
      const kith = await send(sides.kith, reader, 'POST', `/posts/${ours.id}/react`, { kind: 'heart' })
      const { json } = await send(sides.peer, reader, 'POST', '/graphql', { id: 'react', variables })
      if (!readers.includes(reader)) {
        if (kith.status !== 404 || !json.errors) fail(`${reader} reacts to what is not theirs`, kith.json, json)
        const { post: node } = await askPeer(sides, reader, 'detail', { post: create.post.id })
        const { status } = await send(sides.kith, reader, 'GET', `/posts/${ours.id}`)
        if (status !== 404 || node !== null) fail(`${reader} sees what is not theirs`, status, node)
        continue
      }
      const due = { reactionCount: 1, commentCount: 0, viewer: ['heart'] }
      const { counters, viewer } = kith.json
      const told = { reactionCount: counters.reactions, commentCount: counters.replies, viewer: viewer.reactions }
      const { react } = await askPeer(sides, reader, 'react', variables) // a repeat changes nothing
      if (!isDeepStrictEqual([told, json.data?.react.marks, react.marks], [due, due, due]))
        fail(`${reader} reacts`, told, json, react)
    }
  }
}

/** @param recent a public post with replies @throws Error that names the first difference */
export async function checkReads(sides: Sides, recent: string): Promise<void> {
  for (const viewer of [1, 2, 3]) {
    await checkAudiences(sides, viewer)
    await checkHome(sides, viewer)
  }
  await checkBlocks(sides, recent, 4001)
}

/** Compares the counts on both sides after the same writes. @throws Error when they differ */
export async function checkWritten({ kith, peer }: Sides): Promise<void> {
  const [ours] = await kith.superuser`
    select (select count(*) from app.posts) as posts, (select count(*) from app.reactions) as reactions,
           (select sum(reactions) from app.post_counters) as counted`
  const [theirs] = await peer.superuser`
    select (select count(*) from forum.posts) as posts, (select count(*) from forum.reactions) as reactions,
           (select sum(reaction_count) from forum.posts) as counted`
  if (!isDeepStrictEqual({ ...ours }, { ...theirs })) fail('what was written', ours, theirs)
}
