// Media. The rules: sql/media; what speaks to the storage: edge-functions/media.
import { routes } from '../../lib/routes.ts'
import { z } from '../../lib/schemas.ts'
import { generateAvatar, showAvatar } from './avatars.ts'
import { commit, commitAlias, presign, presignAlias } from './handlers.ts'
import { serveBytes, takeBytes } from './local.ts'
import {
  Asset,
  AssetId,
  AssetKey,
  Avatar,
  AvatarParams,
  NewAsset,
  NewAvatar,
  Upload,
  UploadAlias,
  UploadToken,
} from './schemas.ts'

export default routes('media', {
  'POST /media/presign': {
    summary: 'Announce an upload, and get the address for it',
    description: [
      'The bytes go straight to the storage: a PUT to `uploadUrl` with `headers` as they are, within 10 minutes. The signature holds the content type and the exact length, and nothing else is taken. Then the asset is committed. What is not committed within 24 hours is deleted.',
      '| kind | content types | at most |\n| --- | --- | --- |\n| `avatar` | `image/jpeg`, `image/png`, `image/webp` | 5 MiB |\n| `image` | those, `image/gif`, `image/avif` | 20 MiB |\n| `video` | `video/mp4`, `video/quicktime`, `video/webm` | 200 MiB |\n| `audio` | `audio/mpeg`, `audio/mp4`, `audio/aac`, `audio/ogg`, `audio/wav`, `audio/webm`, `audio/flac` | 64 MiB |\n| `attachment` | `application/pdf`, `application/zip`, `image/jpeg`, `image/png`, `image/webp`, `image/gif` | 25 MiB |',
      'There is nothing among them that a browser would run: no SVG, no HTML. A person has at most 50 uploads that are not committed: for one more the oldest is given up, as if it were 24 hours old, and only while all 50 are of the last 15 minutes it is 409 `assets_exhausted`. All that a person has committed or announced is at most 5 GiB (409 `media_quota_exceeded`), and nothing gives committed ones back; they announce at most 200 uploads and 4000 MB an hour (429 `writes_exceeded`). An operator may set other numbers. An instance without a storage answers 503.',
    ].join('\n\n'),
    access: 'user',
    body: NewAsset,
    handler: presign,
    calls: ['create_asset'],
    fails: ['storage_unavailable'],
    answers: { 201: Upload },
    also: [{ route: 'POST /media/upload', handler: presignAlias, answers: { 201: UploadAlias } }],
  },
  'POST /media/:assetId/commit': {
    summary: 'Commit what I uploaded',
    description:
      'The storage is asked: the size, the content type and the first bytes must be as announced. What is not is deleted there (422 `asset_unfit`), and the asset stays pending: it may be uploaded again while its address lasts. What is above a limit of the storage’s own is 413 `asset_large`, as it may be for the PUT before. Nothing there is 422 `asset_missing`. From then on nobody can write it any more, `publicUrl` answers, and other routes take the `assetId`. Repeating it changes nothing. Another person’s asset is 404.',
    access: 'user',
    params: AssetId,
    handler: commit,
    calls: ['get_asset', 'commit_asset'],
    fails: ['asset_large', 'asset_missing', 'asset_unfit', 'storage_unavailable'],
    answers: { 200: Asset },
    also: [{ route: 'POST /media/commit', params: undefined, body: AssetKey, handler: commitAlias }],
  },
  'POST /media/avatar/generate': {
    summary: 'Generate an avatar',
    description:
      'The same style and seed always give the same picture: `svg`, and at `url` for everybody, without the seed. Nothing is stored. The styles are works of others, see the README.',
    access: 'user',
    body: NewAvatar,
    handler: generateAvatar,
    calls: [],
    answers: { 200: Avatar },
  },
  'GET /media/avatar/:style/:picture': {
    summary: 'A generated avatar',
    description: 'Takes nothing from the global limit.',
    access: 'public',
    limit: 'pictures',
    params: AvatarParams,
    handler: showAvatar,
    calls: [],
    contentType: 'image/svg+xml',
    answers: { 200: z.string() },
  },
  'PUT /media/local/:assetId': {
    summary: 'Take an upload, in development',
    description:
      'Where `uploadUrl` leads when there is no storage; 404 in production, and where there is one. The body is the bytes. Its token is of one asset, content type and length, and ends: else 403.',
    access: 'public',
    params: AssetId,
    query: UploadToken,
    handler: takeBytes,
    calls: [],
    fails: ['upload_refused'],
    answers: { 200: z.null() },
  },
  'GET /media/local/:assetId': {
    summary: 'A committed asset, in development',
    description:
      'Where `publicUrl` leads when there is no storage; 404 in production, and where there is one. Takes a `Range`, and takes nothing from the global limit.',
    access: 'public',
    limit: 'pictures',
    params: AssetId,
    handler: serveBytes,
    calls: [],
    fails: ['asset_unknown'],
    contentType: 'application/octet-stream',
    answers: { 200: z.string() },
  },
})
