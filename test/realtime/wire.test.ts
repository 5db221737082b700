// Both versions of the wire format, byte for byte. Sources: Phoenix.Socket.V1.JSONSerializer; supabase/realtime,
// RealtimeWeb.Socket.V2Serializer; realtime-js, Serializer.
import { get } from 'node:http'
import { describe, expect, test } from 'vitest'
import WebSocket from 'ws'
import { wires } from '../../supabase/embedded/realtime/wire.ts'
import { realtimeWorld } from '../support/realtime.ts'
import { until } from '../support/until.ts'

const w = await realtimeWorld({ people: ['alice', 'bob'] })
const topic = 'realtime:feed:public'

/** A binary frame: numbers are bytes, texts are UTF-8. */
const bytes = (...parts: (number | string)[]) =>
  Buffer.concat(parts.map((part) => Buffer.from(typeof part === 'number' ? [part] : part)))

/** The payload and the id of the row from which a broadcast is made, as the database wrote them. */
async function rowOf(payload: object) {
  const [row] = await w.database.owner<{ id: string; payload: string }[]>`
    select id, payload::text from realtime.messages where payload @> ${JSON.stringify(payload)}::text::jsonb`
  return row ?? { id: '', payload: '' }
}

test('A request that offers to upgrade to another protocol is answered like any other', async () => {
  const headers = {
    connection: 'Upgrade, HTTP2-Settings',
    upgrade: 'h2c',
    'http2-settings': 'AAMAAABkAAQAoAAAAAIAAAAA',
  }
  const status = await new Promise((settle, fail) => {
    get(`${w.url}/health`, { headers }, ({ statusCode }) => settle(statusCode)).on('error', fail)
  })
  expect(status).toBe(200)
})

describe('Protocol version 1.0.0', () => {
  test('encodes messages as objects', async () => {
    const socket = await w.socket('1.0.0')
    socket.send('{"topic":"phoenix","event":"heartbeat","payload":{},"ref":"7"}')
    expect(await socket.frame(0)).toBe(
      '{"topic":"phoenix","event":"phx_reply","payload":{"status":"ok","response":{}},"ref":"7"}',
    )
    expect(await socket.join('feed:public', w.alice.token)).toBe(
      `{"topic":"${topic}","event":"phx_reply","payload":{"status":"ok","response":{"postgres_changes":[]}},"ref":"1"}`,
    )
    await w.broadcast('feed:public', { id: 'ü', n: 1 })
    const row = await rowOf({ id: 'ü' })
    expect(await socket.frame(2)).toBe(
      `{"topic":"${topic}","event":"broadcast","payload":{"event":"test","meta":{"id":"${row.id}"},` +
        `"payload":${row.payload},"type":"broadcast"},"ref":null}`,
    )
    socket.send({ topic, event: 'phx_leave', payload: {}, ref: '9', join_ref: '1' })
    expect(await socket.frame(3)).toBe(
      `{"topic":"${topic}","event":"phx_reply","payload":{"status":"ok","response":{}},"ref":"9"}`,
    )
    expect(await socket.frame(4)).toBe(`{"topic":"${topic}","event":"phx_close","payload":{},"ref":"1"}`)
  })

  test('is used for a client that names no version', async () => {
    const ws = new WebSocket(`${w.url.replace('http', 'ws')}/realtime/v1/websocket?apikey=${w.anonKey}`)
    const answer = new Promise((settle) => ws.on('message', (data) => settle(String(data))))
    ws.on('open', () => ws.send('{"topic":"phoenix","event":"heartbeat","payload":{},"ref":"1"}'))
    expect(await answer).toBe(
      '{"topic":"phoenix","event":"phx_reply","payload":{"status":"ok","response":{}},"ref":"1"}',
    )
    ws.terminate()
  })
})

describe('Protocol version 2.0.0', () => {
  test('encodes messages as arrays, and broadcasts in binary', async () => {
    const socket = await w.socket('2.0.0')
    socket.send('[null,"7","phoenix","heartbeat",{}]')
    expect(await socket.frame(0)).toBe('[null,"7","phoenix","phx_reply",{"status":"ok","response":{}}]')
    expect(await socket.join('feed:public', w.alice.token)).toBe(
      `["1","1","${topic}","phx_reply",{"status":"ok","response":{"postgres_changes":[]}}]`,
    )
    await w.broadcast('feed:public', { id: 'ß', n: 2 })
    const row = await rowOf({ id: 'ß' })
    const meta = `{"id":"${row.id}"}`
    expect(await socket.frame(2)).toEqual(
      bytes(4, topic.length, 'test'.length, meta.length, 1, topic, 'test', meta, row.payload),
    )
    socket.send(`["1","9","${topic}","phx_leave",{}]`)
    expect(await socket.frame(3)).toBe(`["1","9","${topic}","phx_reply",{"status":"ok","response":{}}]`)
    expect(await socket.frame(4)).toBe(`["1","1","${topic}","phx_close",{}]`)
  })

  test('does not send a broadcast whose names are too long for their length field', () => {
    const body = Buffer.from('{}')
    const encode = (event: string) => wires['2.0.0']?.encodeBroadcast(topic, { event, encoding: 'json', body })
    expect(encode('é'.repeat(127))?.[0]).toBe(0x82) // binary, and whole
    expect(encode('é'.repeat(128))).toBeNull()
  })
})

