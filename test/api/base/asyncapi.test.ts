// The description of Realtime, as an AsyncAPI document and as a page. It matches the registry in the database.
import { Parser } from '@asyncapi/parser'
import { expect, test } from 'vitest'
import { world } from '../../support/world.ts'

const { nobody, database } = await world()

test('GET /asyncapi.json is valid AsyncAPI, and has every channel and event of the registry', async () => {
  const { text, status } = await nobody.get('//asyncapi.json')
  expect(status).toBe(200)
  const { document, diagnostics } = await new Parser().parse(text)
  expect(diagnostics.filter(({ severity }) => severity === 0)).toEqual([])
  const channels = document?.channels().all() ?? []
  const rows = await database.owner<{ events: string }[]>`select events from private.realtime_topics`
  expect(channels.map((channel) => channel.address()).sort()).toEqual(
    rows.map(({ events }) => /^`([^`]+)`/.exec(events)?.[1]).sort(),
  )
  for (const channel of channels) {
    const row = rows.find(({ events }) => events.startsWith(`\`${channel.address()}\``))
    const named = [...(row?.events.matchAll(/`([\w.]+)` \{/g) ?? [])].map(([, name]) => name)
    const messages = channel.messages().all()
    expect(messages.map((message) => message.name())).toEqual(named)
    for (const message of messages) expect(message.payload()?.required()).toContain('id')
  }
})

test('GET /docs/realtime shows the same description without scripts', async () => {
  const { text, headers } = await nobody.get('//docs/realtime')
  expect(headers.get('content-type')).toMatch(/^text\/html/)
  for (const part of ['conversation:{conversationId}', 'message.changed', '/asyncapi.json'])
    expect(text).toContain(part)
  expect(text).not.toContain('<script')
})
