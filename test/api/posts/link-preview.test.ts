// Link previews over HTTP, with the edge function in Deno. Also the cache of a facade, and the limit on pages that it
// fetches at once.
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../api-facade/lib/config.ts'
import { openFunctions } from '../../../api-facade/lib/functions.ts'
import { createLog, openTracing } from '../../../api-facade/lib/log.ts'
import { createPreviews } from '../../../api-facade/lib/previews.ts'
import { functionsInDeno } from '../../support/functions.ts'
import { JWT_SECRET } from '../../support/settings.ts'
import { html, moved, site } from '../../support/site.ts'
import { until } from '../../support/until.ts'
import { world } from '../../support/world.ts'

describe('GET /posts/link-preview', async () => {
  const web = await site({
    '/page': html('<title>A page</title><meta name="description" content="And what it says">'),
    '/moved': moved,
  })
  const FUNCTIONS_URL = await functionsInDeno(
    ['link-preview'],
    { JWT_SECRET, SITE: JSON.stringify(web.options) },
    { entries: { 'link-preview': 'test/support/link-preview.deno.ts' }, net: ['127.0.0.1', '127.0.0.3'] },
  )
  const { alice, bob, nobody } = await world({ people: ['alice', 'bob'], env: { FUNCTIONS_URL } })
  const path = (url: string) => `/posts/link-preview?url=${encodeURIComponent(url)}`

  test('returns what the page says about itself, for everyone', async () => {
    const url = `${web.origin}/page`
    const shown = { url, title: 'A page', description: 'And what it says', imageUrl: null, siteName: null }
    for (const person of [alice, bob]) {
      expect(await person.get(path(url))).toMatchObject({ status: 200, body: shown })
      expect(await person.get(path(`${web.origin}/moved?/page`))).toMatchObject({ status: 200, body: shown })
    }
  })

  test.each([
    ['a text that is no address', 'a word'],
    ['a page that does not exist', `${web.origin}/nothing`],
    ['this machine', `http://127.0.0.1:${web.port}/page`],
    ['a redirect to this machine', `${web.origin}/moved?http://127.1:${web.port}/page`],
    ['an internal address', 'http://169.254.169.254/latest/meta-data/'],
    ['an address with a password', `http://ada:secret@site.test:${web.port}/page`],
  ])('returns null instead of an error for %s', async (_what, url) => {
    expect(await alice.get(path(url))).toMatchObject({ status: 200, text: 'null' })
    expect(web.trapped()).toBe(0)
  })

  test('requires an address', async () => {
    for (const query of ['', '?url=', `?url=${'x'.repeat(2049)}`, '?link=https://example.org']) {
      const answer = await alice.get(`/posts/link-preview${query}`)
      expect([answer.status, answer.headers.get('x-error-code')]).toEqual([422, 'validation_failed'])
    }
  })

  test('requires a token', async () => {
    const from = web.asked.length
    expect(await nobody.get(path(`${web.origin}/page`))).toMatchObject({ status: 401 })
    expect(await alice.withToken('x').get(path(`${web.origin}/page`))).toMatchObject({ status: 401 })
    expect(web.asked.slice(from)).toEqual([])
  })
})

