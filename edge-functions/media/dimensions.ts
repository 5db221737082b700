// Reads the width and height of a picture from its first bytes, as it is shown: after the rotation that its metadata
// asks for. A file is never decoded, and each byte is read at most once, so a malicious file costs no more than others.

/** How many bytes are read. They are enough, unless a picture has much metadata before its size. */
export const PICTURE_BYTES = 256 * 1024

export type Dimensions = { width: number; height: number }

/** The largest width or height that is kept, as in app.media_assets. */
const MOST = 65_535

/** @returns undefined if the bytes do not contain the size */
export function dimensionsOf(type: string, bytes: Uint8Array): Dimensions | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    const found = readers[type]?.(view)
    return found && isKept(found.width) && isKept(found.height) ? found : undefined
  } catch (failure) {
    if (failure instanceof RangeError) return undefined // The bytes end too early.
    throw failure
  }
}

const isKept = (pixels: number): boolean => pixels >= 1 && pixels <= MOST
const textAt = (view: DataView, at: number, length: number): string =>
  String.fromCharCode(...Array.from({ length }, (_, i) => view.getUint8(at + i)))
const uint24 = (view: DataView, at: number): number => view.getUint16(at, true) + view.getUint8(at + 2) * 0x10000
const turned = ({ width, height }: Dimensions): Dimensions => ({ width: height, height: width })

const readers: Readonly<Record<string, (view: DataView) => Dimensions | undefined>> = {
  'image/png': (view) => ({ width: view.getUint32(16), height: view.getUint32(20) }),
  'image/gif': (view) => ({ width: view.getUint16(6, true), height: view.getUint16(8, true) }),
  'image/webp': readWebp,
  'image/jpeg': readJpeg,
  'image/avif': readAvif,
}

function readWebp(view: DataView): Dimensions | undefined {
  const format = textAt(view, 12, 4)
  if (format === 'VP8X') return { width: uint24(view, 24) + 1, height: uint24(view, 27) + 1 }
  if (format === 'VP8 ') return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
  if (format !== 'VP8L') return undefined
  const bits = view.getUint32(21, true)
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
}

function readJpeg(view: DataView): Dimensions | undefined {
  let isTurned = false
  // A segment begins with FF, its marker, and its length, which includes the length field itself.
  for (let at = 2; view.getUint8(at) === 0xff; at += 2 + view.getUint16(at + 2)) {
    while (view.getUint8(at + 1) === 0xff) at++ // fill bytes
    const marker = view.getUint8(at + 1)
    if (marker === 0xe1 && textAt(view, at + 4, 6) === 'Exif\0\0') isTurned = orientationAt(view, at + 10) >= 5
    // The size is in the frame header, SOF0 to SOF15. Of these markers, C4 and CC are tables, and C8 is reserved.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      const size = { width: view.getUint16(at + 7), height: view.getUint16(at + 5) }
      return isTurned ? turned(size) : size
    }
  }
  return undefined
}

/** The orientation in Exif, which is TIFF: 5 to 8 turn the picture by a quarter. */
function orientationAt(view: DataView, start: number): number {
  const isLittle = view.getUint16(start) === 0x4949
  const first = start + view.getUint32(start + 4, isLittle)
  const count = Math.min(view.getUint16(first, isLittle), 100)
  for (let at = first + 2; at < first + 2 + count * 12; at += 12)
    if (view.getUint16(at, isLittle) === 0x0112) return view.getUint16(at + 8, isLittle)
  return 1
}

type Box = { name: string; from: number; to: number }

/** The boxes of an ISO base media file between two positions. */
function* boxesIn(view: DataView, from: number, to: number): Generator<Box> {
  for (let at = from; at + 8 <= to; ) {
    const size = view.getUint32(at)
    if (size < 8) return // The box extends to the end, or its size has 64 bits. Such a box does not matter here.
    yield { name: textAt(view, at + 4, 4), from: at + 8, to: Math.min(at + size, to) }
    at += size
  }
}
function boxIn(view: DataView, name: string, { from, to }: Omit<Box, 'name'>): Box | undefined {
  for (const box of boxesIn(view, from, to)) if (box.name === name) return box
  return undefined
}

/** The largest of the pictures in the file, because the others are its tiles, its transparency or its preview. */
function readAvif(view: DataView): Dimensions | undefined {
  const meta = boxIn(view, 'meta', { from: 0, to: view.byteLength })
  const properties = meta && boxIn(view, 'iprp', { from: meta.from + 4, to: meta.to })
  const list = properties && boxIn(view, 'ipco', properties)
  if (!list) return undefined
  let largest: Dimensions | undefined
  let isTurned = false
  for (const { name, from } of boxesIn(view, list.from, list.to)) {
    if (name === 'irot') isTurned = view.getUint8(from) % 2 === 1
    if (name !== 'ispe') continue
    const size = { width: view.getUint32(from + 4), height: view.getUint32(from + 8) }
    if (!largest || size.width * size.height > largest.width * largest.height) largest = size
  }
  return largest && isTurned ? turned(largest) : largest
}