test('Joining again ends the first join, and a leave of the first does not end the second', async () => {
  const socket = await w.socket('2.0.0')
  await socket.join('feed:public', w.alice.token)
  const payload = { config: { private: true }, access_token: w.alice.token }
  socket.send({ topic, event: 'phx_join', payload, ref: '2', join_ref: '2' })
  expect(await socket.frame(1)).toBe(`["1","1","${topic}","phx_close",{}]`)
  expect(await socket.frame(2)).toContain('["2","2"')
  socket.send({ topic, event: 'phx_leave', payload: {}, ref: '3', join_ref: '1' })
  await w.broadcast('feed:public', { id: 'once' })
  expect(Buffer.isBuffer(await socket.frame(3))).toBe(true)
  expect(socket.frames).toHaveLength(4)
})

test('A message on a topic that was not joined is answered with an error, but leaving it is not', async () => {
  const socket = await w.socket('2.0.0')
  socket.send(`["1","1","${topic}","broadcast",{"type":"broadcast","event":"e","payload":{}}]`)
  expect(await socket.frame(0)).toBe(
    `["1","1","${topic}","phx_reply",{"status":"error","response":{"reason":"unmatched topic"}}]`,
  )
  socket.send('["1","2","elsewhere","phx_join",{}]')
  expect(await socket.frame(1)).toContain('unmatched topic')
  socket.send(`["1","3","${topic}","phx_leave",{}]`)
  expect(await socket.frame(2)).toBe(`["1","3","${topic}","phx_reply",{"status":"ok","response":{}}]`)
})

test('Presence is not offered, and tracking is rejected', async () => {
  const socket = await w.socket('2.0.0')
  await socket.join('feed:public', w.alice.token, { private: true, presence: { enabled: true } })
  socket.send(`["1","2","${topic}","presence",{"type":"presence","event":"track","payload":{}}]`)
  expect(await socket.frame(1)).toBe(`["1","2","${topic}","phx_reply",{"status":"error","response":{}}]`)
  socket.send(`["1","3","${topic}","presence",{"type":"presence","event":"untrack"}]`)
  expect(await socket.frame(2)).toBe(`["1","3","${topic}","phx_reply",{"status":"ok","response":{}}]`)
})

test.each([
  ['1.0.0', 'not JSON'],
  ['1.0.0', '[]'],
  ['1.0.0', Buffer.from('{"topic":"phoenix","event":"heartbeat","payload":{},"ref":"1"}')],
  ['2.0.0', '["1","1"]'],
  ['2.0.0', bytes(3, 9, 9, 9)],
  ['2.0.0', bytes(3, 0, 0, 200, 0, 0, 1, 'short')],
  ['2.0.0', bytes(3, 0, 0, 1, 1, 0, 1, 'te', 'not JSON')],
  ['2.0.0', bytes(0, 0, 0, 0, 0)],
] as const)('With protocol version %s a malformed message closes its socket only (%#)', async (version, message) => {
  const bystander = await w.socket(version)
  const socket = await w.socket(version)
  socket.send(message)
  await until(() => socket.closed)
  expect(socket.closed).toBe(1002)
  expect(bystander.closed).toBeUndefined()
})

describe('With a policy that lets clients send and be present', async () => {
  const open = await realtimeWorld({ people: ['alice', 'bob'] })
  await open.database.superuser`
    create policy insert_all on realtime.messages for insert to authenticated with check (true)`
  await open.database.superuser`
    create policy select_presence on realtime.messages for select to authenticated using (extension = 'presence')`

  test('binary and JSON messages reach the others in their version, and are acknowledged on request', async () => {
    const config = { private: true, broadcast: { ack: true, self: false }, presence: { enabled: true } }
    const speaker = await open.socket('2.0.0')
    const newer = await open.socket('2.0.0')
    const older = await open.socket('1.0.0')
    for (const socket of [speaker, newer, older]) await socket.join('feed:public', open.alice.token, config)
    expect(await speaker.frame(1)).toBe(`["1",null,"${topic}","presence_state",{}]`)
    await until(() => newer.frames[1] && older.frames[1])

    speaker.send(bytes(3, 1, 1, topic.length, 2, 0, 1, '1', '5', topic, 'hi', '{"a":1}'))
    expect(await speaker.frame(2)).toBe(`["1","5","${topic}","phx_reply",{"status":"ok","response":{}}]`)
    expect(await newer.frame(2)).toEqual(bytes(4, topic.length, 2, 0, 1, topic, 'hi', '{"a":1}'))
    expect(await older.frame(2)).toBe(
      `{"topic":"${topic}","event":"broadcast","payload":{"event":"hi","payload":{"a":1},"type":"broadcast"},"ref":null}`,
    )

    speaker.send(bytes(3, 1, 1, topic.length, 3, 0, 0, '1', '6', topic, 'raw', 255, 0))
    expect(await newer.frame(3)).toEqual(bytes(4, topic.length, 3, 0, 0, topic, 'raw', 255, 0))
    older.send({ topic, event: 'broadcast', payload: { event: 'old', payload: { b: 2 } }, ref: '7', join_ref: '1' })
    expect(await newer.frame(4)).toEqual(bytes(4, topic.length, 3, 0, 1, topic, 'old', '{"b":2}'))
    expect(older.frames[3]).toContain('phx_reply') // raw bytes cannot be sent in the version of this socket
    expect(speaker.frames).toHaveLength(5)
  })
})

test('A message arrives completely, however long it is', async () => {
  const socket = await w.socket('2.0.0')
  const answer = (ref: string) => `[null,"${ref}","phoenix","phx_reply",{"status":"ok","response":{}}]`
  const lengths = [125, 126, 65_535, 65_536] // where the frame header changes
  for (const [at, length] of lengths.entries()) {
    const ref = '7'.repeat(length - answer('').length)
    socket.send(`[null,"${ref}","phoenix","heartbeat",{}]`)
    expect(await socket.frame(at)).toBe(answer(ref))
  }
})
