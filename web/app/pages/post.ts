// A post with its replies, each below the reply that it answers.
import type { Schema } from 'kith/client'
import { attempt, ErrorNote } from '../../lib/errors.ts'
import { Form } from '../../lib/form.ts'
import { html, type Signal, useSignal, type VNode } from '../../lib/html.ts'
import { useLoad } from '../../lib/load.ts'
import { go, type PageProps } from '../../lib/router.ts'
import { sharedTexts } from '../../lib/shared-texts.ts'
import { optionsOf } from '../../lib/texts.ts'
import { Menu, PostCard, When } from '../card.ts'
import { Face, isGone, isMe, nameOf, PersonLink, pay, report } from '../people.ts'
import { kith } from '../session.ts'
import { texts } from '../texts.ts'
import { Words } from '../words.ts'

type Reply = Schema<'Reply'>
type Replies = { items: Reply[]; nextCursor: string | null }
/** How deep replies are indented: narrow screens have no room for more. */
const DEEPEST = 4

type FormOptions = { postId: string; parentId?: string; done: (reply: Reply) => void }

function ReplyForm({ postId, parentId, done }: FormOptions): VNode {
  const t = texts.value.reply
  const turn = useSignal(0)
  const submit = async ({ body = '', kind = 'reply' }) => {
    const sent = { body, kind: kind as Reply['kind'], ...(parentId && { parentId }) }
    done(await kith.post('/posts/{id}/replies', { params: { path: { id: postId } }, body: sent }))
    turn.value += 1
  }
  return html`<${Form}
    key=${turn.value}
    fields=${[
      { name: 'body', label: t.words, kind: 'long', max: 5000 },
      { name: 'kind', label: t.kind, kind: 'choice', options: optionsOf(t.kinds), hint: t.kindHint },
    ]}
    action=${t.action}
    submit=${submit}
  />` as VNode
}

type Branch = { reply: Reply; all: Reply[]; depth: number; answered: Signal<string>; added: (reply: Reply) => void }

function ReplyView({ reply, all, depth, answered, added }: Branch): VNode {
  const t = texts.value.reply
  const { id, postId, author } = reply
  const isMine = isMe(author)
  const answer = () => {
    answered.value = answered.value === id ? '' : id
  }
  const below = all.filter(({ parentId }) => parentId === id)
  return html`<li>
    <article class="reply" id=${`reply-${id}`} aria-label=${t.by(nameOf(author))}>
      <header>
        <div class="person-row">
          <${Face} card=${author} />
          <div>
            <${PersonLink} card=${author} />
            <div class="quiet facts">
              <${When} at=${reply.createdAt} />
              ${reply.kind !== 'reply' && html`<span class="tag">${t.kinds[reply.kind]}</span>`}
              ${reply.hiddenAt && html`<span class="tag">${texts.value.post.hidden}</span>`}
            </div>
          </div>
        </div>
        ${
          !isMine &&
          html`<${Menu}
            label=${t.moreOf(nameOf(author))}
            deeds=${[
              { label: texts.value.post.pay, run: () => pay({ replyId: id }, nameOf(author)) },
              {
                label: texts.value.post.report,
                run: () => report({ targetType: 'reply', targetId: id }),
                isDangerous: true,
              },
            ]}
          />`
        }
      </header>
      <${Words} text=${reply.body} />
      <button class="link" aria-expanded=${answered.value === id} onClick=${answer}>${t.answer}</button>
      ${
        answered.value === id &&
        html`<${ReplyForm}
          postId=${postId}
          parentId=${id}
          done=${(made: Reply) => {
            answered.value = ''
            added(made)
          }}
        />`
      }
    </article>
    ${
      below.length > 0 &&
      html`<ul class=${depth < DEEPEST ? 'replies' : 'replies flat'}>
        ${below.map((one) => html`<${ReplyView} key=${one.id} reply=${one} all=${all} depth=${depth + 1} answered=${answered} added=${added} />`)}
      </ul>`
    }
  </li>` as VNode
}

export function PostPage({ params: { id = '' } }: PageProps): VNode {
  const t = texts.value.reply
  const params = { path: { id } }
  const post = useLoad(() => kith.get('/posts/{id}', { params }), [id])
  const later = useSignal<Replies | undefined>(undefined)
  const answered = useSignal('')
  const found = post.data.value
  if (isGone(post.error.value)) return html`<p class="empty">${t.gone}</p>` as VNode
  if (!found)
    return html`<${ErrorNote} error=${post.error.value} />${!post.error.value && html`<p class="quiet">${sharedTexts.value.loading}</p>`}` as VNode
  const { items, nextCursor } = later.value ?? found.replies
  const added = (reply: Reply) => {
    later.value = { items: [...items, reply], nextCursor }
  }
  const more = () =>
    attempt(async () => {
      const page = await kith.get('/posts/{id}/replies', { params: { ...params, query: { cursor: nextCursor ?? '' } } })
      const known = new Set(items.map((one) => one.id))
      later.value = { ...page, items: [...items, ...page.items.filter((one) => !known.has(one.id))] }
    })
  // a reply whose parent has not been read is shown at the top
  const roots = items.filter(({ parentId }) => !items.some((one) => one.id === parentId))
  const originalId = found.format === 'repost' ? found.quotedPostId : found.id
  return html`<${PostCard} post=${found} isWhole onGone=${() => go('/app')} />
    ${
      found.publishedAt &&
      originalId &&
      html`<section>
        <h2 id="reply" tabindex="-1">${t.title}</h2>
        ${items.length === 0 && html`<p class="quiet">${t.none}</p>`}
        <ul class="replies top">
          ${roots.map((one) => html`<${ReplyView} key=${one.id} reply=${one} all=${items} depth=${1} answered=${answered} added=${added} />`)}
        </ul>
        ${nextCursor && html`<button class="secondary" onClick=${more}>${texts.value.common.more}</button>`}
        <h2>${t.write}</h2>
        <${ReplyForm} postId=${originalId} done=${added} />
      </section>`
    }` as VNode
}
