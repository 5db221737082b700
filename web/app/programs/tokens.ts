// Access tokens, of the person or of one of their bots.
import type { Schema } from 'kith/client'
import { ask } from '../../lib/dialog.ts'
import { ErrorNote, notify } from '../../lib/errors.ts'
import { Form } from '../../lib/form.ts'
import { html, useSignal, type VNode } from '../../lib/html.ts'
import { useLoad } from '../../lib/load.ts'
import { sharedTexts } from '../../lib/shared-texts.ts'
import { timeText } from '../../lib/texts.ts'
import { nameOf } from '../people.ts'
import { kith } from '../session.ts'
import { readScopes, Scopes, Secret, scopeField, usedText } from './parts.ts'
import { programTexts } from './texts.ts'

type Token = Schema<'AccessToken'>
type NewToken = { name: string; scopes: string[]; expiresAt: string; endsWithPassword: boolean }
type Tokens = {
  list: () => Promise<{ items: Token[] }>
  make: (token: NewToken) => Promise<Schema<'CreatedAccessToken'>>
  end: (id: string) => Promise<unknown>
}

const own: Tokens = {
  list: () => kith.get('/me/tokens'),
  make: (body) => kith.post('/me/tokens', { body }),
  end: (id) => kith.delete('/me/tokens/{id}', { params: { path: { id } } }),
}
const ofBot = (id: string): Tokens => ({
  list: () => kith.get('/me/bots/{id}/tokens', { params: { path: { id } } }),
  make: ({ name, scopes, expiresAt }) =>
    kith.post('/me/bots/{id}/tokens', { params: { path: { id } }, body: { name, scopes, expiresAt } }),
  end: (tokenId) => kith.delete('/me/bots/{id}/tokens/{tokenId}', { params: { path: { id, tokenId } } }),
})

/** The lifetimes of a token that the form offers, in days. */
const lifetimes = [7, 30, 90, 365]

/** The tokens of the person, or of a bot of theirs. */
export function AccessTokens({ bot }: { bot?: Schema<'Bot'> }): VNode {
  const t = programTexts.value
  const tokens = bot ? ofBot(bot.personId) : own
  const listed = useLoad(() => tokens.list(), [])
  const scopes = useLoad(readScopes, [])
  const isOpen = useSignal(false)
  const made = useSignal<Schema<'CreatedAccessToken'> | undefined>(undefined)
  const make = async (values: Record<string, string>) => {
    const { name = '', days, scopes: chosen = '', endsWithPassword } = values
    const expiresAt = new Date(Date.now() + Number(days) * 86_400_000).toISOString()
    made.value = await tokens.make({
      name,
      scopes: chosen.split(','),
      expiresAt,
      endsWithPassword: endsWithPassword === 'true',
    })
    isOpen.value = false
    await listed.reload()
  }
  const end = async ({ id }: Token) => {
    const question = { title: t.tokens.endTitle, text: t.tokens.endText, action: t.end, isDangerous: true }
    if (!(await ask(question, () => tokens.end(id)))) return
    notify(t.tokens.ended)
    if (made.value?.id === id) made.value = undefined
    await listed.reload()
  }
  const items = listed.data.value?.items
  return html`<${ErrorNote} error=${listed.error.value ?? scopes.error.value} />
    ${
      made.value &&
      html`<${Secret}
        title=${t.tokens.made(made.value.name)}
        secret=${made.value.token}
        kept=${() => {
          made.value = undefined
        }}
      />`
    }
    ${!items && !listed.error.value && html`<p class="quiet">${sharedTexts.value.loading}</p>`}
    ${items?.length === 0 && !isOpen.value && html`<p class="quiet">${t.tokens.none}</p>`}
    ${items?.map(
      (one) => html`<div key=${one.id} class="row spread entry">
        <span class="grow">
          <span class="words strong">${one.name}</span>
          <small class="quiet">${usedText(one.lastUsedAt)} ${t.expires(timeText(one.expiresAt))}</small>
          <details class="more"><summary>${t.scopes}</summary><${Scopes} scopes=${one.scopes} known=${scopes.data.value} /></details>
        </span>
        <button class="secondary small" aria-label=${`${t.end}: ${one.name}`} onClick=${() => end(one)}>${t.end}</button>
      </div>`,
    )}
    ${
      isOpen.value && scopes.data.value
        ? html`<article>
            <${Form}
              fields=${[
                { name: 'name', label: t.name, max: 60, hint: t.tokens.nameHint, fill: 'off' },
                {
                  name: 'days',
                  label: t.tokens.expiry,
                  kind: 'choice',
                  options: lifetimes.map((days) => ({ value: String(days), label: t.tokens.days(days) })),
                  value: '30',
                },
                scopeField(scopes.data.value, t.scopes),
                ...(bot
                  ? []
                  : [{ name: 'endsWithPassword', label: t.tokens.endsWithPassword, kind: 'check', value: 'true' }]),
              ]}
              action=${t.tokens.make}
              words=${t.errors}
              submit=${make}
              beside=${html`<button
                type="button"
                class="secondary"
                onClick=${() => {
                  isOpen.value = false
                }}
              >
                ${sharedTexts.value.cancel}
              </button>`}
            />
          </article>`
        : html`<p class="row"><button
            class="secondary"
            aria-label=${bot && `${t.tokens.add}: ${nameOf(bot)}`}
            onClick=${() => {
              isOpen.value = true
            }}
          >
            ${t.tokens.add}
          </button></p>`
    }` as VNode
}
