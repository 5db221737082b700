// The acts of a story: what each calls, who may do it, and whom it reaches.
import {
  type Act,
  followers,
  goesOut,
  hears,
  type Memory,
  nobody,
  type Performer,
  publish,
  type Step,
  said,
  type Told,
} from './happenings.ts'
import { at, deletedPost, gone, limitedFor, meant, meets, names, places, sees, seesReply, type World } from './model.ts'
import { ties } from './ties.ts'

type Reach = Partial<Pick<Step, 'told' | 'feed' | 'makes'>>
/** The result of an act on a post, or null if the person may not do it. */
type Effect = (world: World, act: Act, memory: Memory) => Reach | null
type Call = (id: string, act: Act, world: World) => string

/** An act on a post, in a person's name. */
const onPost =
  (call: Call, effect: Effect): Performer =>
  (world, act, memory) => {
    const reach = effect(world, act, memory)
    return { by: act.by, call: (id) => call(`'${id(act.post)}'`, act, world), may: reach !== null, ...nobody, ...reach }
  }

/** An event about a post, without an actor. */
const toPost =
  (call: Call, effect: Effect): Performer =>
  (world, act, memory) => ({ ...onPost(call, effect)(world, act, memory), by: null })

const isOut = (world: World, { by, post }: Act) => sees(world, by, post) && !at(world.posts, post).scheduled
const isMine = (world: World, { by, post }: Act) => sees(world, by, post) && at(world.posts, post).author === by

/** Keeps the notifications that reach their reader, given that `by` caused them. */
const heard = (world: World, by: number | null, list: Told[]) => list.filter((notice) => hears(world, notice, by))

/** A repost or a quote of a post. A repost of a repost refers to the original. */
const passOn = (format: 'quote' | 'repost') =>
  onPost(
    (id, { mentions, visibility }) =>
      `api.repost(${id}, p_body => '${format === 'quote' ? said(mentions) : ''}', p_visibility => '${visibility}')`,
    (world, act, memory) => {
      const of = meant(world.posts, act.post)
      if (!isOut(world, act) || at(world.posts, of).author === act.by) return null
      const stands = places(world.posts).some((place) => {
        const post = at(world.posts, place)
        return post.format === 'repost' && post.author === act.by && post.of === of && !deletedPost(world, place)
      })
      if (format === 'repost' && stands) return nobody
      const { told, feed, makes } = publish(world, act, memory, { format, of })
      // Grouped by who did it: removing and repeating a repost notifies nobody a second time
      const again = ({ to, kind, post }: Told) => kind === 'post.reposted' && memory.once.has(`${act.by} ${to} ${post}`)
      const fresh = told.filter((notice) => !again(notice))
      for (const { to, kind, post } of fresh) if (kind === 'post.reposted') memory.once.add(`${act.by} ${to} ${post}`)
      return { told: fresh, feed, makes }
    },
  )

/** Answers the latest visible reply to the post, if any. */
const parentOf = (world: World, { by, post }: Act) =>
  places(world.replies).findLast(
    (place) => at(world.replies, place).post === meant(world.posts, post) && seesReply(world, by, place),
  )

const reply: Performer = (world, act, memory) => {
  const parent = parentOf(world, act)
  const { call, ...step } = onPost(
    (id) => `api.create_reply(${id}, '${said(act.mentions)}'`,
    (world, { by, mentions }) => {
      if (!isOut(world, act)) return null
      const post = meant(world.posts, act.post)
      const answered = [
        at(world.posts, post).author,
        ...(parent === undefined ? [] : [at(world.replies, parent).author]),
      ]
      world.replies.push({ post, author: by, parent: parent ?? null, kind: 'reply', hidden: false, deleted: false })
      const told = [
        ...[...new Set(answered)].map((to) => ({ to, kind: 'post.replied', post })),
        ...mentions.filter((to) => !limitedFor(world, to, by)).map((to) => ({ to, kind: 'post.mentioned', post })),
      ]
      return {
        told: heard(
          world,
          by,
          told.filter(({ to }) => sees(world, to, post)),
        ),
        makes: 'replies',
      }
    },
  )(world, act, memory)
  return {
    ...step,
    call: (id, replyId) =>
      `${call(id, replyId)}${parent === undefined ? '' : `, p_parent_id => '${replyId(parent)}'`})`,
  }
}

/** Subqueries for the caller's only series, the first option of a poll, and an invitation. */
const series = '(select id from app.series where author_id = app.uid())'
const option = (id: string) =>
  `(select o.id from app.posts p join app.polls l on l.post_id in (p.id, p.quoted_post_id)
    join app.poll_options o on o.poll_id = l.id and o.position = 1 where p.id = ${id} order by l.post_id <> p.id limit 1)`
const invitation = (id: string) =>
  `(select id from app.post_co_authors where post_id = ${id} and user_id = app.uid() and status = 'pending')`

