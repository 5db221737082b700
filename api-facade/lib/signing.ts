// The signature of exports: Ed25519, by a key of the instance. The public keys are at /.well-known/kith.
// docs/decisions.md, Import.
import { createHash, createHmac, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import canonicalize from 'canonicalize'
import { CompactSign, calculateJwkThumbprint, compactVerify, decodeProtectedHeader, importJWK } from 'jose'
import { z } from 'zod'
import { type Config, secretsOf } from './config.ts'

/** A public key as a JWK (RFC 8037). */
export const PublicKey = z.object({
  kty: z.literal('OKP').describe('Always `OKP`, as RFC 8037 says.'),
  crv: z.literal('Ed25519').describe('The signature algorithm’s curve.'),
  x: z
    .string()
    .regex(/^[\w-]{43}$/)
    .describe('The public key, base64url.'),
  kid: z.string().min(1).max(200).describe('The thumbprint of the key (RFC 7638), which a signature names.'),
})
export type PublicKey = z.infer<typeof PublicKey>

/** The content of a signature: who signed, and the SHA-256 of each other member of the dossier (digestsOf). */
const Statement = z.object({ iss: z.string().max(2048), digests: z.record(z.string(), z.string()) })
export type Statement = z.infer<typeof Statement>
export type Digests = Readonly<Record<string, string>>

export type Signing = {
  /** The address of this instance. */
  issuer: string
  /** The keys that verify what this instance signed: the one that signs, then former ones. */
  keys: readonly PublicKey[]
  sign(digests: Digests): Promise<string>
}

const HEADER = { alg: 'EdDSA', typ: 'kith-export' } as const
/** In PKCS #8 these bytes precede the 32 bytes of a private key. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

export async function createSigning(config: Config, secret: string): Promise<Signing> {
  const { signingKey, signingKeyPrevious } = config
  const given = [signingKey, signingKeyPrevious].flatMap((key) => (key ? [Buffer.from(key, 'base64url')] : []))
  // Without SIGNING_KEY, the key that is derived from the secret signs. It stays published later, for exports that it
  // signed.
  const derived = secretsOf(config, secret).map((one) => createHmac('sha256', one).update('kith signing key').digest())
  const seeds = signingKey ? [...given, ...derived] : [...derived.slice(0, 1), ...given, ...derived.slice(1)]
  const privateKeys = seeds.map(privateKeyOf)
  const keys = await Promise.all(privateKeys.map(publicKeyOf))
  const [own, key] = [privateKeys[0] as KeyObject, keys[0] as PublicKey]
  const issuer = config.facadeUrl
  return {
    issuer,
    keys,
    sign: (digests) =>
      new CompactSign(Buffer.from(JSON.stringify({ iss: issuer, digests })))
        .setProtectedHeader({ ...HEADER, kid: key.kid })
        .sign(own),
  }
}

/** @param seed 32 random bytes */
export const privateKeyOf = (seed: Buffer): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' })

/** The public key in base64url. */
export const publicPartOf = (key: KeyObject): string => createPublicKey(key).export({ format: 'jwk' }).x ?? ''

async function publicKeyOf(key: KeyObject): Promise<PublicKey> {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: publicPartOf(key) } as const
  return { ...jwk, kid: await calculateJwkThumbprint(jwk) }
}

/** The content of a signature and the key that it names, not verified yet; undefined if its format is not ours. */
export function readSignature(text: string): (Statement & { kid: string }) | undefined {
  try {
    const { alg, typ, kid } = decodeProtectedHeader(text)
    if (alg !== HEADER.alg || typ !== HEADER.typ || !kid) return undefined
    const payload = Buffer.from(text.split('.')[1] ?? '', 'base64url').toString()
    return { ...Statement.parse(JSON.parse(payload)), kid }
  } catch {
    return undefined
  }
}

/** Whether one of these keys made the signature. */
export async function isSigned(text: string, keys: readonly PublicKey[]): Promise<boolean> {
  for (const jwk of keys) {
    const key = await importJWK({ ...jwk }, HEADER.alg)
    const isValid = await compactVerify(text, key, { algorithms: [HEADER.alg] }).then(
      () => true,
      () => false,
    )
    if (isValid) return true
  }
  return false
}

export type DigestMaker = {
  /** Adds the next item of a member that is a list. @returns its length in the canonical form */
  addItem(member: string, item: unknown): number
  /** Ends a member. If it is a list, its items were added before. */
  endMember(member: string, value: unknown): void
  digests(): Digests
}

/**
 * Computes a digest of each member of a dossier while the dossier is written or read. The digest is the SHA-256, in
 * hex, of the member's value in the canonical form of RFC 8785. So the order of the members and all spaces may differ,
 * and no list need be in memory.
 */
export function createDigests(): DigestMaker {
  const lists = new Map<string, ReturnType<typeof createHash>>()
  const found = new Map<string, string>()
  return {
    addItem(member, item) {
      const known = lists.get(member)
      const hash = known ?? createHash('sha256').update('[')
      lists.set(member, hash)
      const text = canonicalize(item) ?? ''
      hash.update(`${known ? ',' : ''}${text}`)
      return text.length
    },
    endMember(member, value) {
      const hash = lists.get(member)?.update(']') ?? createHash('sha256').update(canonicalize(value) ?? '')
      found.set(member, hash.digest('hex'))
    },
    digests: () => Object.fromEntries(found),
  }
}
