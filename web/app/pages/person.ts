// The profile of a person: names and texts, circles, follows, reputation, and posts.
import type { Schema } from 'kith/client'
import { ask } from '../../lib/dialog.ts'
import { attempt, ErrorNote, notify } from '../../lib/errors.ts'
import { html, useSignal, type VNode } from '../../lib/html.ts'
import { type Loaded, useLoad } from '../../lib/load.ts'
import { go, type PageProps } from '../../lib/router.ts'
import { sharedTexts } from '../../lib/shared-texts.ts'
import { dayText, language, numberText } from '../../lib/texts.ts'
import { Menu, type Post, PostCard } from '../card.ts'
import { List, usePages } from '../list.ts'
import { block, Face, isGone, isMe, mute, nameOf, PersonLink, PersonRow, pay, report } from '../people.ts'
import { kith } from '../session.ts'
import { texts } from '../texts.ts'
import { Words } from '../words.ts'

type Profile = Schema<'Profile'>
type Viewer = NonNullable<Profile['viewer']>

/** Adds a person to one of the caller's circles, or says that there is none yet. */
async function addToCircle(card: Profile, done: () => unknown): Promise<void> {
  const t = texts.value.person
  await attempt(async () => {
    const { items } = await kith.get('/circles/me', { params: { query: { limit: 50 } } })
    const mine = items.filter(({ isOwner }) => isOwner)
    if (mine.length === 0) return notify(t.noCircle)
    const fields = [
      {
        name: 'circle',
        label: t.circle,
        kind: 'choice' as const,
        options: mine.map(({ id, name }) => ({ value: id, label: name })),
      },
      { name: 'isInner', label: t.innerCircle, kind: 'check' as const, optional: true, hint: t.innerHint },
    ]
    const question = { title: t.addTitle(nameOf(card)), text: t.addText, fields, action: t.add }
    const isDone = await ask(question, ({ circle = '', isInner }) =>
      kith.post('/circles/me/{id}/members', {
        params: { path: { id: circle } },
        body: { memberId: card.personId, bondLevel: isInner ? 'inner-circle' : 'acquaintance' },
      }),
    )
    if (!isDone) return
    notify(t.added(nameOf(card)))
    done()
  })
}

function Deeds({ profile }: { profile: Loaded<Profile> }): VNode | null {
  const t = texts.value.person
  const card = profile.data.value
  if (!card?.viewer) return null
  const { viewer, personId: id } = card
  const params = { path: { id } }
  const setViewer = (changes: Partial<Viewer>) => profile.set({ ...card, viewer: { ...viewer, ...changes } })
  const follow = () =>
    attempt(async () => {
      if (viewer.follows) await kith.delete('/circles/users/{id}/follow', { params })
      else await kith.post('/circles/users/{id}/follow', { params })
      const followers = Math.max(0, card.counters.followers + (viewer.follows ? -1 : 1))
      profile.set({
        ...card,
        counters: { ...card.counters, followers },
        viewer: { ...viewer, follows: !viewer.follows },
      })
    })
  const toggleMute = async () => {
    if (viewer.muted) await attempt(() => kith.delete('/users/{id}/mute', { params }), t.unmutedNow(nameOf(card)))
    else await mute(card)
    await profile.reload()
  }
  return html`<div class="buttons">
    <button class=${viewer.follows ? 'secondary' : ''} aria-pressed=${String(viewer.follows)} onClick=${follow}>
      ${viewer.follows ? t.unfollow : t.follow}
    </button>
    ${!viewer.inMyCircle && html`<button class="secondary" onClick=${() => addToCircle(card, () => setViewer({ inMyCircle: true }))}>${t.addToCircle}</button>`}
    <button class="secondary" onClick=${() => pay({ receiverId: id }, nameOf(card))}>${texts.value.post.pay}</button>
    <${Menu}
      label=${t.moreOf(nameOf(card))}
      deeds=${[
        { label: viewer.muted ? t.unmute : t.mute, run: toggleMute },
        { label: t.block, run: async () => (await block(card)) && go('/app'), isDangerous: true },
        { label: t.report, run: () => report({ targetType: 'user', targetId: card.username }), isDangerous: true },
      ]}
    />
  </div>` as VNode
}

const nameOfCountry = (code: string): string =>
  new Intl.DisplayNames(language.value, { type: 'region' }).of(code) ?? code

