// Tokens and API keys, which one of several secrets may have signed. During a change of the secret there are two.
import { createSecretKey } from 'node:crypto'
import { errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose'

type Verify = (token: string) => Promise<JWTPayload>

/** @param secrets at least one. The function throws the error of jose for the last secret */
export function jwtVerifier(secrets: readonly string[], options: Omit<JWTVerifyOptions, 'algorithms'> = {}): Verify {
  const keys = secrets.map((secret) => createSecretKey(Buffer.from(secret)))
  return async (token) => {
    let failure: unknown
    for (const key of keys) {
      try {
        return (await jwtVerify(token, key, { ...options, algorithms: ['HS256'] })).payload
      } catch (error) {
        failure = error
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) break
      }
    }
    throw failure
  }
}
