// The registry, second part: the operations that change something about a post. Each is rolled back after it was
// asked.
import { inviteId, optionId, postId, unknownId } from './build.ts'
import { at, deletedPost, followsSeries, isCoAuthor, meant, places, sees, showsCoAuthor, type World } from './model.ts'
import { type Ask, done, type Entries, ofPost, ofReply, ofSeries, refused } from './question.ts'

type Outcome = (world: World, viewer: number, place: number) => unknown
const isOwn = (world: World, viewer: number, place: number) => at(world.posts, place).author === viewer
const isOwnRepost = (world: World, viewer: number, place: number) =>
  isOwn(world, viewer, place) && at(world.posts, place).format === 'repost'

/** A scheduled post accepts nothing, not even from its author. */
const outAlone: Outcome = ({ posts }, _viewer, place) => (at(posts, place).scheduled ? refused('post_not_out') : done)

/** A post in an archived space accepts nothing new. */
const isClosed = (world: World, place: number) => world.archived && at(world.posts, meant(world.posts, place)).space
const entering =
  (outcome: Outcome): Outcome =>
  (world, viewer, place) => {
    const expected = outcome(world, viewer, place)
    return expected === done && isClosed(world, place) ? refused('space_archived') : expected
  }

const ownAlone: Outcome = (world, viewer, place) => (isOwn(world, viewer, place) ? done : refused('post_not_yours'))

const passing: Outcome = (world, viewer, place) =>
  isOwn(world, viewer, meant(world.posts, place)) ? refused('repost_own') : done

const polled: Outcome = (world, viewer, place) => {
  const out = outAlone(world, viewer, place)
  return out === done && !at(world.posts, meant(world.posts, place)).poll ? refused('poll_unknown') : out
}

/** A post hidden by staff still belongs to its author. */
const boosting: Outcome = (world, viewer, place) => {
  const post = at(world.posts, meant(world.posts, place))
  if (post.author !== viewer) return refused('post_not_yours')
  if (post.scheduled) return refused('post_not_out')
  return post.hidden ? refused('boost_hidden') : done
}

/** The post to which taking back applies: another person's invisible repost doesn't reveal its original. */
const targetOf = (world: World, viewer: number, place: number) =>
  sees(world, viewer, place) || isOwnRepost(world, viewer, place) ? meant(world.posts, place) : place

const has = (pairs: [number, number][], viewer: number, place: number) =>
  pairs.some(([who, which]) => who === viewer && which === place)

/** A person can take back an action even if they no longer see the post. Otherwise an invisible post is unknown. */
const takingBack =
  (call: (id: string) => string, stands: (world: World, viewer: number, place: number) => boolean): Ask =>
  (world, viewer, place) => {
    const question = ofPost(call)(world, viewer, place)
    const seen = sees(world, viewer, targetOf(world, viewer, place))
    return { ...question, expected: seen || stands(world, viewer, place) ? done : refused('post_unknown') }
  }

/** The caller invites themselves: all checks before that error have passed. */
const inviting: Outcome = (world, viewer, place) => {
  const { format, scheduled } = at(world.posts, place)
  if (!isOwn(world, viewer, place)) return refused('post_not_yours')
  if (format === 'repost') return refused('co_author_repost')
  return refused(scheduled ? 'post_not_out' : 'co_author_oneself')
}

