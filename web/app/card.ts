// A post, as lists and its page show it: its author, its text and its actions.
import type { Schema } from 'kith/client'
import { ask, type Field } from '../lib/dialog.ts'
import { attempt, notify } from '../lib/errors.ts'
import { html, type Signal, useEffect, useRef, useSignal, type VNode } from '../lib/html.ts'
import { showable } from '../lib/instance.ts'
import { go } from '../lib/router.ts'
import { numberText, optionsOf, sinceText, timeText } from '../lib/texts.ts'
import { type Icon, IconOf } from './icons.ts'
import { block, type Card, Face, isMe, mute, nameOf, PersonLink, pay, report } from './people.ts'
import { kith } from './session.ts'
import { texts } from './texts.ts'
import { Words } from './words.ts'

type Quoted = NonNullable<Schema<'PostQuote'>['quotedPost']>
/** A post of any list, or one that another post quotes. */
export type Post = (Schema<'Post'> | Quoted) & { why?: Schema<'FeedItemNote'>['why'] }

export const addressOfPost = (id: string): string => `/app/posts/${id}`
const quotedBy = (post: Post): Quoted | null => ('quotedPost' in post ? post.quotedPost : null)

/** How long ago something was; hovering shows the exact time. */
export const When = ({ at }: { at: string }): VNode =>
  html`<time datetime=${at} title=${timeText(at)}>${sinceText(at)}</time>` as VNode

/** How many characters of a post a list shows. */
const SHOWN = 700

export type Deed = { label: string; run: () => unknown; isDangerous?: boolean }
/** The height of the menu bar at the bottom of a narrow screen, in pixels. */
const BAR = 76

/** A menu of rarer actions. It opens upward if there is no room below it. */
export function Menu({ label, deeds }: { label: string; deeds: (Deed | false)[] }): VNode {
  const menu = useRef<HTMLDetailsElement>(null)
  const shown = deeds.filter((one): one is Deed => Boolean(one))
  const close = () => {
    if (menu.current) menu.current.open = false
  }
  /** Closes the menu; the focus stays at it, also after a dialog. */
  const leaveTo = (step: () => unknown) => {
    close()
    menu.current?.querySelector('summary')?.focus()
    step()
  }
  const leave = ({ relatedTarget }: FocusEvent) => {
    if (relatedTarget && !menu.current?.contains(relatedTarget as Node)) close()
  }
  const press = ({ key }: KeyboardEvent) => {
    if (key === 'Escape') leaveTo(() => {})
  }
  const place = () => {
    if (!menu.current) return // the step led to another page
    const { classList, open } = menu.current
    classList.remove('upward')
    const bottom = menu.current.querySelector('ul')?.getBoundingClientRect().bottom ?? 0
    if (open && bottom > innerHeight - BAR) classList.add('upward')
  }
  return html`<details class="menu" ref=${menu} onToggle=${place} onFocusOut=${leave} onKeyDown=${press}>
    <summary><${IconOf} name="dots" /><span class="hidden-label">${label}</span></summary>
    <ul>
      ${shown.map(
        (one) => html`<li key=${one.label}>
          <button
            class=${`secondary small${one.isDangerous ? ' danger-text' : ''}`}
            onClick=${() => leaveTo(one.run)}
          >
            ${one.label}
          </button>
        </li>`,
      )}
    </ul>
  </details>` as VNode
}

type Toggle = { icon: Icon; label: string; count?: number | undefined; isOn?: boolean; run: () => unknown }
const Switch = ({ icon, label, count, isOn, run }: Toggle): VNode =>
  html`<button class="act" aria-pressed=${isOn === undefined ? undefined : String(isOn)} title=${label} onClick=${run}>
    <${IconOf} name=${icon} /><span class="hidden-label">${label}</span>${count ? html` <span>${numberText(count)}</span>` : ''}
  </button>` as VNode

function Media({ post }: { post: Post }): VNode | null {
  const t = texts.value.post
  if (post.media.length === 0) return null
  return html`<div class="media">
    ${post.media.map(({ url, alt, posterUrl }) => {
      const at = showable(url)
      if (!at) {
        return html`<a href=${url} target="_blank" rel="noopener noreferrer nofollow ugc">${alt || t.openFile}</a>`
      }
      return post.format === 'video'
        ? html`<video controls preload="none" src=${at} poster=${(posterUrl && showable(posterUrl)) || undefined} aria-label=${alt ?? ''}></video>`
        : html`<img src=${at} alt=${alt ?? ''} loading="lazy" />`
    })}
  </div>` as VNode
}

