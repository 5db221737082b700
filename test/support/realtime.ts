// An instance with the Realtime gateway, and two kinds of clients: supabase-js, and a raw socket that shows every byte.
import { createClient, type RealtimeChannel, type SupabaseClient } from '@supabase/supabase-js'
import { afterAll } from 'vitest'
import WebSocket from 'ws'
import { createTokens } from '../../api-facade/lib/tokens.ts'
import { type Gateway, type GatewayOptions, startGateway } from '../../supabase/embedded/realtime/gateway.ts'
import type { Person } from './person.ts'
import { JWT_SECRET, target } from './settings.ts'
import { missing, ownOnly } from './target.ts'
import { until } from './until.ts'
import { type World, world } from './world.ts'

/** The protocol versions that supabase-js supports, the newer one by default. */
export const versions = ['1.0.0', '2.0.0'] as const
export type Version = (typeof versions)[number]

export type Heard = { event: string; payload: Record<string, unknown> }
/** A channel that supabase-js has joined, with everything received since. */
export type Listener = { channel: RealtimeChannel; heard: Heard[]; statuses: string[]; system: { message: string }[] }

type RealtimeWorld<Name extends string> = World<Name> & {
  gateway: Gateway
  /** The key that every client has, with or without a person. */
  anonKey: string
  /** supabase-js as a person uses it. It calls `token` whenever it needs one. */
  client(token: (() => string) | undefined, version?: Version): SupabaseClient
  /** A socket without a client library. */
  socket(version: Version, apiKey?: string): Promise<Socket>
  /** Sends a message by SQL, in its own transaction. */
  broadcast(topic: string, payload: Record<string, unknown>): Promise<void>
}

export async function realtimeWorld<const Name extends string = 'alice' | 'bob' | 'carla'>(
  options: { people?: Name[]; env?: Record<string, string> } & Partial<GatewayOptions> = {},
): Promise<RealtimeWorld<Name>> {
  const { people, env, ...limits } = options
  if (Object.keys(limits).length > 0) ownOnly('needs a gateway with its own settings')
  let gateway: Gateway | undefined
  const start = async (site: Parameters<typeof startGateway>[0]) => {
    gateway = await startGateway({ ...site, ...limits })
    return gateway
  }
  const made = await world({ ...(people && { people }), ...(env && { env }), gateway: start })
  if (!gateway && !target) throw new Error('the gateway has not been started')
  const { url, anonKey } = made.stack

  function client(token: (() => string) | undefined, version: Version = '2.0.0'): SupabaseClient {
    const auth = { persistSession: false, autoRefreshToken: false }
    const supabase = createClient(url, anonKey, {
      realtime: { vsn: version },
      ...(token ? { accessToken: async () => token() } : { auth }),
    })
    afterAll(async () => {
      await supabase.realtime.disconnect()
    })
    return supabase
  }

  async function socket(version: Version, apiKey = anonKey): Promise<Socket> {
    const address = `${url.replace('http', 'ws')}/realtime/v1/websocket?apikey=${apiKey}&vsn=${version}`
    const opened = new Socket(address, version)
    afterAll(() => opened.ws.terminate())
    await opened.opened
    return opened
  }

  const broadcast = async (topic: string, payload: Record<string, unknown>) => {
    await made.database.owner`select private.broadcast(${topic}, 'test', ${JSON.stringify(payload)}::text::jsonb)`
  }

  return {
    ...made,
    gateway: gateway ?? missing('needs the gateway in its own process'),
    anonKey,
    client,
    socket,
    broadcast,
  }
}

/** Joins a private channel. @throws Error with the server's reason if that is rejected */
export async function listen(client: SupabaseClient, topic: string): Promise<Listener> {
  await client.realtime.setAuth() // sets the token before the first join, which would otherwise have none
  const channel = client.channel(topic, { config: { private: true } })
  const listener: Listener = { channel, heard: [], statuses: [], system: [] }
  channel
    .on('broadcast', { event: '*' }, ({ event, payload }) => listener.heard.push({ event, payload }))
    .on('system', {}, (message) => listener.system.push(message))
  await new Promise<void>((joined, refused) => {
    channel.subscribe((status, error) => {
      listener.statuses.push(status)
      if (status === 'SUBSCRIBED') joined()
      else refused(error ?? new Error(status))
    })
  })
  return listener
}

/** A token of that person with these claims changed. */
export async function tokenOf(person: Person, claims: { iat?: number; exp?: number }): Promise<string> {
  const [, payload = ''] = person.token?.split('.') ?? []
  const { sign } = await createTokens([JWT_SECRET])
  return sign({ ...JSON.parse(Buffer.from(payload, 'base64url').toString()), ...claims })
}

/** Seconds since 1970, the unit of times in tokens. */
export const seconds = (): number => Math.floor(Date.now() / 1000)

/** What arrived on a socket: text unchanged, or the bytes of a binary frame. */
export type Frame = string | Buffer
export type Message = { topic: string; event: string; payload: unknown; ref: string; join_ref?: string }

export class Socket {
  readonly ws: WebSocket
  readonly frames: Frame[] = []
  readonly opened: Promise<void>
  readonly version: Version
  /** The close code of the server. */
  closed: number | undefined

  constructor(address: string, version: Version) {
    this.version = version
    this.ws = new WebSocket(address)
    this.ws.on('message', (data: Buffer, binary: boolean) => this.frames.push(binary ? data : data.toString()))
    this.ws.on('close', (code: number) => {
      this.closed = code
    })
    this.opened = new Promise((settle, fail) => {
      this.ws.once('open', settle).on('error', fail)
    })
  }

  /** Sends a message in the socket's version of the protocol. A string or bytes are sent unchanged. */
  send(message: Frame | Message): void {
    this.ws.send(typeof message === 'string' || Buffer.isBuffer(message) ? message : this.#spell(message))
  }

  #spell(message: Message): string {
    const { topic, event, payload, ref, join_ref = null } = message
    return JSON.stringify(this.version === '1.0.0' ? message : [join_ref, ref, topic, event, payload])
  }

  /** Joins a private channel with this token, or the socket's own key. @returns the frame of the answer */
  join(name: string, access_token?: string, config: Record<string, unknown> = { private: true }): Promise<Frame> {
    const before = this.frames.length
    this.send({
      topic: `realtime:${name}`,
      event: 'phx_join',
      payload: { config, access_token },
      ref: '1',
      join_ref: '1',
    })
    return this.frame(before)
  }

  /** The frame with this index, once it has arrived. */
  async frame(at: number): Promise<Frame> {
    await until(() => this.frames.length > at)
    return this.frames[at] ?? ''
  }
}
