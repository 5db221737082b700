// The width and height that the function `media` reads from the first bytes of a picture.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dimensionsOf, PICTURE_BYTES } from '../../edge-functions/media/dimensions.ts'

const ascii = (text: string) => [...text].map((sign) => sign.charCodeAt(0))
const be = (bytes: number) => (n: number) =>
  Array.from({ length: bytes }, (_, i) => (n >>> (8 * (bytes - 1 - i))) & 255)
const [be16, be32] = [be(2), be(4)]
const le16 = (n: number) => be16(n).reverse()
const box = (name: string, ...content: number[][]) => [
  ...be32(8 + content.flat().length),
  ...ascii(name),
  ...content.flat(),
]
const full = be32(0) // the version and flags of a box that has them

const png = [...[0x89], ...ascii('PNG\r\n\x1a\n'), ...be32(13), ...ascii('IHDR'), ...be32(640), ...be32(480)]
const gif = [...ascii('GIF89a'), ...le16(640), ...le16(480)]
const webp = (format: string, ...content: number[]) => [
  ...ascii('RIFF'),
  ...be32(0),
  ...ascii(`WEBP${format}`),
  ...be32(0),
  ...content,
]
const segment = (marker: number, ...content: number[]) => [0xff, marker, ...be16(2 + content.length), ...content]
const frame = (marker = 0xc0) => segment(marker, 8, ...be16(480), ...be16(640), 3)
const exif = (orientation: number, isLittle: boolean) => {
  const [n16, n32] = isLittle ? [le16, (n: number) => be32(n).reverse()] : [be16, be32]
  const entries = [
    ...n16(0x010f),
    ...n16(2),
    ...n32(1),
    ...n32(0),
    ...n16(0x0112),
    ...n16(3),
    ...n32(1),
    ...n16(orientation),
    0,
    0,
  ]
  return segment(
    0xe1,
    ...ascii('Exif\0\0'),
    ...ascii(isLittle ? 'II' : 'MM'),
    ...n16(42),
    ...n32(8),
    ...n16(2),
    ...entries,
  )
}
const jpeg = (...segments: number[][]) => [0xff, 0xd8, ...segments.flat()]
const size = (width: number, height: number) => box('ispe', full, be32(width), be32(height))
const avif = (...properties: number[][]) => [
  ...box('ftyp', ascii('avif'), be32(0)),
  ...box('meta', full, box('hdlr', be32(0)), box('iprp', box('ipco', ...properties))),
]

