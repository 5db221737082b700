// What one person sees of a world: which operations are called, what they return, and what must never be in any
// answer.
import type { Operation } from '../../../api-facade/lib/call.ts'
import type { Reply } from './ask.ts'
import { inviteId, optionId, postId, replyId, seriesId } from './build.ts'
import { at, isCoAuthor, meets, names, partsOf, places, sees, seesReply, seesSeries, type World } from './model.ts'
import type { Entry, Question } from './question.ts'
import { registry } from './registry.ts'

type Asked = Question & { operation: Operation }

const entries = Object.entries(registry) as [Operation, Entry][]
const kinds = {
  posts: entries.flatMap(([operation, { posts = [] }]) => posts.map((ask) => ({ operation, ask }))),
  replies: entries.flatMap(([operation, { replies = [] }]) => replies.map((ask) => ({ operation, ask }))),
  series: entries.flatMap(([operation, { series = [] }]) => series.map((ask) => ({ operation, ask }))),
}
const lists = entries.flatMap(([operation, { lists }]) => (lists ? [{ operation, lists }] : []))

/**
 * The calls: some operations for each post, reply and series, some lists, and the feed. The operations change from
 * world to world.
 */
export function questions(world: World, viewer: number): Asked[] {
  const turn = world.call + viewer
  const asked = (['posts', 'replies', 'series'] as const).flatMap((kind) =>
    places(world[kind]).flatMap((place) =>
      (kind === 'posts' ? [0, 1] : [0]).map((more) => {
        const { operation, ask } = at(kinds[kind], (turn + place * 2 + more) % kinds[kind].length)
        return { operation, ...ask(world, viewer, place) }
      }),
    ),
  )
  const listed = lists
    .filter(({ operation }, place) => operation === 'list_feed' || (turn + place) % 3 === 0)
    .flatMap(({ operation, lists }) => lists(world, viewer).map((question) => ({ operation, ...question })))
  return [...asked, ...listed]
}

export const found = ({ read }: Question, reply: Reply): unknown => ('answer' in reply ? read(reply.answer) : reply)

/** Operations whose answers may have ids of posts that have become invisible, but no other data of these posts. */
const remembering: Operation[] = ['export_me', 'list_notifications']

/** What an answer reveals that its reader must not know, whatever the operation is. */
export function leaks(world: World, viewer: number, { operation, call }: Asked, reply: Reply): string[] {
  if ('refused' in reply) return []
  const exported = operation === 'export_me'
  // People see whom they have blocked themselves
  const { blocks: _own, ...rest } = exported ? (reply.answer as Record<string, unknown>) : { whole: reply.answer }
  const text = JSON.stringify(rest)
  const may = {
    post: (place: number) => (exported ? at(world.posts, place).author === viewer : sees(world, viewer, place)),
    reply: (place: number) => (exported ? at(world.replies, place).author === viewer : seesReply(world, viewer, place)),
    series: (place: number) => (exported ? at(world.series, place).owner === viewer : seesSeries(world, viewer, place)),
  }
  const said = [...text.matchAll(/words of (post|reply|series) (\d+)\./g)]
    .filter(([, what, place]) => !may[what as keyof typeof may](Number(place)))
    .map(([phrase]) => phrase)
  const named = places(names)
    .filter((person) => person !== viewer && !meets(world, viewer, person))
    .filter((person) => new RegExp(`\\b${at(names, person)}\\b`).test(text))
    .map((person) => at(names, person))
  const known = remembering.includes(operation)
    ? []
    : places(world.posts)
        .map(postId)
        // Ids that were in the question reveal nothing
        .filter((id, place) => text.includes(id) && !call.includes(id) && !sees(world, viewer, place))
  return [...said, ...named, ...known]
}

/**
 * The rows that a person can read directly from the tables, under row-level security. No other way of reading can show
 * more.
 */
export function tablesOf(world: World, viewer: number) {
  const seen = places(world.posts).filter((place) => sees(world, viewer, place))
  const series = places(world.series).filter((place) => seesSeries(world, viewer, place))
  const those = (is: (place: number) => boolean) => seen.filter(is).map(postId)
  return {
    posts: those(() => true),
    counters: those(() => true),
    interests: those((place) => at(world.posts, place).interest !== 'none'),
    emotions: those((place) => world.payments.some(({ post }) => post === place)),
    polls: those((place) => at(world.posts, place).poll),
    options: seen.flatMap((place) => (at(world.posts, place).poll ? [optionId(place, 0), optionId(place, 1)] : [])),
    replies: places(world.replies)
      .filter((place) => seesReply(world, viewer, place))
      .map(replyId),
    series: series.map(seriesId),
    parts: series.flatMap((place) => partsOf(world, viewer, place).map(postId)),
    coAuthors: world.coAuthors.flatMap((one, place) => {
      const shown = sees(world, viewer, one.post) && (one.accepted || at(world.posts, one.post).author === viewer)
      return isCoAuthor(world, one) && (shown || one.person === viewer) ? [inviteId(place)] : []
    }),
  }
}
