// Shapes of media. What can be uploaded is in sql/media/10_assets.sql.
import { queryInteger, Timestamp, Uuid, z } from '../../lib/schemas.ts'

export const AssetId = z.object({ assetId: Uuid })
export const AssetKey = z.object({ key: Uuid })

/** How much room a picture takes, and what to show there while it loads. Null if unknown. */
export const picture = {
  width: z.int().nullable().openapi({ description: 'In pixels, as it is shown. Null if unknown.' }),
  height: z.int().nullable(),
  blurhash: z.string().nullable().openapi({ description: 'What to show while it loads: https://blurha.sh.' }),
}
export const altText = z.string().openapi({ example: 'Two people in front of a lake' })

export const NewAsset = z
  .object({
    kind: z.enum(['avatar', 'image', 'video', 'audio', 'attachment']).openapi({ example: 'image' }),
    contentType: z.string().max(100).openapi({ example: 'image/png', description: 'Without parameters.' }),
    size: z.int().openapi({ example: 52_481, description: 'The exact size in bytes.' }),
    alt: altText.nullish().openapi({
      description:
        'A description of the content, up to 1000 characters. It is the alt text wherever the asset is used without another one.',
    }),
    width: z.int().min(1).max(65_535).nullish().openapi({
      description: 'Of a picture or video, in pixels, as it is shown. The commit replaces it by what a picture says.',
    }),
    height: z.int().min(1).max(65_535).nullish(),
    blurhash: z.string().max(200).nullish().openapi({
      description: 'Of a picture or video: a [BlurHash](https://blurha.sh), to be shown while it loads.',
      example: 'LEHV6nWB2yk8pyo0adR*.7kCMdnj',
    }),
  })
  .openapi('NewAsset')

export const Upload = z
  .object({
    assetId: Uuid,
    uploadUrl: z
      .string()
      .openapi({ description: 'Accepts a PUT of the file from anybody who has this URL, until `expiresAt`.' }),
    publicUrl: z.string().openapi({ description: 'The URL of the asset after the commit.' }),
    expiresAt: Timestamp,
    headers: z.record(z.string(), z.string()).openapi({ description: 'Send exactly these with the PUT.' }),
  })
  .openapi('Upload')
export const UploadInParts = z
  .object({
    assetId: Uuid,
    publicUrl: z.string().openapi({ description: 'The URL of the asset after the commit.' }),
    partSize: z.int().min(1).openapi({ description: 'The size of every part but the last, in bytes.' }),
    parts: z
      .array(
        z.object({
          number: z.int().min(1).max(100),
          size: z.int().min(1),
          arrived: z.boolean().openapi({ description: 'Whether the storage has this part.' }),
          uploadUrl: z.string().nullable().openapi({
            description:
              'Accepts a PUT of this part from anybody who has this URL, until `expiresAt`. Null if it has arrived.',
          }),
          headers: z
            .record(z.string(), z.string())
            .nullable()
            .openapi({ description: 'Send exactly these with the PUT.' }),
          expiresAt: Timestamp.nullable(),
        }),
      )
      .openapi({ description: 'In the order of the file, at most 100.' }),
  })
  .openapi('UploadInParts')
export const UploadAlias = z.object({ uploadUrl: z.string(), key: Uuid })

export const Asset = z
  .object({
    assetId: Uuid,
    kind: z.string(),
    contentType: z.string(),
    size: z.int(),
    key: Uuid,
    status: z.enum(['pending', 'committed']),
    publicUrl: z.string(),
    partSize: z.int().nullable().openapi({ description: 'Null unless the file is uploaded in parts.' }),
    alt: z.string().nullable(),
    ...picture,
    createdAt: Timestamp,
    committedAt: Timestamp.nullable(),
  })
  .openapi('Asset')

/** An asset as others see it, where it is used. */
export const Attachment = z
  .object({
    assetId: Uuid,
    url: z.string(),
    contentType: z.string(),
    alt: z.string().nullable().openapi({ description: 'What the asset shows, in words.' }),
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
  }),
  z.object({ outcome: z.literal('missing') }),
  z.object({ outcome: z.literal('unfit') }),
  z.object({ outcome: z.literal('large') }),
])

export const UploadToken = z.object({
  token: z.string().max(200).default('').openapi({ description: 'Part of `uploadUrl`.' }),
  uploadId: Uuid.optional().openapi({ description: 'Part of the `uploadUrl` of a part.' }),
  part: queryInteger(1, 100).optional(),
})

export const styles = ['lorelei', 'notionists', 'personas', 'micah', 'avataaars'] as const
export const NewAvatar = z
  .object({
    style: z.enum(styles),
    seed: z.string().min(1).max(200).optional().openapi({ description: 'Default: yourself.' }),
  })
  .openapi('NewAvatar')
export const Avatar = z
  .object({ svg: z.string(), url: z.string().openapi({ description: 'Can be used as a `profilePicUrl`.' }) })
  .openapi('Avatar')
export const AvatarParams = z.object({
  style: z.enum(styles),
  picture: z.string().regex(/^[0-9a-f]{32}$/, 'must be from the URL of a generated avatar'),
})
