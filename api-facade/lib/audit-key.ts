// The key that signs checkpoints of the audit log (Ed25519). The database does not have it, so whoever owns the tables
// cannot sign. docs/decisions.md, Staff.
import { createHmac, createPublicKey, sign } from 'node:crypto'
import type { Config } from './config.ts'
import { privateKeyOf, publicPartOf } from './signing.ts'

export type AuditKey = {
  /** The public key in base64url. */
  publicKey: string
  /** The public key in PEM. */
  pem: string
  /** @returns the signature of the text, in base64url */
  sign(text: string): string
}

/** The key of AUDIT_KEY; without it, one derived from the secret. */
export function createAuditKey({ auditKey }: Config, secret: string): AuditKey {
  const seed = auditKey
    ? Buffer.from(auditKey, 'base64url')
    : createHmac('sha256', secret).update('kith audit key').digest()
  const key = privateKeyOf(seed)
  return {
    publicKey: publicPartOf(key),
    pem: String(createPublicKey(key).export({ format: 'pem', type: 'spki' })),
    sign: (text) => sign(null, Buffer.from(text), key).toString('base64url'),
  }
}
