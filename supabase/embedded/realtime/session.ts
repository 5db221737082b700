// The session with one client: its messages and their answers, in Phoenix's protocol and with the real server's texts.
// Sources: Phoenix.Socket, Phoenix.Channel.Server; supabase/realtime, lib/realtime_web/channels.
import { z } from 'zod'
import { type Authorization, type Claims, expired, RealtimeError, type Rights, unreadable } from './authorization.ts'
import { type Channel, type Channels, type Peer, push, sayEnd } from './channels.ts'
import type { Hold, TokenWatch } from './tokens.ts'
import type { Incoming } from './wire.ts'

/** The services that all sessions share. */
export type Services = {
  verify(token: string): Promise<Claims>
  tokens: TokenWatch
  authorization: Authorization
  channels: Channels
  /** Whether a channel that a client joins now will get all later commits. */
  isFed(): boolean
  /** The number of channels that one client can join. */
  mostChannels: number
  /** The number of times per minute that one client can join or refresh a token, which costs statements each time. */
  mostJoins: number
  /** The same for all sockets of a client together, because otherwise a new socket would reset the limit. */
  mayJoin(client: string): Promise<boolean>
}

export type Session = {
  /** Call it for one message at a time, so that a client uses at most one connection to the database. */
  receive(message: Incoming): Promise<void>
  /** Ends every channel, silently or with a phx_error. */
  end(word?: 'phx_error'): void
}

const PREFIX = 'realtime:'
const MINUTE = 60_000
/** The longest delay of a timer, in milliseconds. Longer waits need several timers, because setTimeout has a limit. */
const HOUR = 3_600_000

const tooManyJoins = () => new RealtimeError('ClientJoinRateLimitReached', 'Too many joins per second')
const unfed = () =>
  new RealtimeError('InitializingProjectConnection', 'Realtime is initializing the project connection')

const flag = z.boolean().catch(false)
const JoinPayload = z.object({
  access_token: z.string().nullish().catch(null),
  config: z
    .object({
      private: flag,
      broadcast: z.object({ ack: flag, self: flag, replay: z.unknown() }).partial().catch({}),
      presence: z.object({ enabled: flag }).partial().catch({}),
      postgres_changes: z.array(z.unknown()).catch([]),
    })
    .partial()
    .catch({}),
})

/**
 * @param apiKey of the socket, which is the token of channels that are joined without one
 * @param client the key by which joins are counted
 */
