// The posts that somebody may like to read. New posts appear only after a click on a button, so that nothing moves
// while somebody reads.
import { attempt } from '../../lib/errors.ts'
import { html, useEffect, useSignal, type VNode } from '../../lib/html.ts'
import { query } from '../../lib/router.ts'
import { optionsOf } from '../../lib/texts.ts'
import { type Post, PostCard } from '../card.ts'
import { List, usePages } from '../list.ts'
import { onPublicPosts } from '../live.ts'
import { isMe } from '../people.ts'
import { kith } from '../session.ts'
import { texts } from '../texts.ts'

type Tab = 'following' | 'circles' | 'trending'
/** How long to wait after an event, in milliseconds, so that posts that appear together are read together. */
const PAUSE = 1500

/** The time of the newest of some posts. */
const newestOf = (posts: Post[]): string | undefined =>
  posts
    .map(({ publishedAt }) => publishedAt)
    .filter((at) => at !== null)
    .toSorted()
    .at(-1)

function Tabs({ tab, interestId }: { tab: string; interestId: string }): VNode {
  const t = texts.value.feed
  const address = (value: string) => {
    const asked = new URLSearchParams({ ...(value && { tab: value }), ...(interestId && { interestId }) })
    return asked.size > 0 ? `/app?${asked}` : '/app'
  }
  return html`<nav class="tabs" aria-label=${t.tabs}>
    ${optionsOf(t.tab).map(
      ({ value, label }) =>
        html`<a key=${value} href=${address(value)} aria-current=${value === tab ? 'page' : undefined}>${label}</a>`,
    )}
  </nav>` as VNode
}

export function Feed(): VNode {
  const t = texts.value.feed
  const tab = query.value.get('tab') ?? ''
  const interestId = query.value.get('interestId') ?? ''
  const asked = { ...(tab && { tab: tab as Tab }), ...(interestId && { interestId }) }
  const pages = usePages<Post & { id: string }>(
    (cursor) => kith.get('/feed', { params: { query: { ...asked, ...(cursor && { cursor }) } } }),
    [tab, interestId],
  )
  const waiting = useSignal<Post[]>([])
  const shown = useSignal<Post[]>([])
  shown.value = pages.items
  useEffect(() => {
    waiting.value = []
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = async () => {
      timer = undefined
      const known = [...waiting.value, ...shown.peek()]
      const since = newestOf(known)
      const { items } = await kith.get('/feed', { params: { query: { ...asked, ...(since && { since }) } } })
      const added = items.filter((one) => !isMe(one.author) && !known.some(({ id }) => id === one.id))
      waiting.value = [...added, ...waiting.value]
    }
    const stop = onPublicPosts(() => {
      // a failure is not shown, because the next event or a reload shows the posts
      timer ??= setTimeout(() => look().catch(() => undefined), PAUSE)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [tab, interestId])
  const show = () => {
    pages.prepend(waiting.value)
    waiting.value = []
  }
  const count = waiting.value.length
  return html`<${Tabs} tab=${tab} interestId=${interestId} />
    ${interestId && html`<p><a href=${tab ? `/app?tab=${tab}` : '/app'}>${t.allInterests}</a></p>`}
    <div class="fresh" role="status">${count > 0 && html`<button class="small" onClick=${show}>${t.fresh(count)}</button>`}</div>
    <${List}
      pages=${pages}
      item=${(post: Post) => html`<${PostCard} key=${post.id} post=${post} onGone=${() => pages.remove(post.id)} />`}
      empty=${html`<p>${tab ? t.emptyTab : t.empty}</p>
        <p><a href="/app/interests">${texts.value.interests.title}</a> · <a href="/app/search">${t.findPeople}</a></p>`}
    />` as VNode
}

/** Posts that somebody has bookmarked. */
export function Bookmarks(): VNode {
  const pages = usePages<Post & { id: string }>(
    (cursor) => kith.get('/posts/bookmarks', { params: { query: cursor ? { cursor } : {} } }),
    [],
  )
  const t = texts.value.bookmarks
  return html`<${List}
    pages=${pages}
    item=${(post: Post) => html`<${PostCard} key=${post.id} post=${post} onGone=${() => pages.remove(post.id)} />`}
    empty=${t.empty}
  />` as VNode
}

/** Posts that will be published later. */
export function Scheduled(): VNode {
  const pages = usePages<Post & { id: string }>(
    (cursor) => kith.get('/me/posts/scheduled', { params: { query: cursor ? { cursor } : {} } }),
    [],
  )
  const t = texts.value.scheduled
  const publish = (post: Post) =>
    attempt(async () => {
      await kith.patch('/posts/{id}', { params: { path: { id: post.id } }, body: { publishAt: null } })
      pages.remove(post.id)
    }, t.done)
  return html`<${List}
    pages=${pages}
    item=${(post: Post) => html`<div key=${post.id}>
      <${PostCard} post=${post} onGone=${() => pages.remove(post.id)} />
      <button class="secondary small" onClick=${() => publish(post)}>${t.now}</button>
    </div>`}
    empty=${t.empty}
  />` as VNode
}
