// The list of conversations, and the page of one conversation, on which new messages appear while it is open.
import type { Schema } from 'kith/client'
import { ask } from '../../lib/dialog.ts'
import { attempt, ErrorNote, messageOf, notify } from '../../lib/errors.ts'
import { html, type Signal, signal, useEffect, useRef, useSignal, type VNode } from '../../lib/html.ts'
import { reachable, showable } from '../../lib/instance.ts'
import { useLoad } from '../../lib/load.ts'
import { go, type PageProps } from '../../lib/router.ts'
import { sharedTexts } from '../../lib/shared-texts.ts'
import { dotted, sinceText, timeText } from '../../lib/texts.ts'
import { FindPerson } from '../find-person.ts'
import { List, usePages } from '../list.ts'
import { onConversation, onUser } from '../live.ts'
import { type Card, Face, isMe, nameOf, PersonLink, PersonRow } from '../people.ts'
import { kith } from '../session.ts'
import { spaced } from '../spaced.ts'
import { texts } from '../texts.ts'
import { countConversations } from '../unread.ts'
import { Words } from '../words.ts'

type Conversation = Schema<'Conversation'>
type Message = Schema<'Message'>

const othersOf = ({ members }: Conversation): Card[] =>
  members.map(({ person }) => person).filter((person) => !isMe(person))

/** The name of a conversation: its title, or the name of the other person. */
function titleOf(conversation: Conversation): string {
  const others = othersOf(conversation)
  return conversation.title ?? (others.length > 0 ? others.map(nameOf).join(', ') : texts.value.messages.nobody)
}

const read = (cursor?: string) => kith.get('/conversations', { params: { query: { ...(cursor && { cursor }) } } })

export function Conversations(): VNode {
  const t = texts.value.messages
  const pages = usePages<Conversation>(read, [])
  useEffect(() => {
    const latest = spaced(() =>
      read().then(
        ({ items }) => pages.prepend(items),
        () => undefined,
      ),
    )
    return onUser(({ event }) => {
      if (event === 'conversation' || event === 'read') latest()
    })
  }, [])
  const write = async (card: Card) => {
    const { id } = await kith.post('/conversations', { body: { kind: 'direct', memberIds: [card.personId] } })
    go(`/app/messages/${id}`)
  }
  return html`<details class="new">
      <summary role="button" class="secondary">${t.write}</summary>
      <p class="quiet">${t.writeText}</p>
      <${FindPerson} label=${t.to} action=${t.open} pick=${write} />
      <p><button class="link" onClick=${() => createGroup()}>${dotted(t.group)}</button></p>
    </details>
    <${List}
      pages=${pages}
      empty=${t.empty}
      item=${(one: Conversation) => html`<${Row} key=${one.id} conversation=${one} />`}
    />` as VNode
}

async function createGroup(): Promise<void> {
  const t = texts.value.messages
  let made: Conversation | undefined
  const question = {
    title: t.group,
    text: t.groupText,
    fields: [{ name: 'title', label: t.title1, max: 80 }],
    action: t.group,
  }
  await ask(question, async ({ title = '' }) => {
    made = await kith.post('/conversations', { body: { kind: 'group', memberIds: [], title } })
  })
  if (made) go(`/app/messages/${made.id}`)
}

/** A message in a line. */
function lineOf(message: Message): string {
  const t = texts.value.messages
  if (message.deletedAt) return t.deleted
  if (message.kind === 'system') return systemText(message)
  const who = message.sender && isMe(message.sender) ? `${t.you}: ` : ''
  return `${who}${message.body || (message.attachment ? t.picture : '')}`
}

function systemText({ sender, body }: Message): string {
  const t = texts.value.messages
  const [what = '', ...rest] = (body ?? '').split(' ')
  const name = sender ? nameOf(sender) : t.nobody
  return t.system[what as keyof typeof t.system]?.(name, rest.join(' ')) ?? ''
}

function Row({ conversation }: { conversation: Conversation }): VNode {
  const t = texts.value.messages
  const { id, unreadCount, lastMessage, mutedUntil } = conversation
  const [other] = othersOf(conversation)
  return html`<article class="person-row entry">
    ${other ? html`<${Face} card=${other} />` : html`<span class="face" aria-hidden="true">?</span>`}
    <div class="grow">
      <div class="row spread">
        <a class="words strong" href=${`/app/messages/${id}`}>${titleOf(conversation)}</a>
        ${lastMessage && html`<small class="quiet"><time datetime=${lastMessage.createdAt} title=${timeText(lastMessage.createdAt)}>${sinceText(lastMessage.createdAt)}</time></small>`}
      </div>
      <div class="row spread">
        <span class="line quiet">${lastMessage ? lineOf(lastMessage) : t.noMessages}</span>
        ${mutedUntil && html`<span class="tag">${t.muted}</span>`}
        ${unreadCount > 0 && html`<span class="badge">${unreadCount}<span class="hidden-label"> ${t.unread}</span></span>`}
      </div>
    </div>
  </article>` as VNode
}

