// The outside world's mail: an SMTP server that keeps what it is given.
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterAll } from 'vitest'

/** `html` is undefined where the letter has text alone. */
export type Letter = { from: string; to: string[]; head: string; text: string; html: string | undefined }
export type Mailbox = {
  /** What SMTP_URL is set to. */
  url: string
  letters: Letter[]
  /** The next so many are refused, as a server does that is busy. */
  refuse(count: number): void
  /** Mail for an address that is put here waits, until all of it is let go. */
  held: Map<string, (() => void)[]>
  /** What the server says to mail for an address, or from one, such as `550 5.1.1 Unknown`. */
  said: Map<string, string>
}

/** Undoes quoted-printable, where the letter says that it is. */
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

/** A letter as it went over the wire, or into a file. */
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
