// The smallest files that are recognized by their first bytes.
const ascii = (text: string) => [...text].map((sign) => sign.charCodeAt(0))
const box = (brand: string, ...more: string[]) =>
  [0, 0, 0, 16 + 4 * more.length, ...ascii(`ftyp${brand}`), 0, 0, 0, 0].concat(more.flatMap(ascii))
const webm = [0x1a, 0x45, 0xdf, 0xa3, 0x9f, 0x42, 0x82, 0x84, ...ascii('webm')]

/** The bytes of a small file, by content type. */
export const files: Readonly<Record<string, Uint8Array<ArrayBuffer>>> = Object.fromEntries(
  Object.entries({
    'image/jpeg': [0xff, 0xd8, 0xff, 0xe0],
    'image/png': [0x89, ...ascii('PNG\r\n\x1a\n')],
    'image/gif': ascii('GIF89a'),
    'image/webp': ascii('RIFF\x10\0\0\0WEBPVP8 '),
    'image/avif': box('avif', 'mif1'),
    'video/mp4': box('isom', 'iso2', 'mp41'),
    'video/quicktime': box('qt  '),
    'video/webm': webm,
    'audio/mpeg': [0xff, 0xfb, 0x90, 0x64],
    'audio/mp4': box('M4A ', 'mp42'),
    'audio/aac': [0xff, 0xf1, 0x50, 0x80],
    'audio/ogg': ascii('OggS\0\x02'),
    'audio/wav': ascii('RIFF\x10\0\0\0WAVEfmt '),
    'audio/webm': webm,
    'audio/flac': ascii('fLaC\0\0\0'),
    'application/pdf': ascii('%PDF-1.7\n'),
    'application/zip': ascii('PK\x03\x04'),
  }).map(([type, head]) => [type, Uint8Array.from([...head, ...ascii(' and so on')])]),
)
export const png = files['image/png'] as Uint8Array<ArrayBuffer>
/** A file that begins like a PNG of this size. It ends after the size, because nothing more of it is read. */
export const picture = (width: number, height: number): Uint8Array<ArrayBuffer> => {
  const bytes = Uint8Array.from([...png.slice(0, 8), 0, 0, 0, 13, ...ascii('IHDR'), ...Array(17).fill(0)])
  new DataView(bytes.buffer).setUint32(16, width)
  new DataView(bytes.buffer).setUint32(20, height)
  return bytes
}
