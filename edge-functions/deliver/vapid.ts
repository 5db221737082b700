// The key by which push services identify this instance (VAPID, RFC 8292): clients subscribe with the public key.
import { Buffer } from 'node:buffer'
import { createECDH, createHmac } from 'node:crypto'

export type VapidKeys = { publicKey: string; privateKey: string }

const CURVE = 'prime256v1'
/** The order of the curve: private keys are smaller. */
const ORDER = 'ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551'

/** @param privateKey 32 bytes in base64url, as `npx web-push generate-vapid-keys` prints them */
export function vapidKeys(privateKey: string): VapidKeys {
  const curve = createECDH(CURVE)
  // The key is passed as bytes, because the edge runtime's method supports no encodings.
  curve.setPrivateKey(Buffer.from(privateKey, 'base64url'))
  return { privateKey, publicKey: curve.getPublicKey('base64url') }
}

/** The default key of an instance: stable as long as its secret is. */
export function vapidKeyOf(secret: string): string {
  for (let n = 0; ; n++) {
    const bytes = createHmac('sha256', secret).update(`kith vapid key ${n}`).digest()
    if (bytes.toString('hex') < ORDER) return bytes.toString('base64url')
  }
}
