// The wallet: what can be spent, and the payments that were sent and received.
import type { Schema } from 'kith/client'
import { ErrorNote } from '../../lib/errors.ts'
import { html, type VNode } from '../../lib/html.ts'
import { useLoad } from '../../lib/load.ts'
import { query } from '../../lib/router.ts'
import { numberText, optionsOf } from '../../lib/texts.ts'
import { addressOfPost, When } from '../card.ts'
import { List, usePages } from '../list.ts'
import { isMe, PersonLink } from '../people.ts'
import { kith } from '../session.ts'
import { texts } from '../texts.ts'

type Payment = Schema<'Payment'>

function Movement({ payment }: { payment: Payment }): VNode {
  const t = texts.value.wallet
  const { sender, receiver, emotion, amount, postId, reversed } = payment
  const isSent = sender !== null && isMe(sender)
  const other = isSent ? receiver : sender
  return html`<article class="movement">
    <div>
      ${isSent ? t.to : t.from} ${other ? html`<${PersonLink} card=${other} />` : t.somebody}
      <div class="quiet facts">
        <span>${texts.value.pay.emotions[emotion]}</span> <${When} at=${payment.createdAt} />
        ${postId && html`<a href=${addressOfPost(postId)}>${t.post}</a>`}
        ${payment.replyId && html`<span>${t.reply}</span>`}
        ${reversed && html`<span class="tag">${t.reversed}</span>`}
      </div>
    </div>
    <strong class="number">${isSent ? '−' : '+'}${numberText(amount)}</strong>
  </article>` as VNode
}

export function Wallet(): VNode {
  const t = texts.value.wallet
  const direction = query.value.get('direction') ?? ''
  const wallet = useLoad(() => kith.get('/economy/wallet'), [])
  const pages = usePages<Payment>(
    (cursor) => {
      const asked = { ...(direction && { direction: direction as 'sent' | 'received' }), ...(cursor && { cursor }) }
      return kith.get('/economy/payments', { params: { query: asked } })
    },
    [direction],
  )
  const found = wallet.data.value
  return html`<${ErrorNote} error=${wallet.error.value} />
    ${
      found &&
      html`<p class="balance"><strong>${texts.value.pay.mana(numberText(found.balance))}</strong></p>
        <p class="quiet">${t.text}</p>
        <dl class="facts">
          <dt>${t.earned}</dt><dd>${numberText(found.lifetimeEarned)}</dd>
          <dt>${t.spent}</dt><dd>${numberText(found.lifetimeSpent)}</dd>
        </dl>`
    }
    <h2>${t.payments}</h2>
    <nav class="tabs" aria-label=${t.payments}>
      ${optionsOf(t.directions).map(
        ({ value, label }) =>
          html`<a key=${value} href=${value ? `/app/wallet?direction=${value}` : '/app/wallet'} aria-current=${value === direction ? 'page' : undefined}>${label}</a>`,
      )}
    </nav>
    <${List} pages=${pages} item=${(payment: Payment) => html`<${Movement} key=${payment.id} payment=${payment} />`} empty=${t.none} />` as VNode
}