function PollView({ state }: { state: Signal<Post> }): VNode | null {
  const t = texts.value.post
  const post = state.value
  const { poll } = post
  const isBusy = useSignal(false)
  if (!poll) return null
  const vote = async (optionId: string) => {
    if (isBusy.value) return
    isBusy.value = true
    await attempt(async () => {
      const params = { path: { id: post.id } }
      const now = await kith.post('/posts/{id}/poll/vote', { params, body: { optionId } })
      state.value = { ...state.value, poll: now } as Post
    })
    isBusy.value = false
  }
  const isOpen = !poll.closed && post.publishedAt
  return html`<div class="poll">
    <ul aria-label=${t.poll}>
    ${poll.options.map(({ id, text, votes }) => {
      const isMine = poll.myOptionId === id
      const words = html`<span class="words">${text}</span> <span class="number">${numberText(votes)}</span>`
      return html`<li key=${id} class="option">
        ${
          isOpen
            ? html`<button class="secondary" aria-pressed=${String(isMine)} onClick=${() => vote(id)}>${words}</button>`
            : html`<p class="result-of-poll">${words}</p>`
        }
        <progress value=${votes} max=${Math.max(poll.totalVotes, 1)} aria-hidden="true"></progress>
      </li>`
    })}
    </ul>
    <small class="quiet">${t.votes(poll.totalVotes)} ${poll.closed ? t.pollClosed : poll.closesAt ? t.pollUntil(timeText(poll.closesAt)) : ''}</small>
  </div>` as VNode
}

/** Why the feed shows a post, the most important reason first. */
function Why({ post }: { post: Post }): VNode | null {
  const t = texts.value.feed
  const reasons = (post.why ?? [])
    .filter(({ weight }) => weight > 0)
    .toSorted((one, other) => other.weight - one.weight)
  if (reasons.length === 0) return null
  const words = reasons.map(({ factor }) => t.reasons[factor](nameOf(post.author)))
  return html`<p class="why quiet"><small>${t.why} ${new Intl.ListFormat(document.documentElement.lang).format(words)}.</small></p>` as VNode
}

/** The name that Kith gives to everybody's first persona. */
const FIRST_PERSONA = 'Main'

function Head({ post }: { post: Post }): VNode {
  const t = texts.value.post
  const { author, persona } = post
  const name = [FIRST_PERSONA, nameOf(author)].includes(persona.name) ? undefined : persona.name
  return html`<div class="person-row">
    <${Face} card=${author} />
    <div>
      <${PersonLink} card=${author} /> ${name && html`<span class="quiet">${t.as(name)}</span>`}
      <div class="quiet facts">
        <a class="quiet" href=${addressOfPost(post.id)}><${When} at=${post.publishedAt ?? post.createdAt} /></a>
        ${post.visibility !== 'public' && html`<span class="tag">${t.audiences[post.visibility]}</span>`}
        ${post.spaceName && html`<span class="tag">${post.spaceName}</span>`}
        ${!post.publishedAt && post.publishAt && html`<span class="tag">${t.due(timeText(post.publishAt))}</span>`}
        ${post.hiddenAt && html`<span class="tag">${t.hidden}</span>`}
        ${post.editedAt && html`<span>${t.edited}</span>`}
        ${post.pinned && html`<span>${t.pinned}</span>`}
      </div>
    </div>
  </div>` as VNode
}

/** The words of a post. A list shows the beginning of a long one. */
function Body({ post, isWhole }: { post: Post; isWhole: boolean }): VNode {
  const t = texts.value.post
  const isCut = !isWhole && post.body.length > SHOWN
  return html`${post.title && html`<h2 class="words"><a href=${addressOfPost(post.id)}>${post.title}</a></h2>`}
    ${post.body && html`<${Words} text=${isCut ? `${post.body.slice(0, SHOWN).trimEnd()}…` : post.body} />`}
    ${isCut && html`<p><a href=${addressOfPost(post.id)}>${t.readAll}</a></p>`}
    <${Media} post=${post} />` as VNode
}

const Interests = ({ post }: { post: Post }): VNode =>
  html`<p class="tags">
    ${post.coAuthors.filter(({ status }) => status === 'accepted').map(({ user }) => html`<span class="quiet">${texts.value.post.with} <${PersonLink} card=${user} /></span>`)}
    ${post.interests.map(({ id, name }) => html`<a key=${id} class="tag" href=${`/app?interestId=${id}`}>${name}</a>`)}
    ${post.depth > 0 && html`<span class="tag">${(texts.value.post.depths as string[])[post.depth] ?? post.depthLabel}</span>`}
    ${post.isJournalism && html`<span class="tag">${texts.value.post.journalism}</span>`}
  </p>` as VNode

