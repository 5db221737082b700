// A software authenticator for passkeys: ES256 keys, attestation "none". It answers as a browser does, and can also do
// what must be rejected: use another origin or a copied key, or not check the person.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

type Options = { challenge: string; rp?: { id: string }; rpId?: string }
type Faults = { origin?: string; domain?: string; isVerified?: boolean }

const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest()

/** Encodes in CBOR the few types that a key and its attestation consist of. */
function cbor(value: unknown): Buffer {
  const head = (major: number, size: number) =>
    size < 24
      ? Buffer.from([(major << 5) | size])
      : size < 256
        ? Buffer.from([(major << 5) | 24, size])
        : Buffer.from([(major << 5) | 25, size >> 8, size & 255])
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  const entries = [...(value as Map<unknown, unknown>)]
  return Buffer.concat([head(5, entries.length), ...entries.flatMap((entry) => entry.map(cbor))])
}

export class Authenticator {
  readonly id = randomBytes(32)
  readonly #origin: string
  readonly #key: KeyObject
  readonly #public: Buffer
  counter = 0

  /** @param origin the page in which the browser asks for the key */
  constructor(origin: string) {
    this.#origin = origin
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    this.#key = privateKey
    const coordinates = [x, y].map((text) => Buffer.from(text, 'base64url'))
    this.#public = cbor(
      new Map<number, unknown>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, coordinates[0]],
        [-3, coordinates[1]],
      ]),
    )
  }

  /** Answers `navigator.credentials.create`. */
  make(options: Options, faults: Faults = {}) {
    const length = Buffer.from([0, this.id.length])
    const attested = Buffer.concat([Buffer.alloc(16), length, this.id, this.#public])
    const authData = Buffer.concat([this.#said(options, faults, 0x40), attested])
    const attestation = cbor(
      new Map<string, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ]),
    )
    return this.#answer({
      clientDataJSON: this.#client('webauthn.create', options, faults).toString('base64url'),
      attestationObject: attestation.toString('base64url'),
      transports: ['internal'],
    })
  }

  /** Answers `navigator.credentials.get`. */
  sign(options: Options, faults: Faults = {}) {
    this.counter += 1
    const client = this.#client('webauthn.get', options, faults)
    const authData = this.#said(options, faults, 0)
    return this.#answer({
      clientDataJSON: client.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: sign('sha256', Buffer.concat([authData, sha256(client)]), this.#key).toString('base64url'),
    })
  }

  #answer<Response extends object>(response: Response) {
    const id = this.id.toString('base64url')
    return { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} }
  }

  #client = (type: string, { challenge }: Options, { origin = this.#origin }: Faults) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))

  /**
   * The authenticator data: the domain, what the device checked (the person's presence and identity), and its counter.
   */
  #said({ rp, rpId = rp?.id ?? '' }: Options, { domain = rpId, isVerified = true }: Faults, more: number): Buffer {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(this.counter)
    return Buffer.concat([sha256(domain), Buffer.from([0x01 | (isVerified ? 0x04 : 0) | more]), counter])
  }
}
