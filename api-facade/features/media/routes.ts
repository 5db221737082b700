// The routes of uploads and of generated avatars. The rules are in sql/media; edge-functions/media calls the storage.
import { routes } from '../../lib/routes.ts'
import { z } from '../../lib/schemas.ts'
import { generateAvatar, showAvatar } from './avatars.ts'
import { commit, commitAlias, listParts, presign, presignAlias, presignParts } from './handlers.ts'
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
  UploadInParts,
  UploadToken,
} from './schemas.ts'

/** What the feature offers, for the API's description. */
export const about = 'Uploads: the files that people attach to what they publish.'

export default routes('media', {
  'POST /media/presign': {
    summary: 'Announce an upload and get its URL',
    description: [
      'Send the bytes directly to the storage: a PUT to `uploadUrl` with exactly the given `headers`, within 10 minutes. The signature covers the content type and the exact length, so nothing else is accepted. Then commit the asset. Assets that are not committed within 24 hours are deleted.',
      '| kind | content types | at most |\n| --- | --- | --- |\n| `avatar` | `image/jpeg`, `image/png`, `image/webp` | 5 MiB |\n| `image` | the same, `image/gif`, `image/avif` | 20 MiB |\n| `video` | `video/mp4`, `video/quicktime`, `video/webm` | 200 MiB |\n| `audio` | `audio/mpeg`, `audio/mp4`, `audio/aac`, `audio/ogg`, `audio/wav`, `audio/webm`, `audio/flac` | 64 MiB |\n| `attachment` | `application/pdf`, `application/zip`, `image/jpeg`, `image/png`, `image/webp`, `image/gif` | 25 MiB |',
      'No file of these types can run code in a browser, so SVG and HTML are not allowed. A person has at most 50 uploads that are not committed: a further one deletes the oldest, as if it were 24 hours old. 409 `assets_exhausted` if all 50 are from the last 15 minutes. The committed and announced uploads of a person have at most 5 GiB together (409 `media_quota_exceeded`), and a committed upload cannot be deleted. A person announces at most 200 uploads and 4000 MB an hour (429 `writes_exceeded`). The operator may set other limits. 503 if the instance has no storage.',
    ].join('\n\n'),
    access: 'user',
    id: 'createAsset',
    body: NewAsset,
    handler: presign,
    calls: ['create_asset'],
    fails: ['storage_unavailable'],
    answers: { 201: Upload },
    outcome: 'Where to send the file, with which headers, and until when.',
    also: [{ route: 'POST /media/upload', handler: presignAlias, answers: { 201: UploadAlias } }],
  },
  'POST /media/multipart': {
    summary: 'Announce an upload in parts',
    description:
      'For files of more than about 10 MB: the parts that have arrived are not lost if the connection breaks. Send each part to its `uploadUrl` as in `POST /media/presign`, in any order, also several at once. `GET /media/{assetId}/parts` says which parts are missing, with new URLs. When all parts have arrived, commit the asset, which joins them. Kinds, content types, sizes and limits are those of `POST /media/presign`.',
    access: 'user',
    id: 'createAssetInParts',
    body: NewAsset,
    handler: presignParts,
    calls: ['create_asset', 'continue_upload'],
    fails: ['storage_unavailable'],
    answers: { 201: UploadInParts },
    outcome: 'Where to send each part, with which headers, and until when.',
  },
  'GET /media/:assetId/parts': {
    summary: 'Get which parts of an upload have arrived',
    description:
      'Each missing part has a new URL, valid for 10 minutes. If the commit has found the file unfit, all parts are missing again. 409 if the asset is committed, or was announced in one piece. Another person’s asset is 404.',
    access: 'user',
    fresh: 'decides',
    id: 'listAssetParts',
    params: AssetId,
    handler: listParts,
    calls: ['get_asset', 'continue_upload'],
    fails: ['storage_unavailable'],
    answers: { 200: UploadInParts },
    outcome: 'The parts, with new URLs for those that are missing.',
  },
  'DELETE /media/:assetId': {
    summary: 'Abort an upload',
    description:
      'Deletes an asset that is not committed, and its bytes in the storage. It no longer counts towards your quota. 409 if it is committed. Another person’s asset is 404.',
    access: 'user',
    operation: 'delete_asset',
    params: AssetId,
    answers: { 204: null },
    outcome: 'The asset is deleted.',
  },
  'POST /media/:assetId/commit': {
    summary: 'Commit an upload',
    description:
      'Checks with the storage that the size, the content type and the first bytes are as announced. A file that differs is deleted there (422 `asset_unfit`), and the asset stays pending: upload it again while its URL is valid. A file above a limit of the storage itself is 413 `asset_large`, which can also happen during the PUT. A missing file, or part, is 422 `asset_missing`. After the commit nobody can change the file, `publicUrl` works, and other routes accept the `assetId`. Repeating it changes nothing. Another person’s asset is 404.',
    access: 'user',
    id: 'commitAsset',
    params: AssetId,
    handler: commit,
    calls: ['get_asset', 'continue_upload', 'commit_asset'],
    fails: ['asset_large', 'asset_missing', 'asset_unfit', 'storage_unavailable'],
    answers: { 200: Asset },
    outcome: 'The upload, ready for use.',
    also: [{ route: 'POST /media/commit', params: undefined, body: AssetKey, handler: commitAlias }],
  },
  'POST /media/avatar/generate': {
    summary: 'Generate an avatar',
    description:
      'The same style and seed always give the same picture. The answer has it as `svg`, and everybody can get it at `url`, which does not contain the seed. Nothing is stored. For the authors of the styles see the README.',
    access: 'user',
    id: 'generateAvatar',
    body: NewAvatar,
    handler: generateAvatar,
    calls: [],
    answers: { 200: Avatar },
    outcome: 'The picture, and a URL that always draws it.',
  },
  'GET /media/avatar/:style/:picture': {
    summary: 'Get a generated avatar',
    description: 'Does not count towards the global limit.',
    access: 'public',
    id: 'getAvatar',
    limit: 'pictures',
    params: AvatarParams,
    handler: showAvatar,
    calls: [],
    contentType: 'image/svg+xml',
    answers: { 200: z.string() },
    outcome: 'The picture as SVG.',
  },
  'PUT /media/local/:assetId': {
    summary: 'Receive an upload, in development',
    description:
      'The target of `uploadUrl` if the instance has no storage. 404 in production, and if the instance has a storage. The body is the file. 403 unless the token is unexpired and was issued for this asset, content type and length.',
    access: 'public',
    id: 'putLocalAsset',
    params: AssetId,
    query: UploadToken,
    handler: takeBytes,
    calls: [],
    fails: ['upload_refused'],
    answers: { 200: z.null() },
    outcome: 'The file is stored; commit it next.',
  },
  'GET /media/local/:assetId': {
    summary: 'Get a committed asset, in development',
    description:
      'The target of `publicUrl` if the instance has no storage. 404 in production, and if the instance has a storage. Supports `Range`, and does not count towards the global limit.',
    access: 'public',
    id: 'getLocalAsset',
    limit: 'pictures',
    params: AssetId,
    handler: serveBytes,
    calls: [],
    fails: ['asset_unknown'],
    contentType: 'application/octet-stream',
    answers: { 200: z.string() },
    outcome: 'The file as it was uploaded.',
  },
})
