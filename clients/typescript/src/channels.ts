/** The part of a channel of supabase-js that this client uses. */
type Channel = {
  on(type: 'broadcast', filter: { event: string }, callback: (message: Broadcast) => void): Channel
  subscribe(callback: (status: string) => void): Channel
}
type Broadcast = { event: string; payload?: unknown }

/** A client of supabase-js, or its `realtime`. */
export type RealtimeClient = {
  channel(topic: string, options: { config: { private: true } }): Channel
  removeChannel(channel: never): unknown
}

/** An event of a channel. `missed` is true if it happened while the client was not connected. */
export type KithEvent = { event: string; payload: { id: string; kind?: string }; missed: boolean }

/** Reads the events since a time: ISO 8601. */
export type CatchUp = (since: string) => AsyncIterable<Omit<KithEvent, 'missed'>>

/**
 * Listens to a channel. After each reconnect it reads what was missed, because Realtime doesn't repeat it. An event can
 * arrive twice, so handle it by its id. @returns a function that stops listening
 */
export function listen(
  realtime: RealtimeClient,
  topic: string,
  handle: (event: KithEvent) => void,
  catchUp: CatchUp | undefined,
  onError: (error: unknown) => void,
): () => void {
  let isStopped = false
  let since: string | undefined
  const channel = realtime.channel(topic, { config: { private: true } })
  channel
    .on('broadcast', { event: '*' }, ({ event, payload }) => {
      handle({ event, payload: payload as KithEvent['payload'], missed: false })
    })
    .subscribe((status) => {
      if (status !== 'SUBSCRIBED') return
      const from = since
      since = new Date().toISOString()
      if (from && catchUp) void readMissed(catchUp, from)
    })

  async function readMissed(read: CatchUp, from: string): Promise<void> {
    try {
      for await (const event of read(from)) {
        if (isStopped) return
        handle({ ...event, missed: true })
      }
    } catch (error) {
      onError(error)
    }
  }

  return () => {
    isStopped = true
    realtime.removeChannel(channel as never)
  }
}
