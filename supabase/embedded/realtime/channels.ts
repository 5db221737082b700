// Who has joined what, and the way of a broadcast to all of them.
import type { Claims } from './authorization.ts'
import type { Hold } from './tokens.ts'
import type { Broadcast, Frame, Outgoing, Wire } from './wire.ts'

/** The other end of one socket. */
export type Peer = {
  wire: Wire
  /** Without waiting; to a socket that is closing it does nothing. */
  send(frame: Frame): void
}

/** One socket on one channel. */
export type Channel = {
  peer: Peer
  /** As the client spells it: `realtime:` and the name. */
  topic: string
  name: string
  joinRef: string | null
  token: string
  claims: Claims
  hold: Hold
  /** Whether it may broadcast; asked at its first try with each token. */
  mayWrite: boolean | undefined
  /** What the client asked for its own broadcasts: an answer, and to hear them itself. */
  acknowledge: boolean
  echo: boolean
  expiry: NodeJS.Timeout | undefined
}

export type Channels = {
  /** From now on the channel hears what is broadcast. */
  add(channel: Channel): void
  remove(channel: Channel): void
  /** To all who joined `name`, but for the sender, where there is one who asked for no echo. */
  deliver(name: string, broadcast: Broadcast, sender?: Channel): void
}

export function createChannels(): Channels {
  const joined = new Map<string, Set<Channel>>()

  function add(channel: Channel): void {
    const members = joined.get(channel.name) ?? new Set()
    joined.set(channel.name, members.add(channel))
  }

  function remove(channel: Channel): void {
    const members = joined.get(channel.name)
    members?.delete(channel)
    if (members?.size === 0) joined.delete(channel.name)
  }

  function deliver(name: string, broadcast: Broadcast, sender?: Channel): void {
    const frames = new Map<Wire, Frame | null>() // made once a wire: all who joined spell the topic alike
    for (const channel of joined.get(name) ?? []) {
      if (channel === sender && !channel.echo) continue
      const { wire } = channel.peer
      if (!frames.has(wire)) frames.set(wire, wire.encodeBroadcast(channel.topic, broadcast))
      const frame = frames.get(wire)
      if (frame) channel.peer.send(frame)
    }
  }

  return { add, remove, deliver }
}

/** Says something on a channel. */
export const push = ({ peer, topic, joinRef }: Channel, event: string, payload: Outgoing['payload']): void =>
  peer.send(peer.wire.encode({ joinRef, ref: null, topic, event, payload }))

/** Tells the client that the channel is over: by itself with phx_close, broken with phx_error (it then joins again). */
export const sayEnd = ({ peer, topic, joinRef }: Channel, event: 'phx_close' | 'phx_error'): void =>
  peer.send(peer.wire.encode({ joinRef, ref: joinRef, topic, event, payload: {} }))
