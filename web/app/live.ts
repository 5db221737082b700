// Events that arrive by Realtime while a page is open. If the instance does not serve Realtime at its own address, no
// events arrive, and a page shows new things when it is opened again.
import type { Socket } from '@supabase/phoenix'
import type { KithEvent, RealtimeClient } from 'kith/client'
import { effect } from '../lib/html.ts'
import { instance, instanceRead } from '../lib/instance.ts'
import { kith, me } from './session.ts'

type Handle = (event: KithEvent) => void
type Stop = () => void
type Broadcast = { event: string; payload?: unknown }

/** How often to check whether the access token was refreshed, in milliseconds: less than the margin of kith/client. */
const CHECK = 10_000
/** How long to wait before a channel that the server has closed is joined again, in milliseconds. */
const PAUSE = 2000

/** The part of supabase-js that the client needs, on Phoenix's own client: a tenth of its size. */
async function open(): Promise<{ realtime: RealtimeClient; close: Stop }> {
  const { Socket } = await import('@supabase/phoenix')
  let token = (await kith.accessToken()) ?? ''
  const socket: Socket = new Socket('/realtime/v1', {
    vsn: '1.0.0',
    // send the token in the message that joins a channel, not in the URL, because URLs appear in logs
    params: () => ({ apikey: instance.peek()?.realtimeKey ?? '' }),
    encode: (message, done) => done(JSON.stringify(message)),
    decode: (text, done) => done(JSON.parse(text)),
  })
  const channels = new Set<ReturnType<typeof channelOf>>()

  function channelOf(topic: string, { config }: { config: object }) {
    let handle: (message: Broadcast) => void = () => {}
    let joined: ReturnType<Socket['channel']> | undefined
    const channel = {
      on(_type: 'broadcast', _filter: { event: string }, callback: typeof handle) {
        handle = callback
        return channel
      },
      subscribe(callback: (status: string) => void) {
        channels.add(channel)
        joined = socket.channel(`realtime:${topic}`, () => ({ config, access_token: token }))
        joined.on('broadcast', (payload) => handle(payload as Broadcast))
        joined.onClose(() => {
          // the token expired, for example while the machine slept
          if (channels.delete(channel)) setTimeout(() => isOpen && channel.subscribe(callback), PAUSE)
        })
        joined.join().receive('ok', () => callback('SUBSCRIBED'))
        return channel
      },
      renew: () => joined?.push('access_token', { access_token: token }),
      leave() {
        channels.delete(channel)
        joined?.leave()
      },
    }
    return channel
  }

  let isOpen = true
  const check = async () => {
    const now = await kith.accessToken().catch(() => null)
    if (!now || now === token) return
    token = now
    for (const channel of channels) channel.renew()
  }
  const timer = setInterval(check, CHECK)
  socket.connect()
  return {
    realtime: {
      channel: channelOf,
      removeChannel: (channel: ReturnType<typeof channelOf>) => channel.leave(),
    } as RealtimeClient,
    close() {
      isOpen = false
      clearInterval(timer)
      socket.disconnect()
    },
  }
}

let opened: ReturnType<typeof open> | undefined
/** The listeners of each topic. The socket joins a topic only once. */
const heard = new Map<string, { handles: Set<Handle>; stop: Promise<Stop> }>()

// a logout ends all channels
effect(() => {
  if (me.value) return
  heard.clear()
  void opened?.then(({ close }) => close())
  opened = undefined
})

function listen(topic: string, start: (realtime: RealtimeClient, handle: Handle) => Stop | Promise<Stop>) {
  return (handle: Handle): Stop => {
    let shared = heard.get(topic)
    if (!shared) {
      const handles = new Set<Handle>()
      const tell: Handle = (event) => {
        for (const one of handles) one(event)
      }
      const begin = async (): Promise<Stop> => {
        await instanceRead
        if (!instance.value?.realtimeKey || !me.value) return () => {}
        opened ??= open()
        return start((await opened).realtime, tell)
      }
      shared = { handles, stop: begin() }
      heard.set(topic, shared)
    }
    const { handles, stop } = shared
    handles.add(handle)
    return () => {
      handles.delete(handle)
      if (handles.size > 0 || heard.get(topic)?.handles !== handles) return
      heard.delete(topic)
      void stop.then((end) => end())
    }
  }
}

/** Listens to the person's own channel: notifications and conversations. */
export const onUser = listen('user', (realtime, handle) => kith.onUser(realtime, handle))
/** Listens to new public posts. */
export const onPublicPosts = listen('public', (realtime, handle) => kith.onPublicPosts(realtime, handle))
/** Listens to a conversation. */
export const onConversation = (id: string, handle: Handle): Stop =>
  listen(id, (realtime, tell) => kith.onConversation(realtime, id, tell))(handle)