const lying = { width: 640, height: 480 }
const upright = { width: 480, height: 640 }
describe('The dimensions', () => {
  test.each<[string, string, number[], object | undefined]>([
    ['a PNG', 'image/png', png, lying],
    ['a GIF', 'image/gif', gif, lying],
    ['an extended WebP', 'image/webp', webp('VP8X', ...be32(0), 0x7f, 2, 0, 0xdf, 1, 0), lying],
    ['a lossless WebP', 'image/webp', webp('VP8L', 0x2f, 0x7f, 0xc2, 0x77, 0), lying],
    ['a lossy WebP', 'image/webp', webp('VP8 ', 0, 0, 0, 0x9d, 1, 0x2a, ...le16(640), ...le16(480)), lying],
    ['another WebP', 'image/webp', webp('VP9 ', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), undefined],
    ['a JPEG', 'image/jpeg', jpeg(segment(0xe0, 0, 0), segment(0xc4, 0), frame()), lying],
    ['a progressive JPEG', 'image/jpeg', jpeg([0xff, 0xff], segment(0xdb, 0).slice(1), frame(0xc2)), lying],
    ['a JPEG that lies', 'image/jpeg', jpeg(exif(1, true), frame()), lying],
    ['a JPEG turned by 180°', 'image/jpeg', jpeg(exif(3, false), frame()), lying],
    ['a JPEG turned to the right', 'image/jpeg', jpeg(exif(6, true), frame()), upright],
    [
      'a JPEG turned to the left',
      'image/jpeg',
      jpeg(exif(8, false), segment(0xe1, 0, 0, 0, 0, 0, 0), frame()),
      upright,
    ],
    ['a JPEG without a frame', 'image/jpeg', jpeg(segment(0xe0, 0, 0), [0, 0]), undefined],
    ['an AVIF', 'image/avif', avif(size(640, 480)), lying],
    ['an AVIF of tiles', 'image/avif', avif(size(64, 64), box('pixi', full), size(640, 480), size(32, 32)), lying],
    ['a turned AVIF', 'image/avif', avif(size(640, 480), box('irot', [1])), upright],
    ['an AVIF turned by 180°', 'image/avif', avif(size(640, 480), box('irot', [2])), lying],
    ['an AVIF without a size', 'image/avif', avif(box('pixi', full)), undefined],
    ['a picture that is too wide', 'image/gif', [...ascii('GIF89a'), ...le16(0), ...le16(480)], undefined],
    ['a picture that is too high', 'image/png', [...png.slice(0, 20), ...be32(65_536)], undefined],
    ['a film', 'video/mp4', png, undefined],
  ])('of %s', (_what, type, bytes, expected) => {
    expect(dimensionsOf(type, Uint8Array.from(bytes))).toEqual(expected)
  })

  test.each([
    ['image/png', png],
    ['image/gif', gif],
    ['image/jpeg', jpeg(exif(6, true), frame())],
    ['image/avif', avif(size(640, 480))],
  ])('of a %s that ends too early are unknown', (type, bytes) => {
    // the last byte of the frame's segment is the number of colours, which the function doesn't read
    for (let length = 0; length < bytes.length - 1; length++)
      expect(dimensionsOf(type, Uint8Array.from(bytes.slice(0, length))), `${length}`).toBe(undefined)
  })

  test('of any other bytes are unknown or within the limits', () => {
    const types = ['image/png', 'image/gif', 'image/webp', 'image/jpeg', 'image/avif']
    const pieces = [
      png,
      gif,
      webp('VP8X'),
      jpeg(exif(6, true)),
      frame(),
      avif(size(9, 9)),
      box('ispe'),
      [0xff, 0xe1, 0, 0],
    ]
    const bytes = fc
      .array(fc.oneof(fc.constantFrom(...pieces), fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 9 })))
      .map((all) => Uint8Array.from(all.flat()))
    fc.assert(
      fc.property(fc.constantFrom(...types), bytes, (type, given) => {
        const { width, height } = dimensionsOf(type, given) ?? lying
        expect(Math.min(width, height)).toBeGreaterThan(0)
        expect(Math.max(width, height)).toBeLessThan(65_536)
      }),
    )
  })

  test('are found or given up in time proportional to the number of bytes', () => {
    const fill = (begin: number[], piece: number[]) =>
      Uint8Array.from({ length: PICTURE_BYTES }, (_, i) => begin[i] ?? piece[(i - begin.length) % piece.length] ?? 0)
    const endless = (name: string) => [...be32(PICTURE_BYTES), ...ascii(name)]
    const list = [
      ...box('ftyp', ascii('avif'), be32(0)),
      ...endless('meta'),
      ...full,
      ...endless('iprp'),
      ...endless('ipco'),
    ]
    for (const [type, bytes] of [
      ['image/avif', fill(list, size(0, 0))],
      ['image/avif', fill(list, box('irot'))],
      ['image/jpeg', fill([0xff, 0xd8], [0xff, 0xe1, 0, 0])],
      ['image/jpeg', fill([0xff, 0xd8], [0xff])],
    ] as const) {
      let reads = 0
      const counted = new Proxy(DataView.prototype.getUint8, {
        apply: (read, view, args) => {
          reads++
          return Reflect.apply(read, view, args)
        },
      })
      const before = DataView.prototype.getUint8
      DataView.prototype.getUint8 = counted
      try {
        expect(dimensionsOf(type, bytes)).toBe(undefined)
      } finally {
        DataView.prototype.getUint8 = before
      }
      expect(reads).toBeLessThan(4 * PICTURE_BYTES)
    }
  })
})
