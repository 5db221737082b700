// Verifies checkpoints of the audit log and proofs that an entry is in one. It needs no database, so that anybody can use
// it. docs/audit.md describes the formats.
import { createHash, createPublicKey, verify } from 'node:crypto'
import { z } from './schemas.ts'

export const Checkpoint = z
  .object({
    number: z.int().describe('Counts the checkpoints from 1.'),
    text: z
      .string()
      .describe(
        'What is signed, in lines of a name and a value: the number of the checkpoint, how many entries the log had, the hash of the last one, the root of the Merkle tree over the hashes of the entries since the checkpoint before, the SHA-256 of the text of that checkpoint, the time, and the public key.',
      ),
    signature: z.string().describe('The Ed25519 signature of the text, in base64url.'),
  })
  .openapi('Checkpoint')
export type Checkpoint = z.infer<typeof Checkpoint>

const hex = '[0-9a-f]{64}'
const FORM = new RegExp(
  `^kith audit checkpoint\nnumber: (\\d+)\nentries: (\\d+)\nhead: (${hex})\nroot: (${hex})\nprevious: (${hex}|none)\n` +
    'created: ([\\d:.TZ-]+)\nkey: ([\\w-]{43})\n$',
)

export type Fields = {
  number: number
  entries: number
  head: string
  root: string
  /** The SHA-256 of the text of the checkpoint before; null for the first. */
  previous: string | null
  created: string
  /** The public key in base64url. */
  key: string
}

const sha256 = (...parts: (string | Uint8Array)[]): Buffer => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

export const hashOfText = (text: string): string => sha256(text).toString('hex')

/** What a checkpoint says. @throws Error if it is not of our form, or its signature is wrong */
export function readCheckpoint({ number, text, signature }: Checkpoint): Fields {
  const [, own, entries, head = '', root = '', previous, created = '', key = ''] = FORM.exec(text) ?? []
  if (Number(own) !== number) throw new Error(`Checkpoint ${number} has a text of another form.`)
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key }, format: 'jwk' })
  if (!verify(null, Buffer.from(text), publicKey, Buffer.from(signature, 'base64url')))
    throw new Error(`The signature of checkpoint ${number} is wrong.`)
  return {
    ...{ number, entries: Number(entries), head, root, created, key },
    previous: previous === undefined || previous === 'none' ? null : previous,
  }
}

const LEAF = Buffer.of(0)
const NODE = Buffer.of(1)
const nodeOf = (left: Buffer, right: Buffer) => sha256(NODE, left, right)
const leafOf = (hash: string) => sha256(LEAF, Buffer.from(hash, 'hex'))

/** The root of the Merkle tree over the hashes of entries (RFC 9162, 2.1), in hex. */
export function rootOf(hashes: readonly string[]): string {
  let nodes = hashes.map(leafOf)
  while (nodes.length > 1)
    nodes = nodes.flatMap((node, at) => {
      if (at % 2 === 1) return []
      const next = nodes[at + 1]
      return [next ? nodeOf(node, next) : node]
    })
  return nodes[0]?.toString('hex') ?? ''
}

/**
 * The root that follows from an inclusion path (RFC 9162, 2.1.3.2), in hex; null if the path has another length than the
 * tree's size asks for.
 * @param place of the entry among those of its checkpoint, from 0
 */
export function rootFrom(hash: string, place: number, size: number, path: readonly string[]): string | null {
  if (place < 0 || place >= size) return null
  let node = leafOf(hash)
  const left = [...path]
  for (let [at, last] = [place, size - 1]; last > 0; [at, last] = [at >> 1, last >> 1]) {
    if (at === last && at % 2 === 0) continue // it has no neighbour on this level
    const beside = left.shift()
    if (beside === undefined) return null
    node = at % 2 === 1 ? nodeOf(Buffer.from(beside, 'hex'), node) : nodeOf(node, Buffer.from(beside, 'hex'))
  }
  return left.length > 0 ? null : node.toString('hex')
}
