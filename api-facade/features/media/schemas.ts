// Shapes of media. What can be uploaded is in sql/media/10_assets.sql.
import { CommittedAt } from '../../lib/fields.ts'
import { IdParam, Timestamp, Uuid, z } from '../../lib/schemas.ts'

export const AssetId = z.object({ assetId: IdParam })
export const AssetKey = z.object({ key: Uuid })

export const NewAsset = z
  .object({
    kind: z
      .enum(['avatar', 'image', 'video', 'audio', 'attachment'])
      .openapi({ example: 'image' })
      .describe('What it is for, which decides the types and the largest size.'),
    contentType: z.string().max(100).openapi({ example: 'image/png', description: 'Without parameters.' }),
    size: z.int().openapi({ example: 52_481, description: 'The exact size in bytes.' }),
  })
  .openapi('NewAsset')

export const Upload = z
  .object({
    assetId: Uuid,
    uploadUrl: z.string().describe('Accepts a PUT of the file from anybody who has this URL, until `expiresAt`.'),
    publicUrl: z.string().describe('The URL of the asset after the commit.'),
    expiresAt: Timestamp,
    headers: z.record(z.string(), z.string()).describe('Send exactly these with the PUT.'),
  })
  .openapi('Upload')
export const UploadAlias = z.object({
  uploadUrl: z.string().describe('Accepts a PUT of the file from anybody who has this URL.'),
  key: Uuid,
})

export const Asset = z
  .object({
    assetId: Uuid,
    kind: z.string().describe('What it is for, as announced.'),
    contentType: z.string().describe('The announced media type, with which it is served.'),
    size: z.int().describe('Bytes.'),
    key: Uuid.describe('The same as `assetId`.'),
    status: z.enum(['pending', 'committed']).describe('`pending` until you commit it; then it can be used.'),
    publicUrl: z.string().describe('Where everybody can read it once it is committed.'),
    createdAt: Timestamp,
    committedAt: CommittedAt,
  })
  .openapi('Asset')

/** What the function returns: edge-functions/media/handler.ts. */
export const Signed = z.object({ url: z.string(), headers: z.record(z.string(), z.string()), expiresAt: z.string() })
export const Looked = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('committed'), mimeType: z.string() }),
  z.object({ outcome: z.literal('missing') }),
  z.object({ outcome: z.literal('unfit') }),
  z.object({ outcome: z.literal('large') }),
])

export const UploadToken = z.object({
  token: z.string().max(200).default('').describe('Part of `uploadUrl`.'),
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
    url: z.string().describe('Can be used as a `profilePicUrl`.'),
  })
  .openapi('Avatar')
export const AvatarParams = z.object({
  style: z.enum(styles).describe('The style in the URL of a generated avatar.'),
  picture: z
    .string()
    .regex(/^[0-9a-f]{32}$/, 'must be from the URL of a generated avatar')
    .describe('The name in the URL of a generated avatar: 32 digits in lower-case hex.'),
})
