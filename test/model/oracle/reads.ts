// The registry, first part: the operations that read.
import { postId, replyId } from './build.ts'
import * as cards from './cards.ts'
import {
  at,
  follows,
  inFeed,
  isCloser,
  isListed,
  isPublic,
  isWithin,
  meant,
  meets,
  names,
  type Post,
  partsOf,
  places,
  sees,
  type World,
} from './model.ts'
import { type Entries, ofPost, ofReply, ofSeries, type Question, refused } from './question.ts'

type Page = { items: never[] }
type Identified = { id: string }

/** A call of a list that is read page by page. */
const paged = (operation: string, { limit }: World, ...given: string[]) =>
  `api.${operation}(${[...given, `p_limit => ${limit}`, 'p_cursor => $1'].join(', ')})`

const postsIn = ({ items }: Page) => items.map((item) => cards.postCard(item))
const repliesIn = ({ items }: Page) => items.map((item) => cards.replyCard(item))
const postCards = (world: World, viewer: number, list: readonly number[]) =>
  list.map((place) => cards.postCardOf(world, viewer, place))
const replyCards = (world: World, viewer: number, list: readonly number[]) =>
  list.map((place) => cards.replyCardOf(world, viewer, place))
const byId = (list: readonly Identified[]) => list.toSorted((one, other) => one.id.localeCompare(other.id))

/** Newest first, and at the same moment by id, descending. */
const newestFirst = (list: readonly number[]) =>
  list.toSorted((one, other) => Math.floor(other / 2) - Math.floor(one / 2) || other - one)

type Choice = { given?: string; keeps(post: Post, world: World, viewer: number, place: number): boolean }
const tabs: Choice[] = [
  { keeps: () => true },
  {
    given: `p_tab => 'following'`,
    keeps: ({ author }, world, viewer) => follows(world, viewer, author),
  },
  {
    given: `p_tab => 'circles'`,
    keeps: (_post, world, _viewer, place) => isCloser(world, place) && !isWithin(world, place),
  },
  {
    given: `p_tab => 'trending'`,
    keeps: (_post, world, _viewer, place) => !isCloser(world, place) && !isWithin(world, place),
  },
]
const filters: Choice[] = [
  { keeps: () => true },
  { given: 'p_journalism => true', keeps: ({ journalism }) => journalism },
  { given: 'p_min_depth => 3', keeps: ({ depth }) => depth >= 3 },
  { given: 'p_interest_id => oracle.parent()', keeps: ({ interest }) => interest !== 'none' },
  { given: 'p_interest_id => oracle.child()', keeps: ({ interest }) => interest === 'child' },
  ...(['note', 'quote', 'repost'] as const).map((format) => ({
    given: `p_format => '${format}'`,
    keeps: (post: Post) => post.format === format,
  })),
]

function feed(world: World, viewer: number, tab: Choice, filter: Choice): Question {
  const shown = places(world.posts).filter((place) => {
    const post = at(world.posts, place)
    return (
      inFeed(world, viewer, place) && tab.keeps(post, world, viewer, place) && filter.keeps(post, world, viewer, place)
    )
  })
  const given = [tab.given, filter.given].filter((argument) => argument !== undefined)
  return {
    call: paged('list_feed', world, ...given),
    read: (page: Page) => byId(postsIn(page)), // the tests of the feed check the order
    expected: byId(postCards(world, viewer, shown)),
  }
}

/** The items of the stream, whose order is checked too. */
function stream(world: World, viewer: number, given: string[], keeps: (post: Post) => boolean): Question {
  const shown = places(world.posts).filter(
    (place) => inFeed(world, viewer, place) && isPublic(world, place) && keeps(at(world.posts, place)),
  )
  return {
    call: paged('list_stream', world, ...given),
    read: ({ items }: Page) => items.map(({ id }: Identified) => id),
    expected: newestFirst(shown).map(postId),
  }
}

