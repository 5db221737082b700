// Types for the part of Phoenix's client that web/app/live.ts uses. The package itself has no types.
declare module '@supabase/phoenix' {
  type Message = { topic: string; event: string; payload: unknown; ref: string; join_ref: string }
  export class Socket {
    constructor(
      endpoint: string,
      options: {
        vsn: string
        params: () => Record<string, string>
        encode: (message: Message, done: (text: string) => void) => void
        decode: (text: string, done: (message: Message) => void) => void
      },
    )
    connect(): void
    disconnect(): void
    channel(topic: string, params: () => object): Channel
  }
  export class Channel {
    on(event: string, handle: (payload: unknown) => void): number
    onClose(handle: () => void): void
    join(): { receive(status: string, handle: () => void): unknown }
    push(event: string, payload: object): unknown
    leave(): unknown
  }
}
