// Schemas of passkeys. Requests and answers between a browser and the facade are those of WebAuthn, with bytes in
// base64url. Rules are in sql/identity/56_passkeys.sql.
import { Timestamp, Uuid, z } from '../../lib/schemas.ts'
import { DeviceName, DeviceTokenSent, Kind, Session } from './schemas.ts'

const Bytes = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^[\w-]+$/, 'must be base64url')
    .openapi({ example: 'c29tZSBrZXk' })
const CredentialId = Bytes(1400)
const Attachment = z.string().max(40).optional().describe('How the authenticator is attached. Kith ignores it.')
const Extensions = z.object({}).default({}).describe('The results of extensions. Kith uses none.')
const Type = z.literal('public-key').describe('Always `public-key`.')

export const Transports = z
  .array(z.string().max(40))
  .max(10)
  .optional()
  .describe('How browsers reach the authenticator, such as `usb` or `internal`.')
const Known = z
  .object({ id: z.string().describe('The id of the key, in base64url.'), type: Type, transports: Transports })
  .describe('A key that you already have.')

/** What a browser answers for a login or a proof: `AuthenticationResponseJSON` of WebAuthn. */
export const Signed = z
  .object({
    id: CredentialId.describe('The id of the key.'),
    rawId: CredentialId.describe('The same as `id`.'),
    type: Type,
    response: z
      .object({
        clientDataJSON: Bytes(4000).describe('The client data: the challenge and the origin.'),
        authenticatorData: Bytes(4000).describe(
          'The authenticator data: the domain, the counter, and what the device checked.',
        ),
        signature: Bytes(2000).describe('The signature of the authenticator data and the client data.'),
        userHandle: z.string().max(200).optional().describe('The user handle that the device stores. Kith ignores it.'),
      })
      .describe('The answer of the device.'),
    authenticatorAttachment: Attachment,
    clientExtensionResults: Extensions,
  })
  .openapi('PasskeySignature', { description: 'The result of `navigator.credentials.get`, as `toJSON()` returns it.' })

/** What a browser answers about a new key: `RegistrationResponseJSON` of WebAuthn. */
const Made = z
  .object({
    id: CredentialId.describe('The id of the key.'),
    rawId: CredentialId.describe('The same as `id`.'),
    type: Type,
    response: z
      .object({
        clientDataJSON: Bytes(4000).describe('The client data: the challenge and the origin.'),
        attestationObject: Bytes(20_000).describe(
          'The attestation: the public key, and what the device says about itself.',
        ),
        authenticatorData: Bytes(8000).optional().describe('A part of `attestationObject`. Kith does not read it.'),
        publicKey: Bytes(8000).optional().describe('A part of `attestationObject`. Kith does not read it.'),
        publicKeyAlgorithm: z.int().optional().describe('The algorithm of the key. Kith ignores it.'),
        transports: Transports,
      })
      .describe('The answer of the device.'),
    authenticatorAttachment: Attachment,
    clientExtensionResults: Extensions,
  })
  .openapi('NewPasskeySignature', {
    description: 'The result of `navigator.credentials.create`, as `toJSON()` returns it.',
  })

const Challenge = z.string().describe('Random bytes in base64url. They can be used once, within five minutes.')
const Timeout = z.int().describe('How long the browser may wait for the person, in milliseconds.')
const Domain = z.string().openapi({ example: 'kith.example.org' }).describe('The domain to which the key is bound.')

export const LoginOptions = z
  .object({
    challenge: Challenge,
    timeout: Timeout,
    rpId: Domain,
    allowCredentials: z
      .array(Known)
      .optional()
      .describe('The keys that are accepted; absent at a login, where the device offers the keys that it has.'),
    userVerification: z.literal('required').describe('The device must check a fingerprint, a face or a PIN.'),
  })
  .openapi('PasskeyLoginOptions', {
    description: 'The options for `PublicKeyCredential.parseRequestOptionsFromJSON` and `navigator.credentials.get`.',
  })

export const AddingOptions = z
  .object({
    challenge: Challenge,
    timeout: Timeout,
    rp: z
      .object({ id: Domain, name: z.string().describe('The name of the instance, which the device shows.') })
      .describe('Kith.'),
    user: z
      .object({
        id: z.string().describe('The user handle that the device stores: random bytes in base64url.'),
        name: z.string().describe('Your username.'),
        displayName: z.string().describe('Your username.'),
      })
      .describe('The person for whom the key is made.'),
    pubKeyCredParams: z
      .array(z.object({ alg: z.int().describe('The number of the algorithm (COSE).'), type: Type }))
      .describe('The algorithms that Kith accepts, the preferred one first.'),
    excludeCredentials: z.array(Known).describe('A device that has one of these keys makes no new one.'),
    authenticatorSelection: z
      .object({
        residentKey: z.literal('required').describe('The device keeps the key, so that a login needs no name.'),
        requireResidentKey: z.literal(true).describe('The same as `residentKey`, for old browsers.'),
        userVerification: z.literal('required').describe('The device must check a fingerprint, a face or a PIN.'),
      })
      .describe('What the authenticator must be able to do.'),
    attestation: z.literal('none').describe('Kith does not ask who made the device.'),
  })
  .openapi('PasskeyAddingOptions', {
    description:
      'The options for `PublicKeyCredential.parseCreationOptionsFromJSON` and `navigator.credentials.create`.',
  })

const Name = z.string().trim().min(1).max(60).describe('The name that you give the passkey: 1 to 60 characters.')
export const PasskeyName = z.object({ name: Name })
export const NewPasskey = z.object({ name: Name, passkey: Made, session: Kind })
export const PasskeyLogin = z.object({
  passkey: Signed,
  session: Kind,
  deviceName: DeviceName,
  deviceToken: DeviceTokenSent,
})

export const Passkey = z
  .object({
    id: Uuid,
    name: z.string().describe('The name that you gave the passkey.'),
    createdAt: Timestamp.describe('When the passkey was added.'),
    lastUsedAt: Timestamp.nullable().describe('When the passkey was last used; null if never.'),
  })
  .openapi('Passkey', { description: 'A passkey of yours.' })
export const PasskeyAdded = z
  .object({
    passkey: Passkey,
    session: Session.nullable().describe(
      'If it is your first factor, new tokens; the earlier ones no longer work, because they have proved only the password. Otherwise null.',
    ),
    recoveryCodes: z
      .array(z.string())
      .nullable()
      .describe('Ten codes if it is your first factor, otherwise null. They are not shown again.'),
  })
  .openapi('PasskeyAdded')

const FoundPasskey = z.object({
  id: z.string(),
  userId: z.string(),
  publicKey: z.hex(),
  credentialsVersion: z.number(),
})
/** What the database returns when a passkey is used. */
export const Taken = z.object({ isOpen: z.boolean(), passkey: FoundPasskey.nullable() })
/** The person's passkeys. Bytes are in hex. */
export const KnownKeys = z.object({ known: z.array(z.object({ id: z.hex(), transports: z.array(z.string()) })) })
export const Started = KnownKeys.extend({ handle: z.hex(), username: z.string() })