const inviteOf = ({ coAuthors }: World, place: number) => {
  const invite = coAuthors.findIndex(({ post }) => post === place)
  return invite < 0 ? unknownId : inviteId(invite)
}
/** The one invitation that is named may be another person's, ended, or accepted already. */
const invitation = (world: World, viewer: number, place: number) => {
  const invite = world.coAuthors.find(({ post }) => post === place)
  return invite && invite.person === viewer && isCoAuthor(world, invite) ? invite : undefined
}
const others: Outcome = (world, viewer, place) => {
  const invite = world.coAuthors.find(({ post }) => post === place)
  return refused(
    invite && showsCoAuthor(world, viewer, invite) ? 'invitation_not_yours' : 'co_author_invitation_unknown',
  )
}
const accepting: Outcome = (world, viewer, place) => {
  const invite = invitation(world, viewer, place)
  if (!invite) return others(world, viewer, place)
  return invite.accepted ? refused('co_author_resolved') : done
}
const declining: Ask = (world, viewer, place) => {
  const question = ofPost(
    (id) => `api.respond_co_author(${id}, '${inviteOf(world, place)}', false)`,
    () => (invitation(world, viewer, place) ? done : others(world, viewer, place)),
  )(world, viewer, place)
  // An accepted co-author can leave even if the post has become invisible
  return invitation(world, viewer, place)?.accepted ? { ...question, expected: done } : question
}

const adding: Outcome = (world, viewer, place) => {
  if (!isOwn(world, viewer, place)) return refused('post_not_yours')
  return at(world.posts, place).format === 'repost' ? refused('series_repost') : done
}