function profile(world: World, viewer: number, person: number): Question {
  const theirs = newestFirst(
    places(world.posts).filter((place) => {
      const { author, scheduled } = at(world.posts, place)
      return author === person && !scheduled && sees(world, viewer, place)
    }),
  )
  const pinned = theirs.filter((place) => at(world.posts, place).pinned)
  const others = theirs.filter((place) => !at(world.posts, place).pinned)
  return {
    call: paged('list_posts_by', world, `'${at(names, person)}'`),
    read: postsIn,
    expected: meets(world, viewer, person)
      ? postCards(world, viewer, [...pinned, ...others])
      : refused('person_unknown'),
  }
}

const repliesUnder = (kind: string | null) =>
  ofPost(
    (id, world) => paged('list_replies', world, id, ...(kind ? [`p_kind => '${kind}'`] : [])),
    (world, viewer, place) => {
      const shown = cards.repliesOf(world, viewer, place)
      return replyCards(world, viewer, kind ? shown.filter((reply) => at(world.replies, reply).kind === kind) : shown)
    },
    repliesIn,
  )

export const reads: Entries = {
  get_post: {
    posts: [
      ofPost(
        (id) => `api.get_post(${id})`,
        (world, viewer, place) => [
          cards.postCardOf(world, viewer, place),
          replyCards(world, viewer, cards.repliesOf(world, viewer, place)),
        ],
        (card: never) => [cards.postCard(card), repliesIn((card as { replies: Page }).replies)],
      ),
    ],
  },
  get_posts: {
    lists: (world, viewer) => [
      {
        call: `api.get_posts(array[${places(world.posts)
          .slice(0, 50)
          .map((place) => `'${postId(place)}'`)
          .join(',')}]::uuid[])`,
        read: postsIn,
        expected: postCards(
          world,
          viewer,
          places(world.posts)
            .slice(0, 50)
            .filter((place) => sees(world, viewer, place)),
        ),
      },
    ],
  },
  get_breakdown: {
    posts: [
      ofPost(
        (id) => `api.get_breakdown(${id})`,
        (world, _viewer, place) => cards.emojisOf(world, meant(world.posts, place)),
        (answer: { emojiBreakdown: unknown }) => answer.emojiBreakdown,
      ),
    ],
  },
  list_replies: {
    posts: [repliesUnder(null), repliesUnder('reaction')],
    replies: [
      ofReply(
        (id, world, place) =>
          paged('list_replies', world, `'${postId(at(world.replies, place).post)}'`, `p_parent_id => ${id}`),
        (world, viewer, place) => {
          const under = cards.repliesOf(world, viewer, at(world.replies, place).post)
          return replyCards(
            world,
            viewer,
            under.filter((reply) => at(world.replies, reply).parent === place),
          )
        },
        repliesIn,
        true,
      ),
    ],
  },
  list_stream: {
    lists: (world, viewer) => [
      stream(world, viewer, [], () => true),
      stream(
        world,
        viewer,
        [`p_type => 'post'`, 'p_interest_id => oracle.child()'],
        ({ interest }) => interest === 'child',
      ),
    ],
  },
  search: {
    lists: (world, viewer) =>
      [`"words of post"`, 'tea -milk'].map((q, turn) => {
        const { length } = world.posts
        const shown = places(world.posts).filter((place) => {
          const { format, words, scheduled } = at(world.posts, place)
          const hit = turn === 0 || (words.includes('tea') && !words.includes('milk'))
          return (
            sees(world, viewer, place) && isListed(world, viewer, place) && !scheduled && format !== 'repost' && hit
          )
        })
        return {
          call: `api.search('${q}', 'post', p_limit => ${Math.max(world.limit, Math.ceil(length / 50))}, p_cursor => $1)`,
          // The tests of the search check the order
          read: ({ items }: Page) => items.map(({ id }: Identified) => id).toSorted(),
          expected: shown.map(postId).toSorted(),
        }
      }),
  },
  list_feed: {
    lists: (world, viewer) => {
      const turn = world.call + viewer
      const tab = at(tabs, turn % tabs.length)
      const filter = at(filters, Math.floor(turn / tabs.length) % filters.length)
      return [
        ...[...tabs.slice(0, 2), at(tabs, 2 + (turn % 2))].map((one) => feed(world, viewer, one, at(filters, 0))),
        feed(world, viewer, tab, filter),
      ]
    },
  },
  list_posts_by: {
    lists: (world, viewer) => [0, 1].map((more) => profile(world, viewer, (world.call + more) % names.length)),
  },
  list_space_posts: {
    lists: (world, viewer) => {
      const there = places(world.posts).filter(
        (place) => at(world.posts, place).space && !at(world.posts, place).scheduled && sees(world, viewer, place),
      )
      return [
        {
          call: paged('list_space_posts', world, `'the-space'`),
          read: postsIn,
          expected: world.space.includes(viewer)
            ? postCards(world, viewer, newestFirst(there))
            : refused('space_not_member'),
        },
      ]
    },
  },
  list_bookmarks: {
    lists: (world, viewer) => {
      const kept = world.bookmarks.flatMap(([by, post]) => (by === viewer && sees(world, viewer, post) ? [post] : []))
      const expected = postCards(
        world,
        viewer,
        kept.sort((one, other) => other - one),
      )
      return [{ call: paged('list_bookmarks', world), read: postsIn, expected }]
    },
  },
  list_scheduled_posts: {
    lists: (world, viewer) => {
      const waiting = places(world.posts).filter(
        (place) =>
          at(world.posts, place).author === viewer && at(world.posts, place).scheduled && sees(world, viewer, place),
      )
      const expected = postCards(world, viewer, waiting)
      return [{ call: paged('list_scheduled_posts', world), read: postsIn, expected }]
    },
  },
  list_my_series: {
    lists: (world, viewer) => {
      const mine = places(world.series).filter((place) => at(world.series, place).owner === viewer)
      return [
        {
          call: paged('list_my_series', world),
          read: ({ items }: Page) => items.map((item) => cards.seriesCard(item)),
          expected: mine.reverse().map((place) => cards.seriesCardOf(world, viewer, place)),
        },
      ]
    },
  },
  list_series_items: {
    series: [
      ofSeries(
        (id, world) => paged('list_series_items', world, id),
        (world, viewer, place) => [
          cards.seriesCardOf(world, viewer, place),
          partsOf(world, viewer, place).map((part, before) => [before + 1, cards.postCardOf(world, viewer, part)]),
        ],
        (answer: { series: never; items: { position: number; post: never }[] }) => [
          cards.seriesCard(answer.series),
          answer.items.map(({ position, post }) => [position, cards.postCard(post)]),
        ],
      ),
    ],
  },
  list_payments: {
    lists: (world, viewer) => {
      const mine = (from: boolean, to: boolean) =>
        places(world.payments).filter((place) => {
          const payment = at(world.payments, place)
          return (from && payment.from === viewer) || (to && cards.receiverOf(world, payment) === viewer)
        })
      const question = (direction: string, list: number[]): Question => ({
        call: paged('list_payments', world, direction),
        read: ({ items }: Page) => items.map((item) => cards.paymentCard(item)),
        expected: list.reverse().map((place) => cards.paymentCardOf(world, viewer, place)),
      })
      return [
        question('null', mine(true, true)),
        question(`'sent'`, mine(true, false)),
        question(`'received'`, mine(false, true)),
      ]
    },
  },
  list_notifications: {
    lists: (world, viewer) => [
      {
        call: paged('list_notifications', world),
        read: ({ items }: Page) =>
          items
            .map((item) => cards.notice(item))
            .filter((notice) => notice.startsWith('post.mentioned'))
            .sort(),
        expected: cards.noticesOf(world, viewer).sort(),
      },
    ],
  },
  export_me: {
    lists: ({ posts, replies, call }, viewer) => {
      const own = (list: readonly { author: number }[]) =>
        places(list).filter((place) => at(list, place).author === viewer)
      return [
        {
          call: `oracle.export(${call})`,
          read: (sections: Record<'posts' | 'replies', Identified[]>) => [
            byId(sections.posts).map(({ id }) => id),
            byId(sections.replies).map(({ id }) => id),
          ],
          expected: [own(posts).map(postId), own(replies).map(replyId)],
        },
      ]
    },
  },
}
