// The lists of intents, AI sessions and conversations, of which staff sees only a part.
import type { Schema } from 'kith/client'
import { html } from '../../lib/html.ts'
import { Table } from '../../lib/table.ts'
import { numberText, optionsOf } from '../../lib/texts.ts'
import { idCell, personCell, timeCell, wordsCell } from '../cells.ts'
import { kith, saveCsv } from '../session.ts'
import { texts } from '../texts.ts'

type Intent = Schema<'StaffIntent'>
type Session = Schema<'StaffAssistantSession'>
type Conversation = Schema<'StaffConversation'>

export function Intents() {
  const t = texts.value.intents
  return html`<${Table}
    caption=${t.title}
    keyOf=${(one: Intent) => one.id}
    filters=${[
      { name: 'intent', label: t.intent, options: optionsOf(t.kinds) },
      { name: 'active', label: t.state, options: optionsOf({ true: t.active, false: t.inactive }) },
      { name: 'q', label: t.search },
    ]}
    load=${(query: object) => kith.get('/admin/intents', { params: { query } })}
    csv=${(query: Record<string, string>) => saveCsv('/admin/intents', query)}
    columns=${[
      { label: t.person, cell: (one: Intent) => personCell(one.user, one.id) },
      { label: t.intent, cell: (one: Intent) => t.kinds[one.intent] },
      { label: t.note, cell: (one: Intent) => wordsCell(one.note) },
      { label: t.state, cell: (one: Intent) => html`<span class="tag">${one.isActive ? t.active : t.inactive}</span>` },
      { label: t.updated, cell: (one: Intent) => timeCell(one.updatedAt) },
    ]}
  />`
}

export function AssistantSessions() {
  const t = texts.value.assistant
  return html`<p class="quiet">${t.about}</p>
    <${Table}
      caption=${t.title}
      keyOf=${(one: Session) => one.id}
      filters=${[
        { name: 'status', label: t.status, options: optionsOf(t.statuses) },
        { name: 'userId', label: t.personField },
        { name: 'from', label: t.from, kind: 'date' },
        { name: 'to', label: t.to, kind: 'date' },
      ]}
      load=${(query: object) => kith.get('/admin/assistant-sessions', { params: { query } })}
      csv=${(query: Record<string, string>) => saveCsv('/admin/assistant-sessions', query)}
      columns=${[
        { label: t.started, cell: (one: Session) => timeCell(one.createdAt) },
        { label: t.person, cell: (one: Session) => personCell(one.user, one.userId) },
        { label: t.status, cell: (one: Session) => html`<span class="tag">${t.statuses[one.status]}</span>` },
        { label: t.questions, isNumber: true, cell: (one: Session) => numberText(one.questionCount) },
        { label: t.answers, isNumber: true, cell: (one: Session) => numberText(one.answerCount) },
        { label: t.fallbacks, isNumber: true, cell: (one: Session) => numberText(one.fallbackCount) },
        { label: t.completed, cell: (one: Session) => timeCell(one.completedAt) },
      ]}
    />`
}

export function Conversations() {
  const t = texts.value.conversations
  return html`<p class="quiet">${t.about}</p>
    <${Table}
      caption=${t.title}
      keyOf=${(one: Conversation) => one.id}
      filters=${[
        { name: 'kind', label: t.kind, options: optionsOf(t.kinds) },
        { name: 'q', label: t.search },
        { name: 'from', label: t.from, kind: 'date' },
        { name: 'to', label: t.to, kind: 'date' },
      ]}
      load=${(query: object) => kith.get('/admin/conversations', { params: { query } })}
      csv=${(query: Record<string, string>) => saveCsv('/admin/conversations', query)}
      columns=${[
        { label: t.id, cell: (one: Conversation) => idCell(one.id) },
        { label: t.kind, cell: (one: Conversation) => t.kinds[one.kind] },
        { label: t.members, isNumber: true, cell: (one: Conversation) => numberText(one.memberCount) },
        { label: t.messages, isNumber: true, cell: (one: Conversation) => numberText(one.messageCount) },
        { label: t.lastMessage, cell: (one: Conversation) => timeCell(one.lastMessageAt) },
        { label: t.created, cell: (one: Conversation) => timeCell(one.createdAt) },
      ]}
    />`
}
