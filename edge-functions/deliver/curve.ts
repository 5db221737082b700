// Checks whether a public key is a point of the curve of browsers' keys, NIST P-256. The edge runtime's cryptography
// crashes the whole process on an invalid public key, and anybody can subscribe with one.

/** The field, and y² = x³ − 3x + B in it. */
const P = 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n
const B = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn

/** @param key an uncompressed point in base64url, as browsers send it: 4, then x and y */
export function isPublicKey(key: string): boolean {
  const hex = hexOf(key)
  if (!hex?.startsWith('04') || hex.length !== 130) return false
  const [x, y] = [BigInt(`0x${hex.slice(2, 66)}`), BigInt(`0x${hex.slice(66)}`)]
  return x < P && y < P && (y * y - (x * x * x - 3n * x + B)) % P === 0n
}

function hexOf(base64url: string): string | undefined {
  try {
    const bytes = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'))
    return [...bytes].map((byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('')
  } catch {
    return undefined
  }
}
