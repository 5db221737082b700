import type { Schema } from 'kith/client'
import { ask } from '../../lib/dialog.ts'
import { notify } from '../../lib/errors.ts'
import { html, type Signal, useSignal } from '../../lib/html.ts'
import { Table } from '../../lib/table.ts'
import { dotted } from '../../lib/texts.ts'
import { isAdmin, kith, saveCsv } from '../session.ts'
import { texts } from '../texts.ts'

type Flag = Schema<'FeatureFlag'>

function toggle({ key, enabled }: Flag, version: Signal<number>): void {
  const t = texts.value.flags
  const action = enabled ? t.switchOff : t.switchOn
  ask({ title: `${action}: ${key}`, text: t.text(key, !enabled), action, isDangerous: enabled }, async () => {
    await kith.patch('/admin/feature-flags/{key}', { params: { path: { key } }, body: { enabled: !enabled } })
    version.value += 1
    notify(t.switched(key, !enabled))
  })
}

export function Flags() {
  const t = texts.value.flags
  const version = useSignal(0)
  const columns = [
    { label: t.key, cell: (one: Flag) => html`<code>${one.key}</code>` },
    { label: t.description, cell: (one: Flag) => t.descriptions[one.key] ?? one.description },
    { label: t.state, cell: (one: Flag) => html`<span class="tag">${one.enabled ? t.on : t.off}</span>` },
  ]
  const action = {
    label: t.action,
    cell: (one: Flag) =>
      html`<button class="secondary small" onClick=${() => toggle(one, version)}>
        ${dotted(one.enabled ? t.switchOff : t.switchOn)}<span class="hidden-label"> ${one.key}</span>
      </button>`,
  }
  return html`<${Table}
    caption=${t.title}
    keyOf=${(one: Flag) => one.key}
    version=${version}
    load=${(query: object) => kith.get('/admin/feature-flags', { params: { query } })}
    csv=${(query: Record<string, string>) => saveCsv('/admin/feature-flags', query)}
    columns=${isAdmin.value ? [...columns, action] : columns}
  />`
}