export function createSession(services: Services, peer: Peer, apiKey: string, client: string): Session {
  const { authorization, channels } = services
  const joined = new Map<string, Channel>()
  const isOneTooMany = limitByMinute(services.mostJoins)
  let ended = false
  let breaks = 0

  const reply = ({ joinRef, ref, topic }: Incoming, status: 'ok' | 'error', response: Record<string, unknown> = {}) =>
    peer.send(peer.wire.encode({ joinRef, ref, topic, event: 'phx_reply', payload: { status, response } }))

  function forget(channel: Channel): void {
    clearTimeout(channel.expiry)
    channel.hold.release()
    joined.delete(channel.topic)
    channels.remove(channel)
  }

  /** Ends a channel with the reason, as the real server does for a token that is no longer valid. */
  function shut(channel: Channel, message: string): void {
    push(channel, 'system', { extension: 'system', status: 'error', message, channel: channel.name })
    forget(channel)
    sayEnd(channel, 'phx_close')
  }

  /** Ends the channel when its token expires or is revoked. */
  function awaitEnd(channel: Channel): void {
    channel.hold.onDeath(() => shut(channel, unreadable(channel.name).message))
    awaitExpiry(channel)
  }

  function awaitExpiry(channel: Channel): void {
    const left = channel.claims.exp * 1000 - Date.now()
    const act = () => (left > HOUR ? awaitExpiry(channel) : shut(channel, expired(channel.claims).message))
    channel.expiry = setTimeout(act, Math.max(0, Math.min(left, HOUR)))
  }

  function refuseConfiguration(name: string, { config }: z.infer<typeof JoinPayload>): void {
    if (name === '') throw new RealtimeError('TopicNameRequired', 'You must provide a topic name')
    if (!config.private) throw new RealtimeError('PrivateOnly', 'This project only allows private channels')
    if (isOneTooMany()) throw tooManyJoins()
    if (joined.size >= services.mostChannels) throw new RealtimeError('ChannelRateLimitReached', 'Too many channels')
    if (config.postgres_changes?.length)
      throw new RealtimeError('RealtimeDisabledForConfiguration', 'Postgres changes are not enabled')
    if (config.broadcast?.replay !== undefined)
      throw new RealtimeError('UnableToReplayMessages', 'Replay is not enabled')
  }

  type Admitted = { token: string; claims: Claims; hold: Hold; rights: Rights }
  /** @throws RealtimeError for a token that may not read the channel, or was revoked meanwhile */
  async function admit(token: string, name: string, mayHear: (rights: Rights) => boolean): Promise<Admitted> {
    const claims = await services.verify(token)
    const hold = services.tokens.hold(claims, name)
    try {
      const rights = await authorization.mayRead(claims, name)
      if (!mayHear(rights) || hold.isDead()) throw unreadable(name)
      return { token, claims, hold, rights }
    } catch (error) {
      hold.release()
      throw error
    }
  }

  async function join(message: Incoming): Promise<void> {
    const { topic, joinRef, payload } = message
    const name = topic.slice(PREFIX.length)
    const request = JoinPayload.parse(payload)
    const { config } = request
    refuseConfiguration(name, request)
    if (!(await services.mayJoin(client))) throw tooManyJoins()
    if (!services.isFed()) throw unfed() // without the feed, the session would also miss that a token ended
    const before = breaks
    const mayHear = ({ broadcast, presence }: Rights) => broadcast || presence
    const { rights, ...opened } = await admit(request.access_token ?? apiKey, name, mayHear)
    if (ended) return opened.hold.release()
    if (breaks !== before) {
      opened.hold.release()
      throw unfed()
    }
    const { ack: acknowledge = false, self: echo = false } = config.broadcast ?? {}
    const state = { mayWrite: undefined, acknowledge, echo, expiry: undefined }
    const channel: Channel = { peer, topic, name, joinRef, ...opened, ...state }
    joined.set(topic, channel)
    if (rights.broadcast) channels.add(channel)
    awaitEnd(channel)
    reply(message, 'ok', { postgres_changes: [] })
    if (rights.presence && config.presence?.enabled) push(channel, 'presence_state', {})
  }

  async function rejoin(message: Incoming): Promise<void> {
    const before = joined.get(message.topic)
    if (before) {
      forget(before)
      sayEnd(before, 'phx_close')
    }
    await join(message).catch((error: unknown) => {
      if (!(error instanceof RealtimeError)) throw error
      reply(message, 'error', { reason: error.reason })
    })
  }

  /** Replaces the token of a channel. If the new token may not read the channel, the channel ends. */
  async function renew(channel: Channel, token: unknown): Promise<void> {
    // keys with `sb_` are not tokens, but supabase-js also sends them here
    if (typeof token !== 'string' || token.startsWith('sb_') || token === channel.token) return
    if (isOneTooMany() || !(await services.mayJoin(client))) return // the previous token stays in use until it ends
    // the channel ended with its socket, its token or the feed
    const isOver = () => joined.get(channel.topic) !== channel
    if (isOver()) return
    clearTimeout(channel.expiry)
    channel.hold.release()
    try {
      const { rights: _, ...opened } = await admit(token, channel.name, ({ broadcast }) => broadcast)
      if (isOver()) return opened.hold.release()
      Object.assign(channel, { ...opened, mayWrite: undefined })
      awaitEnd(channel)
    } catch (error) {
      if (!(error instanceof RealtimeError)) throw error
      if (!isOver()) shut(channel, error.message)
    }
  }

  /** A refused broadcast is not reported and not acknowledged, as by the real server. */
  async function publish(channel: Channel, message: Incoming): Promise<void> {
    if (!message.broadcast) return
    channel.mayWrite ??= await authorization.mayWrite(channel.claims, channel.name)
    if (!channel.mayWrite) return
    channels.deliver(channel.name, message.broadcast, channel)
    if (channel.acknowledge) reply(message, 'ok')
  }

  async function onChannel(channel: Channel, message: Incoming): Promise<void> {
    switch (message.event) {
      case 'phx_leave':
        // the message is of a join that has ended
        if (message.joinRef !== null && message.joinRef !== channel.joinRef) return
        forget(channel)
        reply(message, 'ok')
        return sayEnd(channel, 'phx_close')
      case 'access_token':
        return renew(channel, message.payload.access_token)
      case 'broadcast':
        return publish(channel, message)
      case 'presence': // not supported: no policy allows presence
        return reply(message, message.payload.event === 'untrack' ? 'ok' : 'error')
    }
  }

  async function receive(message: Incoming): Promise<void> {
    const { topic, event } = message
    const channel = joined.get(topic)
    if (topic === 'phoenix' && event === 'heartbeat') reply(message, 'ok')
    else if (event === 'phx_join' && topic.startsWith(PREFIX)) await rejoin(message)
    else if (channel) await onChannel(channel, message)
    else if (event === 'phx_leave') reply(message, 'ok')
    else reply(message, 'error', { reason: 'unmatched topic' })
  }

  function end(word?: 'phx_error'): void {
    if (word) breaks++
    else ended = true
    for (const channel of [...joined.values()]) {
      forget(channel)
      if (word) sayEnd(channel, word)
    }
  }

  return { receive, end }
}

/** Counts calls per minute. @returns whether the limit is exceeded */
function limitByMinute(most: number): () => boolean {
  let since = 0
  let count = 0
  return () => {
    const now = Date.now()
    if (now >= since + MINUTE) [since, count] = [now, 0]
    return ++count > most
  }
}
