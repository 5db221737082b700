// Detects the type of a file by its first bytes. Names and headers cannot be trusted.

/** The number of bytes that are enough. */
export const HEAD_BYTES = 512

type Signature = { type: string; fits(head: Head): boolean }
type Head = { bytes: Uint8Array; text: string }

const begins =
  (...magic: number[]) =>
  ({ bytes }: Head): boolean =>
    magic.every((byte, i) => bytes[i] === byte)
const says =
  (word: string, at = 0) =>
  ({ text }: Head): boolean =>
    text.startsWith(word, at)
const both =
  (...tests: ((head: Head) => boolean)[]) =>
  (head: Head): boolean =>
    tests.every((fits) => fits(head))

/** The brands of an ISO base media file, the major one first. */
function brandsOf({ bytes, text }: Head): string[] {
  if (text.slice(4, 8) !== 'ftyp') return []
  const size = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0)
  const all = text.slice(8, Math.min(size, text.length)).match(/.{4}/gs) ?? []
  return [...all.slice(0, 1), ...all.slice(2)] // The second field is a version.
}
const major =
  (brand: RegExp) =>
  (head: Head): boolean =>
    brand.test(brandsOf(head)[0] ?? '')

// The first match counts.
const signatures: readonly Signature[] = [
  { type: 'image/jpeg', fits: begins(0xff, 0xd8, 0xff) },
  { type: 'image/png', fits: begins(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a) },
  { type: 'image/gif', fits: (head) => says('GIF87a')(head) || says('GIF89a')(head) },
  { type: 'image/webp', fits: both(says('RIFF'), says('WEBP', 8)) },
  { type: 'audio/wav', fits: both(says('RIFF'), says('WAVE', 8)) },
  { type: 'image/avif', fits: major(/^avi[fs]$/) },
  { type: 'audio/mp4', fits: major(/^M4[AB] $/) },
  { type: 'video/quicktime', fits: major(/^qt {2}$/) },
  {
    type: 'video/mp4',
    fits: (head) => brandsOf(head).some((brand) => /^(iso\w|mp4\d|avc1|dash|M4V |MSNV|3g[pg]\w)$/.test(brand)),
  },
  { type: 'video/webm', fits: both(begins(0x1a, 0x45, 0xdf, 0xa3), ({ text }) => /\x42\x82.{1,8}webm/s.test(text)) },
  { type: 'audio/ogg', fits: says('OggS') },
  { type: 'audio/flac', fits: says('fLaC') },
  { type: 'audio/mpeg', fits: says('ID3') },
  { type: 'audio/aac', fits: ({ bytes: [one = 0, two = 0] }) => one === 0xff && (two & 0xf6) === 0xf0 },
  { type: 'audio/mpeg', fits: ({ bytes: [one = 0, two = 0] }) => one === 0xff && (two & 0xe6) === 0xe2 },
  { type: 'application/pdf', fits: says('%PDF-') },
  { type: 'application/zip', fits: begins(0x50, 0x4b, 0x03, 0x04) },
]

// Containers that can also have only sound.
const soundOf: Readonly<Record<string, string>> = { 'video/mp4': 'audio/mp4', 'video/webm': 'audio/webm' }

/** The type of these first bytes; undefined for types that cannot be uploaded. */
export function typeOf(bytes: Uint8Array): string | undefined {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  return signatures.find(({ fits }) => fits({ bytes, text }))?.type
}

/** Whether a file that was announced as `announced` may be of type `found`. */
export const isThatType = (announced: string, found: string | undefined): boolean =>
  found !== undefined && (found === announced || soundOf[found] === announced)
