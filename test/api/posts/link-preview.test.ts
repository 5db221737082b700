// Previews of links: by HTTP with the edge function in Deno, and what one facade keeps and how much it does at once.
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../api-facade/lib/config.ts'
import { openFunctions } from '../../../api-facade/lib/functions.ts'
import { createLog } from '../../../api-facade/lib/log.ts'
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

  test('is what the page says of itself, for everyone', async () => {
    const url = `${web.origin}/page`
    const shown = { url, title: 'A page', description: 'And what it says', imageUrl: null, siteName: null }
    for (const person of [alice, bob]) {
      expect(await person.get(path(url))).toMatchObject({ status: 200, body: shown })
      expect(await person.get(path(`${web.origin}/moved?/page`))).toMatchObject({ status: 200, body: shown })
    }
  })

  test.each([
    ['no address', 'a word'],
    ['no page', `${web.origin}/nothing`],
    ['this machine', `http://127.0.0.1:${web.port}/page`],
    ['this machine by a redirect', `${web.origin}/moved?http://127.1:${web.port}/page`],
    ['what is inside', 'http://169.254.169.254/latest/meta-data/'],
    ['a password', `http://ada:secret@site.test:${web.port}/page`],
  ])('is null, and no error, for %s', async (_what, url) => {
    expect(await alice.get(path(url))).toMatchObject({ status: 200, text: 'null' })
    expect(web.trapped()).toBe(0)
  })

  test('needs an address', async () => {
    for (const query of ['', '?url=', `?url=${'x'.repeat(2049)}`, '?link=https://example.org']) {
      const answer = await alice.get(`/posts/link-preview${query}`)
      expect([answer.status, answer.headers.get('x-error-code')]).toEqual([422, 'validation_failed'])
    }
  })

  test('is for people with a token', async () => {
    const from = web.asked.length
    expect(await nobody.get(path(`${web.origin}/page`))).toMatchObject({ status: 401 })
    expect(await alice.withToken('x').get(path(`${web.origin}/page`))).toMatchObject({ status: 401 })
    expect(web.asked.slice(from)).toEqual([])
  })
})

describe('what one facade keeps', () => {
  /** Previews of a function that notes what it is asked, and answers at once or what and when it is told to. */
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
      functions: { 'link-preview': async () => link },
    })
    const previews = createPreviews(functions, log, () => state.now)
    /** Lets the function answer the next who waits. */
    const answer = async (preview: object | null, status?: number) => {
      await until(() => waiting.length > 0)
      waiting.shift()?.(preview, status)
    }
    return { looked, waiting, state, previews, answer }
  }
  const page = { url: 'https://example.org/', title: 'A page', description: null, imageUrl: null, siteName: null }

  test('an address is looked at once an hour, whoever asks, however it is spelt', async () => {
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

  test('what the function could not do is null and not kept', async () => {
    const { looked, previews, answer } = start()
    for (const outcome of [503, 200]) {
      const asked = previews('one', page.url)
      await answer(page, outcome)
      expect(await asked).toEqual(outcome === 200 ? page : null)
    }
    expect(looked).toHaveLength(2)
  })

  test('who asks after another waits as long as the other did', async () => {
    const { state, previews, answer } = start()
    const first = previews('one', page.url)
    state.now = 50
    await answer(page)
    await first
    const from = performance.now()
    await previews('another', page.url)
    expect(performance.now() - from).toBeGreaterThan(48)
  })

  test('a thousand are kept, and the oldest goes', async () => {
    const { looked, previews } = start(page)
    for (let n = 0; n <= 1000; n++) {
      await previews('one', `https://example.org/${n}`)
    }
    await previews('one', 'https://example.org/1')
    expect(looked).toHaveLength(1001)
    await previews('one', 'https://example.org/0')
    expect(looked).toHaveLength(1002)
  })

  test('a person asks for 8 at once, of which two are under way, what is kept among them', async () => {
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
      expect(waiting.length, 'two at once').toBe(Math.min(2, 7 - n))
      if (n < 6) expect(come, 'what is kept comes in its turn').toBe(false)
      await answer(null)
      await all[n]
    }
    expect(await Promise.all(all)).toEqual(all.map(() => null))
    expect(await kept).toEqual(page)
    expect(await previews('one', page.url)).toEqual(page)
  })

  test('an instance looks at 32 pages at once, which takes sixteen people', async () => {
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