/** A message that is being sent, or could not be sent. Its text is kept until it is sent. */
type Sending = {
  clientId: string
  body: string
  file?: File | undefined
  alt: string
  assetId?: string
  error?: unknown
}
/** The unsent messages of each conversation. They survive a change of page. */
const outboxes = new Map<string, Signal<Sending[]>>()
const outboxOf = (id: string): Signal<Sending[]> => {
  const box = outboxes.get(id) ?? signal<Sending[]>([])
  outboxes.set(id, box)
  return box
}
/** What was typed and not sent, by conversation. It is only in memory. */
const drafts = new Map<string, string>()

export function ConversationPage({ params: { id = '' } }: PageProps): VNode {
  const t = texts.value.messages
  const params = { path: { id } }
  const conversation = useLoad(() => kith.get('/conversations/{id}', { params }), [id])
  const messages = useSignal<Message[]>([])
  const earlier = useSignal<string | null>(null)
  const error = useSignal<unknown>(undefined)
  const isLoading = useSignal(true)
  const end = useRef<HTMLDivElement>(null)
  const outbox = outboxOf(id)

  /** Shows messages, each once, in the order of their times. */
  const merge = (found: Message[]) => {
    const byId = new Map([...messages.peek(), ...found].map((one) => [one.id, one]))
    messages.value = [...byId.values()].sort((one, other) => one.createdAt.localeCompare(other.createdAt))
  }
  const page = async (cursor?: string) => {
    const { items, nextCursor } = await kith.get('/conversations/{id}/messages', {
      params: { ...params, query: { ...(cursor && { cursor }) } },
    })
    merge(items)
    earlier.value = nextCursor
  }
  const down = () => requestAnimationFrame(() => end.current?.scrollIntoView({ block: 'end' }))
  const markRead = spaced(async () => {
    const last = messages.peek().at(-1)
    if (!last || document.hidden) return
    await kith
      .post('/conversations/{id}/read', { params, body: { messageId: last.id } })
      .then(countConversations, () => undefined)
  })

  useEffect(() => {
    let isShown = true
    const first = page().then(
      () => {
        if (!isShown) return
        isLoading.value = false
        down()
        markRead()
      },
      (failure) => {
        error.value = failure
        isLoading.value = false
      },
    )
    const wanted = new Set<string>()
    const latest = spaced(async () => {
      await first
      const ids = [...wanted]
      wanted.clear()
      const isAtEnd = innerHeight + scrollY > document.documentElement.scrollHeight - 200
      try {
        const { items } = await kith.get('/conversations/{id}/messages', { params })
        const older = ids.filter((one) => !items.some(({ id: read }) => read === one))
        const others = await Promise.all(
          older.map((one) => kith.get('/messages/{id}', { params: { path: { id: one } } })),
        )
        if (!isShown) return
        merge([...items, ...others])
        if (isAtEnd) down()
        markRead()
      } catch {
        // the next event reads the missing messages
      }
    })
    const stop = onConversation(id, ({ payload }) => {
      wanted.add(payload.id)
      latest()
    })
    document.addEventListener('visibilitychange', markRead)
    return () => {
      isShown = false
      stop()
      document.removeEventListener('visibilitychange', markRead)
    }
  }, [id])

  const send = async (one: Sending) => {
    const without = () => outbox.value.filter(({ clientId }) => clientId !== one.clientId)
    outbox.value = [...without(), { ...one, error: undefined }]
    down()
    try {
      const assetId =
        one.assetId ?? (one.file && (await kith.upload(one.file, 'image', undefined, { alt: one.alt })).assetId)
      one.assetId = assetId as string
      const body = { body: one.body, clientId: one.clientId, ...(assetId && { assetId }) }
      merge([await kith.post('/conversations/{id}/messages', { params, body })])
      outbox.value = without()
      down()
    } catch (failure) {
      outbox.value = [...without(), { ...one, error: failure }]
    }
  }
  const found = conversation.data.value
  const title = found ? titleOf(found) : t.one
  if (conversation.error.value)
    return html`<h1>${t.one}</h1><${ErrorNote} error=${conversation.error.value} />` as VNode
  return html`<div class="row spread">
      <h1 class="words">${title}</h1>
      ${found && html`<${About} conversation=${found} set=${conversation.set} />`}
    </div>
    <${ErrorNote} error=${error.value} />
    ${isLoading.value && html`<p class="quiet">${sharedTexts.value.loading}</p>`}
    ${earlier.value && html`<p class="middle"><button class="secondary small" onClick=${() => attempt(() => page(earlier.value ?? undefined))}>${t.earlier}</button></p>`}
    ${!isLoading.value && !error.value && messages.value.length === 0 && outbox.value.length === 0 && html`<p class="empty">${t.noMessages}</p>`}
    <ol class="chat" aria-label=${t.list} aria-live="polite">
      ${messages.value.map((one, at) => html`<${Bubble} key=${one.id} message=${one} before=${messages.value[at - 1]} isGroup=${found?.kind === 'group'} merge=${merge} />`)}
      ${outbox.value.map(
        (one) => html`<li key=${one.clientId} class="mine">
          <div class="bubble">
            ${one.body && html`<${Words} text=${one.body} />`}
            ${one.file && html`<p class="quiet">${one.file.name}</p>`}
          </div>
          ${
            one.error
              ? html`<div role="alert" class="error">
                  <p>${t.unsent} ${messageOf(one.error)}</p>
                  <div class="buttons">
                    <button class="small" onClick=${() => send(one)}>${t.again}</button>
                    <button
                      class="secondary small"
                      onClick=${() => {
                        outbox.value = outbox.value.filter(({ clientId }) => clientId !== one.clientId)
                      }}
                    >
                      ${t.discard}
                    </button>
                  </div>
                </div>`
              : html`<small class="quiet">${t.sending}</small>`
          }
        </li>`,
      )}
    </ol>
    <${Compose} id=${id} send=${send} />
    <div ref=${end}></div>` as VNode
}