describe('A facade’s cache of previews', () => {
  /** Previews with a function that records its requests. It returns `always`, or waits for `answer` to be called. */
  function start(always?: object) {
    const looked: string[] = []
    const waiting: ((preview: object | null, status?: number) => void)[] = []
    const state = { now: 0 }
    const link = {
      async fetch(request: Request) {
        looked.push(((await request.json()) as { url: string }).url)
        if (always) return Response.json(always)
        return new Promise<Response>((answer) => {
          waiting.push((preview, status = 200) => answer(Response.json(preview, { status })))
        })
      },
    }
    const config = readConfig({ LOG_LEVEL: 'silent' })
    const log = createLog(config)
    const functions = openFunctions({
      config,
      jwtSecret: JWT_SECRET,
      log,
      tracing: openTracing(config, log),
      functions: { 'link-preview': async () => link },
    })
    const previews = createPreviews(functions, log, () => state.now)
    /** Lets the function answer the next waiting request. */
    const answer = async (preview: object | null, status?: number) => {
      await until(() => waiting.length > 0)
      waiting.shift()?.(preview, status)
    }
    return { looked, waiting, state, previews, answer }
  }
  const page = { url: 'https://example.org/', title: 'A page', description: null, imageUrl: null, siteName: null }

  test('looks up an address once an hour for all callers and all its spellings', async () => {
    const { looked, state, previews, answer } = start()
    const asked = ['https://example.org', 'HTTPS://EXAMPLE.ORG:443/#part', 'https://example.org/x/..'].map((url, at) =>
      previews(`person ${at}`, url),
    )
    await answer(page)
    expect(await Promise.all(asked)).toEqual([page, page, page])
    state.now = 3_599_999
    expect(await previews('a fourth', page.url)).toEqual(page)
    expect(looked).toEqual([page.url])
    state.now = 3_600_000
    const again = previews('a fifth', page.url)
    await answer(null)
    expect(await again).toBeNull()
    expect(await previews('a sixth', page.url)).toBeNull()
    expect(looked).toEqual([page.url, page.url])
  })

  test('does not keep failures of the function, for which it returns null', async () => {
    const { looked, previews, answer } = start()
    for (const outcome of [503, 200]) {
      const asked = previews('one', page.url)
      await answer(page, outcome)
      expect(await asked).toEqual(outcome === 200 ? page : null)
    }
    expect(looked).toHaveLength(2)
  })

  test('answers a cached preview as slowly as the first time, which hides what others asked for', async () => {
    const { state, previews, answer } = start()
    const first = previews('one', page.url)
    state.now = 50
    await answer(page)
    await first
    const from = performance.now()
    await previews('another', page.url)
    expect(performance.now() - from).toBeGreaterThan(48)
  })

  test('keeps a thousand previews and drops the oldest one', async () => {
    const { looked, previews } = start(page)
    for (let n = 0; n <= 1000; n++) {
      await previews('one', `https://example.org/${n}`)
    }
    await previews('one', 'https://example.org/1')
    expect(looked).toHaveLength(1001)
    await previews('one', 'https://example.org/0')
    expect(looked).toHaveLength(1002)
  })

  test('lets a person have 8 requests at a time, two of them running, cached ones included', async () => {
    const { looked, waiting, previews, answer } = start()
    const first = previews('one', page.url)
    await answer(page)
    await first
    const of = (person: string, count: number) =>
      Array.from({ length: count }, (_, n) => previews(person, `https://example.org/${person}/${n}`))
    const late = { code: 'rate_limited', headers: { 'Retry-After': '5' } }
    const all = of('one', 7)
    const kept = previews('one', page.url)
    await expect(previews('one', 'https://example.org/more')).rejects.toMatchObject(late)
    await expect(previews('one', page.url)).rejects.toMatchObject(late)
    expect(await previews('two', page.url)).toEqual(page)
    let come = false
    kept.then(() => {
      come = true
    })
    for (let n = 0; n < 7; n++) {
      await until(() => looked.length === Math.min(8, n + 3))
      expect(waiting.length, 'two at a time').toBe(Math.min(2, 7 - n))
      if (n < 6) expect(come, 'the cached one waits for its turn').toBe(false)
      await answer(null)
      await all[n]
    }
    expect(await Promise.all(all)).toEqual(all.map(() => null))
    expect(await kept).toEqual(page)
    expect(await previews('one', page.url)).toEqual(page)
  })

  test('fetches at most 32 pages at a time for the whole instance, which takes sixteen people', async () => {
    const { waiting, previews, answer } = start()
    const late = { code: 'rate_limited', headers: { 'Retry-After': '5' } }
    const all = Array.from({ length: 32 }, (_, n) => previews(`person ${n % 16}`, `https://example.org/${n}`))
    await until(() => waiting.length === 32)
    for (const url of ['https://example.org/more', page.url, 'https://example.org/1']) {
      await expect(previews('another', url)).rejects.toMatchObject(late)
    }
    for (let n = 0; n < 32; n++) await answer(page)
    expect(await Promise.all(all)).toEqual(all.map(() => page))
  })
})
