// Makes the AsyncAPI 3.0 document of Realtime, and a page with the same content, from the channels of
// private.realtime_topics.
import manifest from '../../package.json' with { type: 'json' }
import { channels } from '../generated/channels.ts'
import { version } from './version.ts'

type Event = { name: string; fields: string[]; says: string }
type Channel = { address: string; audience: string; events: Event[] }

/** Reads a row such as: `conversation:{conversationId}`: `message` {id} of a new message; `reaction` {id} of … */
function channelOf([text, audience]: readonly [string, string]): Channel {
  const [, address = '', rest = ''] = /^`([^`]+)`: (.*)$/s.exec(text) ?? []
  const events = rest.split('; ').map((part): Event => {
    const [, name = '', fields = '', says = ''] = /^`([^`]+)` \{([^}]*)\} (.*)$/s.exec(part) ?? []
    return { name, fields: fields.split(', '), says }
  })
  return { address, audience, events }
}

const all = channels.map(channelOf)
const idOf = (text: string): string =>
  text.replace(/\{[^}]*\}/g, '').replace(/\W+(\w?)/g, (_, letter) => letter.toUpperCase())

const about = `The channels of Kith. supabase-js joins them with the access token of \`/api/v1\`. All are private, and only the
database sends. Payloads hold ids, with which a client reads the data. Events are not repeated after a reconnect, and one
can arrive twice.`

/** @returns the document as text */
export function asyncApiText(): string {
  const entries = all.map((channel) => [idOf(channel.address), channel] as const)
  return JSON.stringify({
    asyncapi: '3.0.0',
    info: {
      title: 'Kith Realtime',
      version,
      description: `${manifest.description}\n\n${about}`,
      license: { name: 'MIT' },
    },
    defaultContentType: 'application/json',
    channels: Object.fromEntries(
      entries.map(([id, { address, audience, events }]) => [
        id,
        {
          address,
          description: `Who may listen: ${audience}.`,
          parameters: Object.fromEntries(
            [...address.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, { description: 'A UUID.' }]),
          ),
          messages: Object.fromEntries(
            events.map(({ name, fields, says }) => [idOf(name), messageOf(name, fields, says)]),
          ),
        },
      ]),
    ),
    operations: Object.fromEntries(
      entries.map(([id, { events }]) => [
        `listenTo${id.charAt(0).toUpperCase()}${id.slice(1)}`,
        {
          action: 'receive',
          channel: { $ref: `#/channels/${id}` },
          messages: events.map(({ name }) => ({ $ref: `#/channels/${id}/messages/${idOf(name)}` })),
        },
      ]),
    ),
  })
}

const messageOf = (name: string, fields: string[], says: string) => ({
  name,
  summary: `{${fields.join(', ')}} ${says}`,
  payload: {
    type: 'object',
    properties: Object.fromEntries(
      fields.map((field) => [field, field === 'id' ? { type: 'string', format: 'uuid' } : { type: 'string' }]),
    ),
    required: fields,
  },
})

const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;')
const code = (text: string): string => `<code>${escaped(text)}</code>`

/** @returns the page, which has no scripts */
export function realtimePage(): string {
  const sections = all.map(
    ({ address, audience, events }) => `<section id="${idOf(address)}">
<h2>${code(address)}</h2>
<p>Who may listen: ${escaped(audience)}.</p>
<table>
<tr><th>event</th><th>payload</th><th>meaning</th></tr>
${events.map(({ name, fields, says }) => `<tr><td>${code(name)}</td><td>${code(`{${fields.join(', ')}}`)}</td><td>${escaped(says)}</td></tr>`).join('\n')}
</table>
</section>`,
  )
  return `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Kith Realtime</title>
  <style>
    body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
    table { border-collapse: collapse; width: 100%; }
    th, td { text-align: left; padding: 0.4rem 1rem 0.4rem 0; border-bottom: 1px solid #ddd; vertical-align: top; }
    code { background: #f2f2f2; padding: 0.1em 0.3em; border-radius: 3px; }
  </style>
</head>
<body>
<h1>Kith Realtime</h1>
<p>${escaped(about).replace(/`([^`]+)`/g, '<code>$1</code>')}</p>
<p>As a document: <a href="/asyncapi.json">asyncapi.json</a>. The HTTP API: <a href="/docs">/docs</a>.</p>
${sections.join('\n')}
</body>
</html>
`
}
