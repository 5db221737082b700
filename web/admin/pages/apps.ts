// The third-party apps that people registered.
import type { Schema } from 'kith/client'
import { html, useSignal } from '../../lib/html.ts'
import { scopeTexts } from '../../lib/scope-texts.ts'
import { Table } from '../../lib/table.ts'
import { timeCell } from '../cells.ts'
import { Deeds, personLink, stepWith } from '../parts.ts'
import { isAdmin, kith, saveCsv } from '../session.ts'
import { texts } from '../texts.ts'

type App = Schema<'StaffApp'>

/** The areas of scopes in words. */
const areasOf = (scopes: string[]): string => {
  const names = [...new Set(scopes.map((scope) => scope.split(':')[0] ?? ''))]
  return names.map((name) => scopeTexts.value.areas[name] ?? name).join(', ')
}

export function Apps() {
  const { apps: t, common } = texts.value
  const version = useSignal(0)
  const removal = ({ id, name }: App) =>
    stepWith(version, { label: t.remove, what: name, text: t.removeText, isDangerous: true, hasReason: false }, () =>
      kith.delete('/admin/apps/{id}', { params: { path: { id } } }),
    )
  return html`<p class="quiet">${t.about}</p>
    <${Table}
      caption=${t.title}
      version=${version}
      keyOf=${(one: App) => one.id}
      filters=${[
        { name: 'q', label: common.search },
        { name: 'ownerId', label: t.ownerId },
        { name: 'from', label: common.from, kind: 'date' },
        { name: 'to', label: common.to, kind: 'date' },
      ]}
      load=${(query: object) => kith.get('/admin/apps', { params: { query } })}
      csv=${(query: Record<string, string>) => saveCsv('/admin/apps', query)}
      columns=${[
        {
          label: t.name,
          cell: (one: App) => html`<span class="words">${one.name}</span>
            ${one.website && html`<div class="quiet words">${one.website}</div>`}`,
        },
        { label: t.owner, cell: (one: App) => personLink(one.ownerId, one.owner) },
        {
          label: t.redirects,
          cell: (one: App) => one.redirectUris.map((uri) => html`<div key=${uri} class="words">${uri}</div>`),
        },
        { label: t.scopes, cell: (one: App) => areasOf(one.scopes) },
        { label: t.kind, cell: (one: App) => (one.isConfidential ? t.confidential : t.public) },
        { label: common.created, cell: (one: App) => timeCell(one.createdAt) },
        ...(isAdmin.value
          ? [{ label: common.deeds, cell: (one: App) => html`<${Deeds} small deeds=${[removal(one)]} />` }]
          : []),
      ]}
    />`
}