export const performers: Record<Act['kind'], Performer> = {
  publish: (world, act, memory) => publish(world, act, memory),
  schedule: (world, act, memory) => publish(world, act, memory, { scheduled: true }),
  quote: passOn('quote'),
  repost: passOn('repost'),
  due: toPost(
    (id) => `oracle.due(${id})`,
    (world, { post }, memory) => {
      const { scheduled, author } = at(world.posts, post)
      if (!scheduled || deletedPost(world, post) || gone(world, author)) return nobody
      at(world.posts, post).scheduled = false
      return goesOut(world, post, memory)
    },
  ),
  reply,
  react: onPost(
    (id) => `api.react(${id}, 'heart')`,
    (world, act) => {
      const { by } = act
      if (!isOut(world, act)) return null
      const post = meant(world.posts, act.post)
      if (world.hearts.some(([who, which]) => who === by && which === post)) return nobody
      world.hearts.push([by, post])
      const to = at(world.posts, post).author
      const many = world.hearts.filter(([, which]) => which === post).length
      return {
        told: [
          ...heard(world, by, [{ to, kind: 'post.reacted', post }]),
          ...heard(world, null, many === 5 ? [{ to, kind: 'post.milestone', post }] : []),
        ],
      }
    },
  ),
  vote: onPost(
    (id) => `api.vote_poll(${id}, ${option(id)})`,
    (world, act, { closed }) => {
      const post = meant(world.posts, act.post)
      if (!isOut(world, act) || !at(world.posts, post).poll || closed.has(post)) return null
      world.votes.push({ post, person: act.by, option: 0 })
      return nobody
    },
  ),
  close: toPost(
    (id) => `oracle.close(${id})`,
    (world, { post }, { closed }) => {
      const { poll, author } = at(world.posts, post)
      if (!poll || closed.has(post)) return nobody
      closed.add(post)
      const voters = world.votes.filter((vote) => vote.post === post).map(({ person }) => person)
      const told = [...new Set([author, ...voters])]
        .filter((to) => sees(world, to, post))
        .map((to) => ({ to, kind: 'poll.closed', post }))
      return { told: told.filter((notice) => hears(world, notice, notice.to === author ? null : author)) }
    },
  ),
  part: onPost(
    (id) => `api.add_series_item(${series}, ${id})`,
    (world, act, memory) => {
      const { by, post } = act
      if (!isMine(world, act) || at(world.posts, post).format === 'repost') return null
      const { parts } = at(world.series, by)
      if (parts.includes(post)) return nobody
      parts.push(post)
      return at(world.posts, post).scheduled ? nobody : { told: followers(world, post, memory) }
    },
  ),
  invite: onPost(
    (id, { other }) => `api.invite_co_author(${id}, '${at(names, other)}', 10)`,
    (world, act) => {
      const { by, other, post } = act
      const invited = world.coAuthors.some((one) => one.post === post && one.person === other)
      if (by === other || !meets(world, by, other) || !isMine(world, act) || !isOut(world, act)) return null
      if (at(world.posts, post).format === 'repost' || invited || !sees(world, other, post)) return null
      world.coAuthors.push({ post, person: other, accepted: false })
      return { told: heard(world, by, [{ to: other, kind: 'co-author.invited', post }]) }
    },
  ),
  accept: onPost(
    (id) => `api.respond_co_author(${id}, ${invitation(id)}, true)`,
    (world, { by, post }) => {
      const invite = world.coAuthors.find((one) => one.post === post && one.person === by)
      if (!sees(world, by, post) || !invite || invite.accepted) return null
      invite.accepted = true
      return { told: heard(world, by, [{ to: at(world.posts, post).author, kind: 'co-author.accepted', post }]) }
    },
  ),
  edit: onPost(
    // An edit mentions people, but notifies none of them
    (id, { post, visibility, mentions }, { posts }) => {
      const body = at(posts, post).format === 'repost' ? {} : { body: said(mentions) }
      return `api.update_post(${id}, '${JSON.stringify({ visibility, ...body })}')`
    },
    (world, act, memory) => {
      if (!isMine(world, act)) return null
      at(world.posts, act.post).visibility = act.visibility
      // A scheduled post mentions these people when it is published
      if (at(world.posts, act.post).format !== 'repost') memory.mentions[act.post] = act.mentions
      return nobody
    },
  ),
  delete: onPost(
    (id) => `api.delete_post(${id})`,
    (world, act) => {
      const { author, format, deleted } = at(world.posts, act.post)
      // One's own repost can be deleted even if its original is invisible
      const repost = author === act.by && format === 'repost' && !deleted
      if (!repost && !isMine(world, act)) return null
      at(world.posts, act.post).deleted = true
      return nobody
    },
  ),
  hide: toPost(
    (id) => `oracle.hide(${id})`,
    (world, { post }) => {
      at(world.posts, post).hidden = true
      return nobody
    },
  ),
  mute: onPost(
    (id) => `api.mute_post(${id})`,
    (world, act) => {
      if (!isOut(world, act)) return null
      world.postMutes.push([act.by, act.post])
      return nobody
    },
  ),
  ...ties,
}
