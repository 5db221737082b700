// Schemas of media. The rules about uploads are in sql/media/10_assets.sql.
import { CommittedAt } from '../../lib/fields.ts'
import { IdParam, queryInteger, Timestamp, Uuid, z } from '../../lib/schemas.ts'

export const AssetId = z.object({ assetId: IdParam })
export const AssetKey = z.object({ key: Uuid })

/** How much space a picture or video takes, and what to show there until it is loaded or plays. */
export const picture = {
  width: z.int().nullable().describe('The width in pixels, as the picture or video is shown; null if unknown.'),
  height: z.int().nullable().describe('The height in pixels, as the picture or video is shown; null if unknown.'),
  blurhash: z
    .string()
    .nullable()
    .describe('A [BlurHash](https://blurha.sh), to be shown while the picture loads. Null if unknown.'),
  posterUrl: z.string().nullable().describe('The picture to show until a video plays; null if there is none.'),
}
export const AltText = z
  .string()
  .nullable()
  .describe('What the file shows, for people who cannot see it; null if the author did not say.')
export const altText = z.string().openapi({ example: 'Two people in front of a lake' })

export const NewAsset = z
  .object({
    kind: z
      .enum(['avatar', 'image', 'video', 'audio', 'attachment'])
      .openapi({ example: 'image' })
      .describe('The purpose of the upload, which decides the types and the largest size.'),
    contentType: z.string().max(100).openapi({ example: 'image/png', description: 'Without parameters.' }),
    size: z.int().openapi({ example: 52_481, description: 'The exact size in bytes.' }),
    alt: altText
      .nullish()
      .describe(
        'What the file shows, for people who cannot see it: up to 1000 characters. It is the alt text wherever the asset is used without another one.',
      ),
    width: z
      .int()
      .min(1)
      .max(65_535)
      .nullish()
      .describe(
        'The size of a picture or video in pixels, as it is shown. For a picture, the commit replaces it with the value from the file.',
      ),
    height: z
      .int()
      .min(1)
      .max(65_535)
      .nullish()
      .describe(
        'The size of a picture or video in pixels, as it is shown. For a picture, the commit replaces it with the value from the file.',
      ),
    blurhash: z
      .string()
      .max(200)
      .nullish()
      .openapi({ example: 'LEHV6nWB2yk8pyo0adR*.7kCMdnj' })
      .describe('A [BlurHash](https://blurha.sh) of a picture or video, to be shown while it loads.'),
    posterId: Uuid.nullish().describe(
      'The poster of a video, to be shown until it plays: a committed asset of yours of kind `image`.',
    ),
  })
  .openapi('NewAsset')

export const Upload = z
  .object({
    assetId: Uuid,
    uploadUrl: z
      .string()
      .describe('The URL that accepts a PUT of the file from anybody who has it, until `expiresAt`.'),
    publicUrl: z.string().describe('The URL of the asset after the commit.'),
    expiresAt: Timestamp,
    headers: z.record(z.string(), z.string()).describe('The headers of the PUT, to send exactly as given.'),
  })
  .openapi('Upload')
export const UploadInParts = z
  .object({
    assetId: Uuid,
    publicUrl: z.string().describe('The URL of the asset after the commit.'),
    partSize: z.int().min(1).describe('The size of every part but the last, in bytes.'),
    parts: z
      .array(
        z.object({
          number: z.int().min(1).max(100).describe('The position of the part in the file, from 1.'),
          size: z.int().min(1).describe('Bytes.'),
          arrived: z.boolean().describe('Whether the storage has this part.'),
          uploadUrl: z
            .string()
            .nullable()
            .describe(
              'The URL that accepts a PUT of this part from anybody who has it, until `expiresAt`. Null if the part has arrived.',
            ),
          headers: z
            .record(z.string(), z.string())
            .nullable()
            .describe('The headers of the PUT, to send exactly as given. Null if the part has arrived.'),
          expiresAt: Timestamp.nullable().describe('Until when the URL is valid; null if the part has arrived.'),
        }),
      )
      .describe('The parts in the order of the file, at most 100.'),
  })
  .openapi('UploadInParts')
export const UploadAlias = z.object({
  uploadUrl: z.string().describe('The URL that accepts a PUT of the file from anybody who has it.'),
  key: Uuid,
})

export const Asset = z
  .object({
    assetId: Uuid,
    kind: z.string().describe('The purpose of the upload, as announced.'),
    contentType: z.string().describe('The announced media type, with which it is served.'),
    size: z.int().describe('Bytes.'),
    key: Uuid.describe('The same as `assetId`.'),
    status: z.enum(['pending', 'committed']).describe('`pending` until you commit it; then it can be used.'),
    publicUrl: z.string().describe('The URL at which everybody can read the file once it is committed.'),
    partSize: z.int().nullable().describe('The size of a part in bytes; null unless the file is uploaded in parts.'),
    alt: AltText,
    ...picture,
    createdAt: Timestamp,
    committedAt: CommittedAt,
  })
  .openapi('Asset')

/** An asset as others see it, where it is used. */
export const Attachment = z
  .object({
    assetId: Uuid,
    url: z.string().describe('The URL of the file.'),
    contentType: z.string().describe('The media type, such as `image/png`.'),
    alt: AltText,
    ...picture,
  })
  .openapi('Attachment')

/** What the function returns: edge-functions/media/handler.ts. */
export const Signed = z.object({ url: z.string(), headers: z.record(z.string(), z.string()), expiresAt: z.string() })
export const Continued = z.object({
  uploadId: z.string(),
  parts: z.array(z.object({ number: z.int(), size: z.int(), upload: Signed.nullable() })),
})
export const Kept = z.object({ uploadId: z.string().nullable() })
export const Looked = z.discriminatedUnion('outcome', [
  z.object({
    outcome: z.literal('committed'),
    mimeType: z.string(),
    width: z.int().nullable(),
    height: z.int().nullable(),
    sha256: z.string().nullable(),
  }),
  z.object({ outcome: z.literal('missing') }),
  z.object({ outcome: z.literal('unfit') }),
  z.object({ outcome: z.literal('large') }),
])

export const UploadToken = z.object({
  token: z.string().max(200).default('').describe('Part of `uploadUrl`.'),
  uploadId: Uuid.optional().describe('Part of the `uploadUrl` of a part.'),
  part: queryInteger(1, 100).optional().describe('Part of the `uploadUrl` of a part.'),
})

export const styles = ['lorelei', 'notionists', 'personas', 'micah', 'avataaars'] as const
export const NewAvatar = z
  .object({
    style: z.enum(styles).describe('How the picture is drawn. The README names the authors of the styles.'),
    seed: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('The same seed gives the same picture. Default: your account.'),
  })
  .openapi('NewAvatar')
export const Avatar = z
  .object({
    svg: z.string().describe('The picture itself.'),
    url: z.string().describe('The URL of the picture, which can be a `profilePicUrl`.'),
  })
  .openapi('Avatar')
export const AvatarParams = z.object({
  style: z.enum(styles).describe('The style in the URL of a generated avatar.'),
  picture: z
    .string()
    .regex(/^[0-9a-f]{32}$/, 'must be from the URL of a generated avatar')
    .describe('The name in the URL of a generated avatar: 32 digits in lower-case hex.'),
})