/** The payments for a post, by emotion. */
function Payments({ post }: { post: Post }): VNode | null {
  const all = Object.entries(post.emojiBreakdown).filter(([, { count }]) => count > 0)
  if (all.length === 0) return null
  const t = texts.value.pay
  return html`<ul class="payments" aria-label=${t.received}>
    ${all.map(([emotion, { total }]) => html`<li key=${emotion}>${(t.emotions as Record<string, string>)[emotion] ?? emotion}: ${t.mana(numberText(total))}</li>`)}
  </ul>` as VNode
}

type CardOptions = {
  post: Post
  /** Whether the whole text is shown, as on the post's own page. */
  isWhole?: boolean
  /** Called when the list should remove the post. */
  onGone?: (() => void) | undefined
}

export function PostCard({ post: given, isWhole = false, onGone }: CardOptions): VNode {
  const state = useSignal<Post>(given)
  useEffect(() => {
    state.value = given
  }, [given])
  const t = texts.value.post
  const post = state.value
  if (post.format === 'repost') {
    const original = quotedBy(post)
    return html`<section class="repost">
      <p class="quiet row">
        <${IconOf} name="repost" /> ${t.reposted} <${PersonLink} card=${post.author} />
        ${isMe(post.author) && html`<button class="link" onClick=${() => unrepost(post, onGone)}>${t.unrepost}</button>`}
      </p>
      <${Why} post=${post} />
      ${original ? html`<${PostCard} post=${original} isWhole=${isWhole} onGone=${onGone} />` : html`<p class="empty">${t.originalGone}</p>`}
    </section>` as VNode
  }
  const quoted = quotedBy(post)
  return html`<article class="post" aria-label=${t.by(nameOf(post.author))}>
    <header><${Head} post=${post} /><${More} state=${state} onGone=${onGone} /></header>
    <${Body} post=${post} isWhole=${isWhole} />
    <${PollView} state=${state} />
    ${
      post.format === 'quote' &&
      (quoted
        ? html`<blockquote><${Head} post=${quoted} /><${Body} post=${quoted} isWhole=${false} /></blockquote>`
        : html`<p class="empty">${t.originalGone}</p>`)
    }
    <${Interests} post=${post} />
    <${Payments} post=${post} />
    ${post.publishedAt && html`<${Acts} state=${state} isWhole=${isWhole} />`}
    <${Why} post=${post} />
  </article>` as VNode
}

/** Reactions, replies, reposts, bookmarks and payments. */
function Acts({ state, isWhole }: { state: Signal<Post>; isWhole: boolean }): VNode {
  const t = texts.value.post
  const post = state.value
  const params = { path: { id: post.id } }
  const { counters, viewer } = post
  const set = (changes: object) => {
    state.value = { ...state.value, ...changes } as Post
  }
  const react = (kind: 'heart' | 'spark') =>
    attempt(async () => {
      const isOn = viewer.reactions.includes(kind)
      set(
        isOn
          ? await kith.delete('/posts/{id}/react', { params: { ...params, query: { kind } } })
          : await kith.post('/posts/{id}/react', { params, body: { kind } }),
      )
    })
  const count = (name: 'bookmarks' | 'shares', by: number) => ({
    ...counters,
    [name]: Math.max(0, counters[name] + by),
  })
  const bookmark = () =>
    attempt(async () => {
      const isOn = viewer.bookmarked
      if (isOn) await kith.delete('/posts/{id}/bookmark', { params })
      else await kith.post('/posts/{id}/bookmark', { params })
      set({ viewer: { ...viewer, bookmarked: !isOn }, counters: count('bookmarks', isOn ? -1 : 1) })
    })
  const repost = () =>
    attempt(
      async () => {
        const isOn = viewer.reposted
        if (isOn) await kith.delete('/posts/{id}/repost', { params })
        else await kith.post('/posts/{id}/repost', { params, body: {} })
        set({ viewer: { ...viewer, reposted: !isOn }, counters: count('shares', isOn ? -1 : 1) })
      },
      viewer.reposted ? undefined : t.repostDone,
    )
  const payFor = async () => {
    const paid = await pay({ postId: post.id }, nameOf(post.author))
    if (!paid) return
    const { emotion, total } = paid.payment
    const before = post.emojiBreakdown[emotion] ?? { count: 0, total: 0 }
    const now = { count: before.count + 1, total: before.total + total }
    set({ emojiBreakdown: { ...post.emojiBreakdown, [emotion]: now } })
  }
  const isOn = (kind: 'heart' | 'spark') => viewer.reactions.includes(kind)
  const reply = () => (isWhole ? document.getElementById('reply')?.focus() : go(addressOfPost(post.id)))
  const isShareable = post.visibility === 'public' && !post.groupId && !post.guildId
  return html`<div class="acts">
    <${Switch} icon="heart" label=${t.heart} count=${counters.reactions} isOn=${isOn('heart')} run=${() => react('heart')} />
    <${Switch} icon="spark" label=${t.spark} isOn=${isOn('spark')} run=${() => react('spark')} />
    <${Switch} icon="message" label=${t.replies} count=${counters.replies} run=${reply} />
    ${isShareable && html`<${Switch} icon="repost" label=${t.repost} count=${counters.shares} isOn=${viewer.reposted} run=${repost} />`}
    <${Switch} icon="bookmark" label=${t.bookmark} count=${counters.bookmarks} isOn=${viewer.bookmarked} run=${bookmark} />
    ${!isMe(post.author) && html`<${Switch} icon="wallet" label=${t.pay} run=${payFor} />`}
  </div>` as VNode
}