function Reputation({ id }: { id: string }): VNode {
  const t = texts.value.person
  const found = useLoad(() => kith.get('/reputation/{userId}', { params: { path: { userId: id } } }), [id])
  const items = found.data.value?.items ?? []
  return html`<section>
    <h2>${t.reputation}</h2>
    <${ErrorNote} error=${found.error.value} />
    ${found.data.value && items.length === 0 && html`<p class="quiet">${t.noReputation}</p>`}
    <ul class="reputation">
      ${items.map(
        ({ interestId, name, value, level }) => html`<li key=${interestId}>
          <a href=${`/app?interestId=${interestId}`}>${name}</a>
          <span class="quiet">${t.levels[level]}</span> <span class="number">${numberText(value)}</span>
        </li>`,
      )}
    </ul>
  </section>` as VNode
}

function Posts({ username }: { username: string }): VNode {
  const pages = usePages<Post & { id: string }>(
    (cursor) => kith.get('/posts/by/{username}', { params: { path: { username }, query: cursor ? { cursor } : {} } }),
    [username],
  )
  return html`<section>
    <h2>${texts.value.person.posts}</h2>
    <${List}
      pages=${pages}
      item=${(post: Post) => html`<${PostCard} key=${post.id} post=${post} onGone=${() => pages.remove(post.id)} />`}
    />
  </section>` as VNode
}

/** The people whom a person follows, or who follow them. */
function Follows({ id }: { id: string }): VNode {
  const t = texts.value.person
  const shown = useSignal<'followers' | 'following' | ''>('')
  const choose = (which: 'followers' | 'following') => {
    shown.value = shown.value === which ? '' : which
  }
  const button = (which: 'followers' | 'following') =>
    html`<button class="link" aria-expanded=${shown.value === which} onClick=${() => choose(which)}>${t[which]}</button>`
  return html`<p class="row">${button('followers')} ${button('following')}</p>
    ${shown.value && html`<${FollowList} key=${shown.value} id=${id} which=${shown.value} />`}` as VNode
}

function FollowList({ id, which }: { id: string; which: 'followers' | 'following' }): VNode {
  const params = (cursor: string | undefined) => ({ path: { id }, query: cursor ? { cursor } : {} })
  const pages = usePages<Schema<'PersonCard'>>(
    (cursor) =>
      which === 'followers'
        ? kith.get('/circles/users/{id}/followers', { params: params(cursor) })
        : kith.get('/circles/users/{id}/following', { params: params(cursor) }),
    [id, which],
  )
  return html`<${List} pages=${pages} item=${(card: Schema<'PersonCard'>) => html`<${PersonRow} key=${card.id} card=${card} />`} />` as VNode
}

export function PersonPage({ params: { username = '' } }: PageProps): VNode {
  const t = texts.value.person
  const profile = useLoad(
    () => kith.get('/users/{usernameOrId}', { params: { path: { usernameOrId: username } } }),
    [username],
  )
  const card = profile.data.value
  if (!card) {
    return html`<h1>${t.title}</h1>
      ${
        isGone(profile.error.value)
          ? html`<p class="empty">${t.gone}</p>`
          : html`<${ErrorNote} error=${profile.error.value} />${!profile.error.value && html`<p class="quiet">${sharedTexts.value.loading}</p>`}`
      }` as VNode
  }
  const { viewer, counters } = card
  const place = [card.city, card.country && nameOfCountry(card.country)].filter(Boolean).join(', ')
  return html`<div class="person-head">
      <${Face} card=${card} isLarge />
      <div>
        <h1>${nameOf(card)}</h1>
        ${card.owner && html`<p class="quiet">${t.botOf} <${PersonLink} card=${card.owner} /></p>`}
        <p class="quiet facts">
          <span>@${card.username}</span> ${place && html`<span>${place}</span>`} <span>${t.since(dayText(card.createdAt.slice(0, 10)))}</span>
        </p>
        <p class="tags">
          ${viewer?.followedBy && html`<span class="tag">${t.followsYou}</span>`}
          ${viewer?.inMyCircle && html`<span class="tag">${viewer.bondLevel === 'inner-circle' ? t.inInner : t.inCircle}</span>`}
          ${viewer?.inTheirCircle && html`<span class="tag">${t.inTheirs}</span>`}
          ${viewer?.muted && html`<span class="tag">${t.muted}</span>`}
        </p>
      </div>
    </div>
    ${card.about && html`<${Words} text=${card.about} />`}
    <p class="quiet">${t.counts(counters.followers, counters.following)}</p>
    <${Deeds} profile=${profile} />
    ${isMe(card) && html`<p class="buttons"><a href="/account">${t.account}</a></p>`}
    <${Follows} id=${card.personId} />
    <${Reputation} id=${card.personId} />
    <${Posts} username=${card.username} />` as VNode
}