function Compose({ id, send }: { id: string; send: (one: Sending) => Promise<void> }): VNode {
  const t = texts.value.messages
  const file = useSignal<File | undefined>(undefined)
  const form = useRef<HTMLFormElement>(null)
  const submit = (event: Event) => {
    event.preventDefault()
    const data = new FormData(form.current as HTMLFormElement)
    const body = String(data.get('body') ?? '').trim()
    if (body === '' && !file.value) return
    void send({ clientId: crypto.randomUUID(), body, file: file.value, alt: String(data.get('alt') ?? '').trim() })
    drafts.delete(id)
    form.current?.reset()
    const area = form.current?.elements.namedItem('body') as HTMLTextAreaElement
    area.value = ''
    area.focus()
    file.value = undefined
  }
  const press = (event: KeyboardEvent) => {
    // on a touch screen Enter begins a new line
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing && matchMedia('(pointer: fine)').matches)
      submit(event)
  }
  return html`<form class="compose" ref=${form} onSubmit=${submit}>
    ${
      file.value &&
      html`<label>${t.alt} <input name="alt" maxlength="1000" placeholder=${t.altHint} /></label>
        <p class="row quiet"><span class="words">${file.value.name}</span>
          <button
            type="button"
            class="link"
            onClick=${() => {
              file.value = undefined
            }}
          >${t.without}</button>
        </p>`
    }
    <div class="row nowrap">
      <label class="grow">
        <span class="hidden-label">${t.message}</span>
        <textarea
          name="body"
          rows="2"
          maxlength="4000"
          placeholder=${t.message}
          defaultValue=${drafts.get(id) ?? ''}
          onInput=${(event: Event) => drafts.set(id, (event.target as HTMLTextAreaElement).value)}
          onKeyDown=${press}
        ></textarea>
      </label>
      <label class="attach" title=${t.attach}>
        <span role="img" aria-hidden="true">+</span><span class="hidden-label">${t.attach}</span>
        <input
          type="file"
          class="hidden-label"
          accept="image/jpeg,image/png,image/webp,image/gif,image/avif"
          onChange=${(event: Event) => {
            file.value = (event.target as HTMLInputElement).files?.[0]
          }}
        />
      </label>
      <button>${t.send}</button>
    </div>
  </form>` as VNode
}

type BubbleOptions = {
  message: Message
  before: Message | undefined
  isGroup: boolean
  merge: (found: Message[]) => void
}

const dayOf = (message: Message): string => new Date(message.createdAt).toDateString()