const unrepost = (post: Post, onGone: (() => void) | undefined) =>
  attempt(async () => {
    await kith.delete('/posts/{id}/repost', { params: { path: { id: post.id } } })
    onGone?.()
  }, texts.value.post.unrepostDone)

/** The rarer actions on a post, for its author and for others. */
function More({ state, onGone }: { state: Signal<Post>; onGone: (() => void) | undefined }): VNode {
  const t = texts.value.post
  const post = state.value
  const params = { path: { id: post.id } }
  const isMine = isMe(post.author)
  const gone = () => onGone?.()
  const pin = () =>
    attempt(
      async () => {
        if (post.pinned) await kith.delete('/posts/{id}/pin', { params })
        else await kith.post('/posts/{id}/pin', { params })
        state.value = { ...post, pinned: !post.pinned }
      },
      post.pinned ? t.unpinDone : t.pinDone,
    )
  const remove = async () => {
    const question = { title: t.deleteTitle, text: t.deleteText, action: t.delete, isDangerous: true }
    if (!(await ask(question, () => kith.delete('/posts/{id}', { params })))) return
    notify(t.deleteDone)
    gone()
  }
  const muteIt = () =>
    attempt(async () => {
      await kith.post('/posts/{id}/mute', { params })
      gone()
    }, t.muteDone)
  const who: Card = post.author
  return html`<${Menu}
    label=${t.moreOf(nameOf(who))}
    deeds=${[
      Boolean(post.publishedAt) && { label: t.quote, run: () => go(`/app/write?quote=${post.id}`) },
      isMine && { label: t.edit, run: () => edit(state) },
      isMine && Boolean(post.publishedAt) && { label: post.pinned ? t.unpin : t.pin, run: pin },
      { label: t.mute, run: muteIt },
      isMine && { label: t.delete, run: remove, isDangerous: true },
      !isMine && { label: t.muteAuthor(nameOf(who)), run: () => mute(who).then(gone) },
      !isMine && {
        label: texts.value.person.blockTitle(nameOf(who)),
        run: async () => (await block(who)) && gone(),
        isDangerous: true,
      },
      !isMine && { label: t.report, run: () => report({ targetType: 'post', targetId: post.id }), isDangerous: true },
    ]}
  />` as VNode
}

async function edit(state: Signal<Post>): Promise<void> {
  const t = texts.value.post
  const post = state.value
  const isEssay = post.format === 'essay'
  const fields: Field[] = [
    ...(isEssay ? [{ name: 'title', label: t.titleOf, value: post.title ?? '', max: 200 }] : []),
    { name: 'body', label: t.words, kind: 'long', value: post.body, max: isEssay ? 100_000 : 5000 },
    ...(post.groupId || post.guildId
      ? []
      : [
          {
            name: 'visibility',
            label: t.audience,
            kind: 'choice' as const,
            options: optionsOf(t.audiences),
            value: post.visibility,
          },
        ]),
  ]
  const isDone = await ask({ title: t.edit, fields, action: t.save }, async ({ title, body = '', visibility }) => {
    const changes = {
      body,
      ...(title !== undefined && { title }),
      ...(visibility && { visibility: visibility as Post['visibility'] }),
    }
    const now = await kith.patch('/posts/{id}', { params: { path: { id: post.id } }, body: changes })
    state.value = { ...now, ...(post.why && { why: post.why }) }
  })
  if (isDone) notify(t.editDone)
}
