// The function in Deno. Environment: JWT_SECRET, JWT_SECRET_NEXT, JWT_SECRET_PREVIOUS, STORAGE_URL, STORAGE_BUCKET,
// STORAGE_UPLOAD_BUCKET, STORAGE_REGION, STORAGE_ACCESS_KEY, STORAGE_SECRET_KEY; docs/configuration.md, Media.
import { jwtSecrets, needed, optional, serve } from '../shared/deno.ts'
import { sha256 } from './digest.ts'
import { createMedia } from './handler.ts'
import { s3Storage } from './storage.ts'

serve(
  createMedia({
    jwtSecrets: jwtSecrets(),
    sha256,
    storage: s3Storage({
      url: needed('STORAGE_URL').replace(/\/$/, ''),
      bucket: needed('STORAGE_BUCKET'),
      uploadBucket: optional('STORAGE_UPLOAD_BUCKET'),
      region: optional('STORAGE_REGION') ?? 'us-east-1',
      accessKey: needed('STORAGE_ACCESS_KEY'),
      secretKey: needed('STORAGE_SECRET_KEY'),
    }),
  }),
)
