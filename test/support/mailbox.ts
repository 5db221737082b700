// An SMTP server that stores the mail it gets.
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterAll } from 'vitest'

/** `html` is undefined if the mail has only text. */
export type Letter = { from: string; to: string[]; head: string; text: string; html: string | undefined }
export type Mailbox = {
  /** The value for SMTP_URL. */
  url: string
  letters: Letter[]
  /** Rejects the next mails, as a busy server does. */
  refuse(count: number): void
  /** Mail for an address in here waits until its callbacks are called. */
  held: Map<string, (() => void)[]>
  /** The SMTP answer for an address, as recipient or sender, such as `550 5.1.1 Unknown`. */
  said: Map<string, string>
}

/** Decodes quoted-printable, if the header says so. */
function decoded(head: string, body: string): string {
  if (!/^content-transfer-encoding: quoted-printable/im.test(head)) return body
  const bytes = body
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}

function parted(source: string): { head: string; body: string } {
  const at = /\r?\n\r?\n/.exec(source)
  const head = source.slice(0, at?.index).replace(/\r?\n[ \t]+/g, ' ')
  return { head, body: source.slice((at?.index ?? 0) + (at?.[0].length ?? 0)) }
}

/** A mail as sent over the wire, or written to a file. */
export function opened(source: string): Pick<Letter, 'head' | 'text' | 'html'> {
  const { head, body } = parted(source)
  const [, boundary] = /^content-type: multipart\/alternative;.*boundary="([^"]+)"/im.exec(head) ?? []
  if (!boundary) return { head, text: decoded(head, body), html: undefined }
  const parts = body.split(`--${boundary}`).slice(1, -1)
  const [text, html] = ['plain', 'html'].map((kind) => {
    const part = parts.map((one) => parted(one.trimStart())).find((one) => one.head.includes(`text/${kind}`))
    return part && decoded(part.head, part.body)
  })
  return { head, text: text ?? '', html }
}

/** Call it at the top of a file: it closes after the last test there. */
export async function mailbox(): Promise<Mailbox> {
  const letters: Letter[] = []
  const said = new Map<string, string>()
  const held: Mailbox['held'] = new Map()
  let busy = 0
  const answer: SMTPServerOptions['onRcptTo'] = ({ address }, _session, done) => {
    const waiting = held.get(address)
    if (waiting) return waiting.push(() => done())
    const [code, ...words] = said.get(address)?.split(' ') ?? []
    done(code ? Object.assign(new Error(words.join(' ')), { responseCode: Number(code) }) : undefined)
  }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onMailFrom: answer,
    onRcptTo: answer,
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        if (busy-- > 0) return done(Object.assign(new Error('busy'), { responseCode: 451 }))
        const from = envelope.mailFrom ? envelope.mailFrom.address : ''
        letters.push({
          from,
          to: envelope.rcptTo.map(({ address }) => address),
          ...opened(Buffer.concat(chunks).toString()),
        })
        done()
      })
    },
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  afterAll(() => new Promise<void>((closed) => server.close(() => closed())))
  const { port } = server.server.address() as AddressInfo
  const refuse = (count: number) => {
    busy = count
  }
  return { url: `smtp://127.0.0.1:${port}`, letters, refuse, said, held }
}
