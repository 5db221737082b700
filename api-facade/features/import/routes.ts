// The import of a dossier. The rules: sql/import. docs/decisions.md, Import.
import { webAddress } from '../../../edge-functions/shared/addresses.ts'
import { call, callFor } from '../../lib/call.ts'
import type { Context } from '../../lib/context.ts'
import { ApiError, lookUp } from '../../lib/errors.ts'
import { setHeader } from '../../lib/headers.ts'
import { bodyOf, discardBody, requireJson } from '../../lib/input.ts'
import { routesOfLogins } from '../../lib/routes.ts'
import { z } from '../../lib/schemas.ts'
import { isSigned, PublicKey, readSignature } from '../../lib/signing.ts'
import { BYTES, type Head, readDossier } from './reading.ts'
import { Added, Begun, Dossier, Import } from './schemas.ts'

type Verdict = { signature: 'valid' | 'unknown_instance' | 'none'; issuer: string | null }

async function importMe(c: Context) {
  if (Number(c.req.header('content-length') ?? 0) > BYTES) {
    setHeader(c, 'Connection', 'close')
    throw new ApiError('import_large')
  }
  const free = c.get('services').imports(c.get('claims')?.sub ?? '')
  try {
    requireJson(c)
    const { id, sections } = await callFor(c, 'begin_import', {}, Begun)
    try {
      const head = await readDossier(bodyOf(c), sections, async (section, from, items) => {
        const rows = { p_id: id, p_section: section, p_from: from, p_items: items }
        const { problems } = await callFor(c, 'add_import_rows', rows, Added, 'gate')
        return problems
      })
      const { signature, issuer } = await judge(c, head)
      const found = { p_id: id, p_origin: head.origin, p_signature: signature, p_issuer: issuer }
      return await call(c, 'finish_import', found, 'gate')
    } catch (apiError) {
      await call(c, 'cancel_import', { p_id: id }, 'gate')
      throw apiError
    }
  } catch (apiError) {
    await discardBody(c, BYTES)
    throw apiError
  } finally {
    free()
  }
}

/** Checks the signature of a dossier that was read. @throws ApiError import_changed */
async function judge(c: Context, { signature, digests }: Head): Promise<Verdict> {
  if (signature === undefined) return { signature: 'none', issuer: null }
  const said = readSignature(signature)
  if (!said) throw changed(['signature'])
  const { iss: issuer, kid } = said
  const all = [...Object.keys(digests), ...Object.keys(said.digests)]
  const others = [...new Set(all)].filter((name) => said.digests[name] !== digests[name])
  if (others.length > 0) throw changed(others)
  const { signing } = c.get('services')
  const isOwn = issuer === signing.issuer || signing.keys.some((key) => key.kid === kid)
  const keys = isOwn ? signing.keys : await keysOf(c, issuer)
  if (!keys) return { signature: 'unknown_instance', issuer }
  if (!(await isSigned(signature, keys))) throw changed(['signature'])
  return { signature: 'valid', issuer }
}

function changed(members: readonly string[]): ApiError {
  const [, text] = lookUp('import_changed')
  return new ApiError('import_changed', [
    text,
    ...members.slice(0, 100).map((name) => `${name}: has changed since it was signed`),
  ])
}

const Keys = z.object({ keys: z.array(PublicKey) }).nullable()

/** The keys of another instance; null if they cannot be read. */
async function keysOf(c: Context, issuer: string): Promise<readonly PublicKey[] | null> {
  const { functions, log } = c.get('services')
  const base = webAddress(issuer)
  if (!base) return null
  try {
    const { href } = new URL('/.well-known/kith', base)
    const answer = await functions.invoke('link-preview/keys', { url: href }, { signal: AbortSignal.timeout(10_000) })
    if (!answer.ok) throw new Error(`link-preview answered ${answer.status}`)
    return Keys.parse(await answer.json())?.keys ?? null
  } catch (failure) {
    log.warn({ failure }, 'cannot fetch the keys of another instance')
    return null
  }
}

export const about = 'Moving to this instance: the import of an export of another account.'

export default routesOfLogins('import', {
  'GET /me/import': {
    summary: 'See the progress of your last import',
    description: '404 `import_none` if you have imported nothing within the last 7 days.',
    access: 'user',
    operation: 'get_import',
    answers: { 200: Import },
    outcome: 'How far the import has come, and its problems.',
  },
  'POST /me/import': {
    summary: 'Import an export of another account',
    description: [
      'Takes a file of `GET /me/export` of any Kith instance, up to 50 MB, once within 24 hours, and imports it in the background: `GET /me/import` shows the progress. The file must arrive within a minute. A file that is not a dossier is refused as a whole, with a list of its errors. Everything that is imported belongs to you, whoever the dossier is from.',
      'These are imported: the name, country, city, about and picture; personas; interests by slug; circles ' +
        'without their members; muted keywords; published posts with their dates, visibility, interests, media ' +
        'addresses and polls without votes; series; preferences. The default persona replaces yours. If another ' +
        'persona has the name of one of yours, yours is used and does not change. Nobody is notified of an imported ' +
        'post, and it earns nothing. Reposts, posts in groups and guilds, scheduled posts, and posts that staff hid ' +
        'are left out. A quote becomes a note, because the quoted post is not here, and journalism becomes an ' +
        'ordinary post. Limits hold as usual, except those per hour. `problems` lists everything that could not be ' +
        'imported.',
      'Importing a dossier again changes nothing: a thing that was imported before is recognized by its instance and its id there, even if you have deleted it here.',
      'A dossier is signed by its instance: `signature` is a compact JWS (EdDSA, Ed25519) whose payload is `{iss, digests}`. `digests` has for each other member of the file the SHA-256, in hex, of its value in the canonical form of RFC 8785 (JCS). The key is at `/.well-known/kith` of `iss`. 422 `import_changed` if the signature does not match the file. The dossier is also imported without a signature, or if the keys of the instance cannot be read; `signature` then says so.',
    ].join('\n\n'),
    access: 'user',
    id: 'importMe',
    upload: Dossier,
    handler: importMe,
    calls: ['begin_import', 'add_import_rows', 'finish_import', 'cancel_import'],
    fails: ['import_invalid', 'import_changed'],
    answers: { 202: Import },
    outcome: 'The import, which now runs in the background.',
  },
})
