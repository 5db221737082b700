// The two versions of Phoenix's protocol that supabase-js uses, selected by the parameter `vsn` of the URL. In 1.0.0,
// every message is a JSON object. In 2.0.0, a message is a JSON array, but broadcasts are binary frames. Such a frame
// has the kind in the first byte (3 from a client, 4 to a client), then the lengths of the strings, the strings, and
// the payload.
import { z } from 'zod'

/** A broadcast. `body` is JSON text or bytes; `id` is the id of the row, if any. */
export type Broadcast = { event: string; encoding: 'json' | 'binary'; body: Buffer; id?: string }

/** A message of a client. `topic` begins with `realtime:`; `joinRef` identifies its join. */
export type Incoming = {
  joinRef: string | null
  ref: string | null
  topic: string
  event: string
  payload: Record<string, unknown>
  /** Only with the event `broadcast`. */
  broadcast?: Broadcast
}

export type Outgoing = Omit<Incoming, 'broadcast'>

/** A whole WebSocket frame with its header, encoded once for all sockets. */
export type Frame = Buffer

export type Wire = {
  /** @throws Error for an invalid message */
  decode(data: Buffer, binary: boolean): Incoming
  encode(message: Outgoing): Frame
  /** Null if this version cannot encode it. */
  encodeBroadcast(topic: string, broadcast: Broadcast): Frame | null
}

const Reference = z.string().nullish().default(null)
const Payload = z.record(z.string(), z.unknown())
const MessageObject = z.object({
  topic: z.string(),
  event: z.string(),
  payload: Payload,
  ref: Reference,
  join_ref: Reference,
})
const MessageArray = z.tuple([Reference, Reference, z.string(), z.string(), Payload])

const KIND_FROM_CLIENT = 3
const KIND_TO_CLIENT = 4
const JSON_ENCODING = 1
const LONGEST = 255

const TEXT = 0x81 // a final frame, because each of our messages has one frame
const BINARY = 0x82

/** RFC 6455, 5.2: 126 means that two bytes of length follow, 127 that eight follow. */
function frame(kind: typeof TEXT | typeof BINARY, payload: Buffer): Frame {
  const { length } = payload
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10)
  head[0] = kind
  head[1] = Math.min(length, head.length === 10 ? 127 : 126)
  if (head.length === 4) head.writeUInt16BE(length, 2)
  if (head.length === 10) head.writeUIntBE(length, 4, 6)
  return Buffer.concat([head, payload])
}

const text = (value: unknown): Frame => frame(TEXT, Buffer.from(JSON.stringify(value)))

/** A broadcast that came as JSON: `{event, payload}`. */
function broadcastIn(event: string, payload: Record<string, unknown>): Pick<Incoming, 'broadcast'> {
  if (event !== 'broadcast' || typeof payload.event !== 'string') return {}
  const body = Buffer.from(JSON.stringify(payload.payload ?? {}))
  return { broadcast: { event: payload.event, encoding: 'json', body } }
}

const objects: Wire = {
  decode(data, binary) {
    if (binary) throw new Error('Version 1.0.0 has no binary messages.')
    const { topic, event, payload, ref, join_ref: joinRef } = MessageObject.parse(JSON.parse(data.toString()))
    return { joinRef, ref, topic, event, payload, ...broadcastIn(event, payload) }
  },
  encode: ({ topic, event, payload, ref }) => text({ topic, event, payload, ref }),
  encodeBroadcast(topic, { event, encoding, body, id }) {
    if (encoding === 'binary') return null
    const meta = id === undefined ? '' : `"meta":${JSON.stringify({ id })},`
    const payload = `{"event":${JSON.stringify(event)},${meta}"payload":${body},"type":"broadcast"}`
    const message = `{"topic":${JSON.stringify(topic)},"event":"broadcast","payload":${payload},"ref":null}`
    return frame(TEXT, Buffer.from(message))
  },
}

const arrays: Wire = {
  decode(data, binary) {
    if (binary) return decodePush(data)
    const [joinRef, ref, topic, event, payload] = MessageArray.parse(JSON.parse(data.toString()))
    return { joinRef, ref, topic, event, payload, ...broadcastIn(event, payload) }
  },
  encode: ({ joinRef, ref, topic, event, payload }) => text([joinRef, ref, topic, event, payload]),
  encodeBroadcast(topic, { event, encoding, body, id }) {
    const strings = [topic, event, id === undefined ? '' : JSON.stringify({ id })].map((part) => Buffer.from(part))
    if (strings.some((part) => part.length > LONGEST)) return null
    const lengths = strings.map((part) => part.length)
    const head = Buffer.from([KIND_TO_CLIENT, ...lengths, encoding === 'json' ? JSON_ENCODING : 0])
    return frame(BINARY, Buffer.concat([head, ...strings, body]))
  },
}

/**
 * Kind 3: the lengths of join_ref, ref, topic, event and metadata, the encoding, then all of them, then the payload.
 */
function decodePush(data: Buffer): Incoming {
  const [kind, ...head] = data.subarray(0, 7)
  const encoding = head.pop()
  if (kind !== KIND_FROM_CLIENT || encoding === undefined) throw new Error('Not a broadcast.')
  let end = 7
  const strings = head.map((length) => {
    end += length
    return data.toString('utf8', end - length, end)
  })
  if (end > data.length) throw new Error('A broadcast that ends too early.')
  const [joinRef, ref, topic = '', event = ''] = strings
  const body = data.subarray(end)
  // parse it, because it becomes part of the JSON of version 1.0.0
  if (encoding === JSON_ENCODING) JSON.parse(body.toString())
  const broadcast: Broadcast = { event, encoding: encoding === JSON_ENCODING ? 'json' : 'binary', body }
  return { joinRef: joinRef || null, ref: ref || null, topic, event: 'broadcast', payload: {}, broadcast }
}

/** The protocols by the parameter `vsn`. */
export const wires: Readonly<Record<string, Wire | undefined>> = { '1.0.0': objects, '2.0.0': arrays }
