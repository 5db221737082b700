// The interface by which functions call addresses that other people choose; outside.ts implements it.

/** An answer whose body is decompressed while it is read. */
export type Answer = { status: number; header(name: string): string | null; body: AsyncIterable<Uint8Array> }

/** The request, if it is not a GET for a page. */
type Sending = { method: 'POST'; headers: Record<string, string>; body: string }

/**
 * Opens exactly this URL and follows no redirects. The signal aborts everything, including the body.
 * @throws NotPublic if that is not allowed; Error if it fails
 */
export type Open = (url: URL, signal: AbortSignal, sending?: Sending) => Promise<Answer>

/** The address, or one of the addresses of the name, may not be called. */
export class NotPublic extends Error {}
