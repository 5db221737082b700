// Passkeys in the browser. The API uses base64url for bytes, and the browser uses buffers.
import type { Schema } from 'kith/client'
import { base64url, bytesOf } from './base64url.ts'
import { PageError } from './errors.ts'
import { loginTexts } from './login-texts.ts'

/** Whether this browser can use passkeys: it can only on pages that are served over TLS, and on localhost. */
export const canUsePasskeys = 'PublicKeyCredential' in globalThis

type Known = { id: string; type: 'public-key'; transports?: string[] }
const known = ({ id, type, transports }: Known): PublicKeyCredentialDescriptor => ({
  id: bytesOf(id),
  type,
  ...(transports && { transports: transports as AuthenticatorTransport[] }),
})
const textOf = (buffer: ArrayBuffer): string => base64url(new Uint8Array(buffer))

/** The browser's answer. Its error is the same whether the person refused, waited too long or has no passkey. */
async function answered(asked: Promise<Credential | null>): Promise<PublicKeyCredential> {
  const credential = await asked.catch((failure: unknown) => {
    if (failure instanceof DOMException) throw new PageError(loginTexts.value.passkeyUnused)
    throw failure
  })
  if (!credential) throw new PageError(loginTexts.value.passkeyUnused)
  return credential as PublicKeyCredential
}

/** Makes a key for this account. */
export async function makePasskey(options: Schema<'PasskeyAddingOptions'>): Promise<Schema<'NewPasskeySignature'>> {
  const { challenge, user, excludeCredentials } = options
  const publicKey: PublicKeyCredentialCreationOptions = {
    ...options,
    challenge: bytesOf(challenge),
    user: { ...user, id: bytesOf(user.id) },
    excludeCredentials: excludeCredentials.map(known),
  }
  const { id, rawId, response } = await answered(navigator.credentials.create({ publicKey }))
  const said = response as AuthenticatorAttestationResponse
  return {
    id,
    rawId: textOf(rawId),
    type: 'public-key',
    response: {
      clientDataJSON: textOf(said.clientDataJSON),
      attestationObject: textOf(said.attestationObject),
      transports: said.getTransports(),
    },
  }
}

/** Signs with a key of the person: for a login, or to prove who it is. */
export async function signWithPasskey(options: Schema<'PasskeyLoginOptions'>): Promise<Schema<'PasskeySignature'>> {
  const { challenge, allowCredentials, ...rest } = options
  const publicKey: PublicKeyCredentialRequestOptions = {
    ...rest,
    challenge: bytesOf(challenge),
    ...(allowCredentials && { allowCredentials: allowCredentials.map(known) }),
  }
  const { id, rawId, response } = await answered(navigator.credentials.get({ publicKey }))
  const said = response as AuthenticatorAssertionResponse
  return {
    id,
    rawId: textOf(rawId),
    type: 'public-key',
    response: {
      clientDataJSON: textOf(said.clientDataJSON),
      authenticatorData: textOf(said.authenticatorData),
      signature: textOf(said.signature),
    },
  }
}
