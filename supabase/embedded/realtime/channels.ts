// Which sockets have joined which channels, and the delivery of broadcasts to them.
import type { Claims } from './authorization.ts'
import type { Hold } from './tokens.ts'
import type { Broadcast, Frame, Outgoing, Wire } from './wire.ts'

/** The client of one socket. */
export type Peer = {
  wire: Wire
  /** Sends without waiting; does nothing if the socket is closing. */
  send(frame: Frame): void
}

/** One socket on one channel. */
export type Channel = {
  peer: Peer
  /** The topic of the client: `realtime:` and the name. */
  topic: string
  name: string
  joinRef: string | null
  token: string
  claims: Claims
  hold: Hold
  /** Whether the client may broadcast; checked at its first attempt with each token. */
  mayWrite: boolean | undefined
  /** The client's options for its own broadcasts: an acknowledgement, and an echo. */
  acknowledge: boolean
  echo: boolean
  expiry: NodeJS.Timeout | undefined
}

export type Channels = {
  /** Subscribes the channel to broadcasts. */
  add(channel: Channel): void
  remove(channel: Channel): void
  /** Sends to all subscribers of `name`, except a sender without echo. */
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
    const frames = new Map<Wire, Frame | null>() // encode once per wire, because all subscribers have the same topic
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

/** Sends a message on a channel. */
export const push = ({ peer, topic, joinRef }: Channel, event: string, payload: Outgoing['payload']): void =>
  peer.send(peer.wire.encode({ joinRef, ref: null, topic, event, payload }))

/**
 * Ends a channel for the client: with phx_close normally, with phx_error if it is broken (the client then joins again).
 */
export const sayEnd = ({ peer, topic, joinRef }: Channel, event: 'phx_close' | 'phx_error'): void =>
  peer.send(peer.wire.encode({ joinRef, ref: joinRef, topic, event, payload: {} }))