export const writes: Entries = {
  react: { posts: [ofPost((id) => `api.react(${id}, 'heart')`, entering(outAlone))] },
  // The answer is that of an unknown post, although the action is removed
  unreact: {
    posts: [
      takingBack(
        (id) => `api.unreact(${id})`,
        () => false,
      ),
    ],
  },
  bookmark: { posts: [ofPost((id) => `api.bookmark(${id})`, outAlone)] },
  unbookmark: {
    posts: [
      takingBack(
        (id) => `api.unbookmark(${id})`,
        (world, viewer, place) => has(world.bookmarks, viewer, targetOf(world, viewer, place)),
      ),
    ],
  },
  mute_post: { posts: [ofPost((id) => `api.mute_post(${id})`, outAlone)] },
  unmute_post: {
    posts: [
      (world, viewer, place) => {
        const question = ofPost((id) => `api.unmute_post(${id})`)(world, viewer, place)
        return has(world.postMutes, viewer, place) ? { ...question, expected: done } : question
      },
    ],
  },
  repost: {
    posts: [
      ofPost((id) => `api.repost(${id})`, passing),
      ofPost((id) => `api.repost(${id}, p_body => 'Indeed')`, passing),
    ],
  },
  unrepost: {
    posts: [
      takingBack(
        (id) => `api.unrepost(${id})`,
        (world, viewer, place) => {
          const of = targetOf(world, viewer, place)
          return places(world.posts).some((one) => isOwnRepost(world, viewer, one) && at(world.posts, one).of === of)
        },
      ),
    ],
  },
  create_post: {
    posts: [
      ofPost((id) => `api.create_post(p_format => 'quote', p_body => 'Indeed', p_quoted_post_id => ${id})`, passing),
    ],
    lists: ({ space, archived }, viewer) => {
      const member = archived ? refused('space_archived') : done
      const expected = space.includes(viewer) ? member : refused('space_not_member')
      return [{ call: `api.create_post('Hear, hear', p_group_id => 'the-space')`, read: () => done, expected }]
    },
  },
  pin_post: {
    posts: [
      ofPost(
        (id) => `api.pin_post(${id})`,
        (world, viewer, place) => {
          if (!isOwn(world, viewer, place)) return refused('post_not_yours')
          const { posts } = world
          const pinned = posts.filter(
            ({ author, pinned }, other) => author === viewer && pinned && other !== place && sees(world, viewer, other),
          )
          if (at(posts, place).scheduled) return refused('post_not_out')
          return pinned.length >= 3 ? refused('pins_exhausted') : done
        },
      ),
    ],
  },
  unpin_post: {
    posts: [
      (world, viewer, place) => {
        const question = ofPost((id) => `api.unpin_post(${id})`, ownAlone)(world, viewer, place)
        const pinned = isOwn(world, viewer, place) && at(world.posts, place).pinned && !deletedPost(world, place)
        return pinned ? { ...question, expected: done } : question
      },
    ],
  },
  vote_poll: {
    posts: [
      ofPost(
        (id, { posts }, place) => `api.vote_poll(${id}, '${optionId(meant(posts, place), 0)}')`,
        (world, viewer, place) => (isClosed(world, place) ? refused('space_archived') : polled(world, viewer, place)),
      ),
    ],
  },
  // The answer is that of an unknown post, although the action is removed
  unvote_poll: {
    posts: [
      (world, viewer, place) => {
        const of = targetOf(world, viewer, place)
        const expected = sees(world, viewer, of) ? polled(world, viewer, of) : refused('post_unknown')
        return { ...ofPost((id) => `api.unvote_poll(${id})`)(world, viewer, place), expected }
      },
    ],
  },
  create_reply: {
    posts: [ofPost((id) => `api.create_reply(${id}, 'Indeed')`, entering(outAlone))],
    replies: [
      (world, viewer, place) => {
        const { post } = at(world.replies, place)
        const question = ofReply(
          (id) => `api.create_reply('${postId(post)}', 'Indeed', p_parent_id => ${id})`,
          () => done,
          () => done,
          true,
        )(world, viewer, place)
        const closed = sees(world, viewer, post) && isClosed(world, post)
        return closed ? { ...question, expected: refused('space_archived') } : question
      },
    ],
  },
  pay: {
    posts: [
      ofPost(
        (id) => `api.pay('love', 0, p_post_id => ${id})`,
        entering((world, viewer, place) =>
          isOwn(world, viewer, meant(world.posts, place)) ? refused('pay_oneself') : done,
        ),
      ),
    ],
    replies: [
      ofReply(
        (id) => `api.pay('love', 0, p_reply_id => ${id})`,
        (world, viewer, place) => {
          const { author, post } = at(world.replies, place)
          if (author === viewer) return refused('pay_oneself')
          return isClosed(world, post) ? refused('space_archived') : done
        },
      ),
    ],
  },
  boost_post: { posts: [ofPost((id) => `api.boost_post(${id}, 1)`, entering(boosting))] },
  report: {
    posts: [ofPost((id) => `api.report('post', ${id}, 'No')`)],
    replies: [ofReply((id) => `api.report('reply', ${id}, 'No')`)],
  },
  update_post: {
    posts: [
      ofPost(
        (id) => `api.update_post(${id}, '{"visibility": "inner"}')`,
        (world, viewer, place) =>
          isOwn(world, viewer, place) && at(world.posts, place).space
            ? refused('space_visibility')
            : ownAlone(world, viewer, place),
      ),
    ],
  },
  delete_post: {
    posts: [
      (world, viewer, place) => {
        const question = ofPost((id) => `api.delete_post(${id})`, ownAlone)(world, viewer, place)
        // One's own post can be deleted even if it is invisible: a repost of a hidden post, a post in a space that one
        // left
        const standing = isOwn(world, viewer, place) && !deletedPost(world, place)
        return standing ? { ...question, expected: done } : question
      },
    ],
  },
  invite_co_author: {
    posts: [ofPost((id) => `api.invite_co_author(${id}, oracle.me(), 10)`, inviting)],
  },
  respond_co_author: {
    posts: [
      ofPost((id, world, place) => `api.respond_co_author(${id}, '${inviteOf(world, place)}', true)`, accepting),
      declining,
    ],
  },
  add_series_item: {
    posts: [ofPost((id) => `api.add_series_item((api.create_series('Mine') ->> 'id')::uuid, ${id})`, adding)],
  },
  follow_series: {
    series: [
      ofSeries(
        (id) => `api.follow_series(${id})`,
        ({ series }, viewer, place) => (at(series, place).owner === viewer ? refused('series_follow_own') : done),
      ),
    ],
  },
  unfollow_series: {
    series: [
      (world, viewer, place) => {
        const question = ofSeries((id) => `api.unfollow_series(${id})`)(world, viewer, place)
        const stands = !world.erased.includes(at(world.series, place).owner)
        // A follow can be ended even if the series has become invisible
        return stands && followsSeries(world, viewer, place) ? { ...question, expected: done } : question
      },
    ],
  },
}
