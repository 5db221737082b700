// Verifies checkpoints of the audit log, and proofs that a checkpoint covers an entry. It needs no database, so that
// anybody can use it. docs/audit.md describes the formats.
import { createHash, createPublicKey, verify } from 'node:crypto'
import { z } from './schemas.ts'

export const Checkpoint = z
  .object({
    number: z.int().describe('Counts the checkpoints from 1.'),
    text: z
      .string()
      .describe(
        'The text that is signed, in lines of a name and a value: the number of the checkpoint, the number of entries, the hash of the last entry, the root of the Merkle tree over the hashes of the entries since the previous checkpoint, the SHA-256 of the text of the previous checkpoint, the time, and the public key.',
      ),
    signature: z.string().describe('The Ed25519 signature of the text, in base64url.'),
  })
  .openapi('Checkpoint')
export type Checkpoint = z.infer<typeof Checkpoint>

const Hash = z.string().regex(/^[0-9a-f]{64}$/)

/** Proves that an entry is in the audit log. */
export const Proof = z
  .object({
    previous: Hash.nullable().describe('The hash of the entry before, in hex; null for the first entry.'),
    content: z
      .string()
      .describe(
        'What the hash of the entry covers besides `previous`: a JSON array of number, action, hash of who decided, type and id of the target, microseconds since 1970, hash of the address, hash of the detail.',
      ),
    detail: z.string().nullable().describe('The detail as it was hashed, with the reason; null after an erasure.'),
    salt: z
      .string()
      .nullable()
      .describe(
        'The salt of the detail in hex: the SHA-256 of salt and detail is the last hash of the content. Null after an erasure.',
      ),
    place: z.int().describe('The position of the entry among those of the checkpoint, from 0.'),
    size: z.int().describe('How many entries the checkpoint covers.'),
    path: z.array(Hash).max(14).describe('The inclusion path from the entry to the root (RFC 9162), in hex.'),
    checkpoint: Checkpoint.describe('The checkpoint that covers the entry, as `/.well-known/kith/audit` publishes it.'),
  })
  .openapi('AuditProof')
export type Proof = z.infer<typeof Proof>

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

/** Reads the fields of a checkpoint. @throws Error if its text has a wrong form, or its signature is wrong */
export function readCheckpoint({ number, text, signature }: Checkpoint): Fields {
  const [, own, entries, head = '', root = '', previous, created = '', key = ''] = FORM.exec(text) ?? []
  if (Number(own) !== number) throw new Error(`The text of checkpoint ${number} has a wrong form.`)
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
 * The root that follows from an inclusion path (RFC 9162, 2.1.3.2), in hex; null if the length of the path does not
 * match the size of the tree.
 * @param place the position of the entry among those of its checkpoint, from 0
 */
export function rootFrom(hash: string, place: number, size: number, path: readonly string[]): string | null {
  if (place < 0 || place >= size) return null
  let node = leafOf(hash)
  const left = [...path]
  for (let [at, last] = [place, size - 1]; last > 0; [at, last] = [at >> 1, last >> 1]) {
    if (at === last && at % 2 === 0) continue // The node has no neighbour on this level.
    const beside = left.shift()
    if (beside === undefined) return null
    node = at % 2 === 1 ? nodeOf(Buffer.from(beside, 'hex'), node) : nodeOf(node, Buffer.from(beside, 'hex'))
  }
  return left.length > 0 ? null : node.toString('hex')
}

/** What a proof shows: the entry, and the checkpoint that covers it. */
export type Proven = { checkpoint: Fields; content: unknown[]; detail: unknown }

/** @throws Error with a sentence that says what does not match */
export function verifyProof({ previous, content, detail, salt, place, size, path, checkpoint }: Proof): Proven {
  const fields = readCheckpoint(checkpoint)
  const hash = sha256(Buffer.from(previous ?? '', 'hex'), content).toString('hex')
  if (rootFrom(hash, place, size, path) !== fields.root)
    throw new Error(`The entry is not in checkpoint ${fields.number}: its path leads to another root.`)
  const parts: unknown[] = JSON.parse(content)
  if (parts[0] !== fields.entries - size + place + 1)
    throw new Error('The number of the entry does not match its position.')
  if (salt !== null && sha256(Buffer.from(salt, 'hex'), detail ?? '').toString('hex') !== parts[7])
    throw new Error('The detail does not match the hash in the entry.')
  return { checkpoint: fields, content: parts, detail: salt === null || detail === null ? null : JSON.parse(detail) }
}
