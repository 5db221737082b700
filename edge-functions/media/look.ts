// Checks the setup of the storage; the operator gets the warnings at the start and from /ready.
import type { Ask, Bucket } from './bucket.ts'
import type { Announced, Upload } from './presign.ts'

/** A small object in both buckets that shows who can read them. It is kept. */
const PROBE = 'kith-check'
const PROBE_TEXT = 'This tells Kith who can read here.'

type Site = {
  /** The URL of the storage. */
  url: string
  uploads: Bucket
  media: Bucket
  sign(announced: Announced): Promise<Upload>
  ask: Ask
  /** The public URL prefix of media keys. */
  publicUrl: string
}

export async function lookAt(site: Site): Promise<string[]> {
  const { url, uploads, media, ask, publicUrl } = site
  const buckets = [media, uploads]
  const there = await Promise.all(buckets.map((bucket) => bucket.exists()))
  const missing = buckets.filter((_, i) => !there[i])
  if (missing.length > 0) return missing.map(({ name }) => `The storage has no bucket ${name}.`)

  // The object has the type PNG, which a bucket also accepts if its types are restricted.
  for (const { name } of buckets) await ask('PUT', `${name}/${PROBE}`, { 'content-type': 'image/png' }, PROBE_TEXT)
  const beside = publicUrl.endsWith(`/${media.name}`) ? `${publicUrl.slice(0, -media.name.length)}${uploads.name}` : url
  const [isPublic, ...areOpen] = await Promise.all([publicUrl, beside, `${url}/${uploads.name}`].map(isReadable))
  return [
    ...(isPublic ? [] : [`Not everybody can read the bucket ${media.name} at ${publicUrl}.`]),
    ...(areOpen.includes(true) ? [`Everybody can read the bucket ${uploads.name}, which must be private.`] : []),
    ...((await takesUnsigned(site))
      ? ['The storage takes x-amz-copy-source unsigned: docs/operation.md, Media, says what to do about it.']
      : []),
  ]
}

/** Whether the object can be read without credentials; the query bypasses caches. */
async function isReadable(url: string): Promise<boolean> {
  const signal = AbortSignal.timeout(5000)
  const answer = await fetch(`${url}/${PROBE}?${crypto.randomUUID()}`, { signal }).catch(() => undefined)
  return answer?.ok === true && (await answer.text()) === PROBE_TEXT
}

/** Whether an upload URL can be used to copy. It tries with a missing source, so it reads and writes nothing. */
async function takesUnsigned({ uploads, sign }: Site): Promise<boolean> {
  const key = `${PROBE}.${crypto.randomUUID()}`
  const { url, headers } = await sign({ key, contentType: 'image/png', size: PROBE_TEXT.length })
  const answer = await fetch(url, {
    method: 'PUT',
    headers: { 'content-type': headers['Content-Type'] ?? '', 'x-amz-copy-source': `/${uploads.name}/${key}` },
    body: PROBE_TEXT,
    signal: AbortSignal.timeout(5000),
  })
  await answer.body?.cancel()
  if (answer.ok) await uploads.remove(key) // A gateway dropped the header, so the PUT stored the body.
  return answer.status === 404
}