function Bubble({ message, before, isGroup, merge }: BubbleOptions): VNode {
  const t = texts.value.messages
  const { sender, body, attachment, deletedAt, editedAt, replyTo } = message
  const isMine = Boolean(sender && isMe(sender))
  const picture = attachment?.contentType.startsWith('image/') ? showable(attachment.url) : undefined
  const isNewDay = !before || dayOf(before) !== dayOf(message)
  const day =
    isNewDay &&
    html`<li class="day quiet">${new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: 'medium' }).format(new Date(message.createdAt))}</li>`
  if (message.kind === 'system') return html`${day}<li class="day quiet words">${systemText(message)}</li>` as VNode
  const remove = async () => {
    const question = { title: t.deleteTitle, text: t.deleteText, action: t.delete, isDangerous: true }
    const params = { path: { id: message.id } }
    if (await ask(question, () => kith.delete('/messages/{id}', { params })))
      merge([{ ...message, body: null, attachment: null, deletedAt: new Date().toISOString() }])
  }
  const time = new Intl.DateTimeFormat(document.documentElement.lang, { timeStyle: 'short' }).format(
    new Date(message.createdAt),
  )
  const isNamed = isGroup && !isMine && before?.sender?.personId !== sender?.personId
  return html`${day}<li class=${isMine ? 'mine' : ''}>
    ${isNamed && html`<small>${sender ? html`<${PersonLink} card=${sender} />` : t.nobody}</small>`}
    <div class="bubble">
      ${replyTo && html`<blockquote class="words quiet">${replyTo.excerpt ?? t.deleted}</blockquote>`}
      ${deletedAt ? html`<em class="quiet">${t.deleted}</em>` : body && html`<${Words} text=${body} />`}
      ${
        attachment &&
        (picture
          ? html`<img class="picture" src=${picture} alt=${attachment.alt ?? ''} loading="lazy" />`
          : html`<a href=${reachable(attachment.url)} target="_blank" rel="noopener noreferrer">${attachment.alt || t.file}</a>`)
      }
    </div>
    <small class="quiet row">
      <time datetime=${message.createdAt} title=${timeText(message.createdAt)}>${time}</time>
      ${editedAt && !deletedAt && html`<span>${t.edited}</span>`}
      ${message.reactions.map(({ emoji, count }) => html`<span key=${emoji}>${emoji} ${count > 1 ? count : ''}</span>`)}
      ${isMine && !deletedAt && html`<button class="link" aria-label=${`${t.delete}: ${body ?? ''}`} onClick=${remove}>${t.delete}</button>`}
    </small>
  </li>` as VNode
}

/** The members of a conversation, and what can be done with it. */
function About({ conversation, set }: { conversation: Conversation; set: (now: Conversation) => void }): VNode {
  const t = texts.value.messages
  const { id, kind, mutedUntil, members } = conversation
  const params = { path: { id } }
  const isOwner = members.some(({ person, role }) => role === 'owner' && isMe(person))
  const mute = () =>
    attempt(
      async () => {
        if (mutedUntil) {
          await kith.delete('/conversations/{id}/mute', { params })
          set({ ...conversation, mutedUntil: null })
        } else set(await kith.put('/conversations/{id}/mute', { params, body: {} }))
        countConversations()
      },
      mutedUntil ? t.unmuted : t.mutedNow,
    )
  const rename = () =>
    ask(
      {
        title: t.rename,
        fields: [{ name: 'title', label: t.title1, value: conversation.title ?? '', max: 80 }],
        action: t.rename,
      },
      async ({ title = '' }) => set(await kith.patch('/conversations/{id}', { params, body: { title } })),
    )
  const leave = async () => {
    const question = { title: t.leave, text: t.leaveText, action: t.leave, isDangerous: true }
    if (await ask(question, () => kith.post('/conversations/{id}/leave', { params })))
      go('/app/messages', { replace: true })
  }
  const add = async (card: Card) => {
    set(await kith.post('/conversations/{id}/members', { params, body: { userIds: [card.personId] } }))
    notify(t.added(nameOf(card)))
  }
  const take = async (card: Card) => {
    const question = { title: t.removeTitle(nameOf(card)), text: t.removeText, action: t.remove, isDangerous: true }
    const path = { id, userId: card.personId }
    if (await ask(question, () => kith.delete('/conversations/{id}/members/{userId}', { params: { path } })))
      set({ ...conversation, members: members.filter(({ person }) => person.personId !== card.personId) })
  }
  return html`<details class="about">
    <summary>${kind === 'group' ? t.about(members.length) : t.options}</summary>
    ${
      kind === 'group' &&
      html`${members.map(
        ({ person, role }) => html`<div key=${person.personId} class="row spread">
          <${PersonRow} card=${person} about=${role === 'owner' && html`<span class="tag">${t.owner}</span>`} />
          ${isOwner && !isMe(person) && html`<button class="secondary small" aria-label=${t.removeTitle(nameOf(person))} onClick=${() => take(person)}>${t.remove}</button>`}
        </div>`,
      )}
      ${isOwner && html`<${FindPerson} label=${t.add} action=${t.addAction} pick=${add} without=${members.map(({ person }) => person)} />`}`
    }
    <div class="buttons">
      ${kind === 'direct' && othersOf(conversation).map((card) => html`<${PersonRow} key=${card.personId} card=${card} />`)}
      <button class="secondary small" onClick=${mute}>${mutedUntil ? t.unmute : t.mute}</button>
      ${kind === 'group' && isOwner && html`<button class="secondary small" onClick=${rename}>${t.rename}</button>`}
      ${kind === 'group' && html`<button class="danger small" onClick=${leave}>${t.leave}</button>`}
    </div>
  </details>` as VNode
}
