// The function `link-preview`, in this process and in Deno, against a harmless site and malicious ones.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { SignJWT } from 'jose'
import { afterAll, describe, expect, test } from 'vitest'
import { createLinkPreview } from '../../edge-functions/link-preview/handler.ts'
import { plain, previewOf } from '../../edge-functions/link-preview/page.ts'
import { isPublic } from '../../edge-functions/shared/addresses.ts'
import { outside } from '../../edge-functions/shared/outside.ts'
import { certificate } from '../support/certificate.ts'
import { type Ask, functionsInDeno, runtimes } from '../support/functions.ts'
import { resolverOf } from '../support/resolver.ts'
import { gigabyte, HTML, html, moved, packed, site } from '../support/site.ts'

const JWT_SECRET = 'the secret that signs, of the tests of link previews'
const token = await new SignJWT({ role: 'service_role' })
  .setProtectedHeader({ alg: 'HS256' })
  .setExpirationTime('1h')
  .sign(new TextEncoder().encode(JWT_SECRET))

const TITLED = '<title>A title</title>'
const GREETING = '<title>Grüße</title>'
const KEY = { kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43), kid: 'one' }
const nothingFurther = { description: null, imageUrl: null, siteName: null }
const bomb = gzipSync(TITLED + ' '.repeat(1 << 25), { level: 1 }).subarray(0, -8)
const flood = gigabyte(TITLED)
/** Connections of pages that never end. */
const held: Promise<unknown>[] = []
const hold = (answer: ServerResponse) => held.push(once(answer, 'close'))

const web = await site(
  {
    '/full': html(`<!doctype html><html><head><TITLE>The other title</TITLE>
      <meta property="og:title" content="Ada &amp; Ben&#39;s “walk”"><meta property='og:title' content='Not this'>
      <meta name="description" content="Not this"><META PROPERTY=og:description CONTENT="Two\nlines &lt;3">
      <meta property="og:image" content="/a%20picture.png?x=1&amp;y=2"><meta property="og:url" content="https://bank.example/">
      <meta property="og:site_name" content="Walks"></head><body><meta property="og:title" content="Nor this"></body>`),
    '/plain': html(`<title>\n A   title </title><meta name=description content="What it says">`),
    '/latin': html(Buffer.from(GREETING, 'latin1'), { 'content-type': 'text/html; charset=ISO-8859-1' }),
    '/declared': html(Buffer.from(`<meta charset="windows-1252">${GREETING}`, 'latin1'), {
      'content-type': 'text/html',
    }),
    '/unknown': html(GREETING, { 'content-type': 'text/html; charset=unknown' }),
    '/packed': packed(TITLED),
    '/flood': flood.page,
    // 32 MB compressed to 32 kB, and the stream never ends: a reader that does not stop waits until the timeout
    '/bomb': (_, answer) => void answer.writeHead(200, { ...HTML, 'content-encoding': 'gzip' }).write(bomb),
    '/untitled': html('<meta name="description" content="Of nothing">'),
    '/.well-known/kith': (request, answer) =>
      void answer
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ domain: request.headers.host, keys: [{ ...KEY, d: 'more' }] })),
    '/json': html(TITLED, { 'content-type': 'application/json' }),
    '/typeless': html(TITLED, {}),
    '/moved': moved,
    '/loop': (_, answer) => void answer.writeHead(301, { location: '/loop' }).end(),
    '/nowhere': (_, answer) => void answer.writeHead(302, HTML).end(TITLED),
    '/cut': (_, answer) =>
      void answer.writeHead(200, { ...HTML, 'content-length': '1000' }).write(TITLED, () => answer.destroy()),
    '/headers': (_, answer) => void answer.writeHead(200, { ...HTML, 'x-much': 'x'.repeat(100_000) }).end(TITLED),
    '/silent': (_, answer) => void hold(answer),
    '/drip': (_, answer) => {
      hold(answer)
      answer.writeHead(200, HTML)
      const drops = setInterval(() => answer.write(' '), 20)
      answer.on('close', () => clearInterval(drops))
    },
  },
  {
    localhost: [['127.0.0.1', '::1']],
    'inside.test': [['127.0.0.2']],
    'other.test': [['127.0.0.3']],
    'both.test': [['127.0.0.3', '127.0.0.2']],
    'early.test': [['127.0.0.3'], ['127.0.0.1']],
    'late.test': [['127.0.0.1'], ['127.0.0.3']],
  },
)
const { names, ports, exempt } = web.options

/** The same site by TLS: it has a certificate for its own name, by an authority that only these tests trust. */
const secure = createServer(certificate, (_, answer) => void answer.writeHead(200, HTML).end(TITLED))
await new Promise<void>((listening) => secure.listen(0, '127.0.0.3', listening))
const securePort = (secure.address() as AddressInfo).port
ports.push(securePort)
exempt.push(`127.0.0.3:${securePort}`)
const CA = 'test/support/ca.pem'
const trusted = getCACertificates('default')
setDefaultCACertificates([...trusted, readFileSync(CA, 'utf8')])
afterAll(() => {
  setDefaultCACertificates(trusted)
  secure.closeAllConnections()
  secure.close()
})

const makers: Record<(typeof runtimes)[number], () => Promise<Ask>> = {
  async 'in this process'() {
    const open = outside({ resolve: resolverOf(names), ports, exempt })
    const app = createLinkPreview({ jwtSecrets: [JWT_SECRET], open })
    return async (path, init) => app.fetch(new Request(`http://localhost/${path}`, init))
  },
  async 'in Deno'() {
    const env = { JWT_SECRET, SITE: JSON.stringify({ names, ports, exempt }), DENO_CERT: CA }
    // the function, and not Deno, has to reject these addresses
    const net = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '[::1]', '0.0.0.0', 'localhost']
    const entries = { 'link-preview': 'test/support/link-preview.deno.ts' }
    const url = await functionsInDeno(['link-preview'], env, { entries, net })
    return (path, init) => fetch(`${url}/${path}`, init)
  },
}

describe.each(runtimes)('POST /link-preview, %s', async (runtime) => {
  const ask = await makers[runtime]()
  const post = (body: unknown, authorization = `Bearer ${token}`, path = 'link-preview') =>
    ask(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization },
      body: JSON.stringify(body),
    })
  async function preview(url: string): Promise<unknown> {
    const answer = await post({ url })
    expect(answer.status).toBe(200)
    return answer.json()
  }
  const at = (path: string) => preview(web.origin + path)
  // these requests take the whole timeout of 5 seconds, so they run beside the other tests
  const slow = Promise.all([at('/silent'), at('/drip')])

  test('returns the OpenGraph data, with the address where the page was found', async () => {
    expect(await at('/full#part')).toEqual({
      url: `${web.origin}/full`,
      title: "Ada & Ben's “walk”",
      description: 'Two lines <3',
      imageUrl: null, // the picture is at another port
      siteName: 'Walks',
    })
  })

  test('returns the title and the description of a page without OpenGraph data', async () => {
    const found = { ...nothingFurther, url: `${web.origin}/plain`, title: 'A title', description: 'What it says' }
    expect(await at('/plain')).toEqual(found)
    const way = ['/moved', '/moved', '/plain'].reduceRight((to, path) => `${path}?${encodeURIComponent(to)}`)
    expect(await at(`/moved?${encodeURIComponent(way)}`)).toEqual(found)
  })

  test.each(['/latin', '/declared', '/unknown'])('decodes a page in its encoding: %s', async (path) => {
    expect(await at(path)).toMatchObject({ title: 'Grüße' })
  })

  test('reads compressed pages, and only the beginning of a page of a gigabyte', async () => {
    expect(await at('/packed')).toMatchObject({ title: 'A title' })
    expect(await at('/flood')).toMatchObject({ title: 'A title' })
    expect(await at('/bomb')).toMatchObject({ title: 'A title' })
    expect(flood.sent()).toBeLessThan(64)
  })

  test.each([
    ['/untitled'],
    ['/json'],
    ['/typeless'],
    ['/nothing'],
    ['/nowhere'],
    ['/cut'],
    ['/headers'],
    [`/moved?${encodeURIComponent('ftp://site.test/')}`],
    [`/moved?${encodeURIComponent(`http://ada:secret@site.test:${web.port}/plain`)}`],
  ])('returns null for what is not a page: %s', async (path) => {
    expect(await at(path)).toBeNull()
  })

  test('follows three redirects and no fourth', async () => {
    const from = web.asked.length
    expect(await at('/loop')).toBeNull()
    const loops = web.asked.slice(from).filter((path) => path === '/loop')
    expect(loops).toHaveLength(4)
  })

  test.each([
    ['127.0.0.1'],
    ['127.1'],
    ['0x7f.1'],
    ['0177.0.0.1'],
    ['2130706433'],
    ['127.0.0.1.'],
    ['①27.0.0.1'],
    ['0.0.0.0'],
    ['127.0.0.2'],
    ['[::1]'],
    ['[::]'],
    ['[::ffff:127.0.0.1]'],
    ['[::ffff:7f00:3]'],
    ['[::127.0.0.1]'],
    ['[64:ff9b::127.0.0.1]'],
    ['localhost'],
    ['LOCALHOST'],
    ['inside.test'],
    ['both.test'],
    ['unknown.test'],
  ])('does not call %s, at once or by a redirect', async (host) => {
    const url = `http://${host}:${web.port}/plain`
    expect(await preview(url)).toBeNull()
    expect(await at(`/moved?${encodeURIComponent(url)}`)).toBeNull()
    expect(web.trapped()).toBe(0)
  })

  test.each([
    ['a word'],
    ['//site.test/plain'],
    ['javascript:alert(1)'],
    ['file:///etc/passwd'],
    [`gopher://site.test:${web.port}/plain`],
    [`http://ada@site.test:${web.port}/plain`],
    [`http://:secret@site.test:${web.port}/plain`],
    [`http://site.test:${web.port}/${'x'.repeat(2048)}`],
  ])('makes no request for %s', async (url) => {
    const from = web.asked.length
    expect(await preview(url)).toBeNull()
    expect(web.asked.slice(from).filter((path) => path !== '/silent' && path !== '/drip')).toEqual([])
  })

  test('connects to the address that it checked, whatever the name resolves to later', async () => {
    expect(await preview(`http://early.test:${web.port}/plain`)).toMatchObject({ title: 'A title' })
    expect(await preview(`http://early.test:${web.port}/plain`)).toBeNull()
    expect(await preview(`http://late.test:${web.port}/plain`)).toBeNull()
    expect(web.trapped()).toBe(0)
  })

  test('requires a certificate for the name', async () => {
    expect(await preview(`https://site.test:${securePort}/`)).toMatchObject({ title: 'A title' })
    expect(await preview(`https://other.test:${securePort}/`)).toBeNull()
    expect(await preview(`http://site.test:${securePort}/`)).toBeNull()
  })

  test(
    'returns the keys of another instance only from /.well-known/kith, follows no redirect, and ' +
      'never calls a private address',
    async () => {
      const keysAt = async (url: string) => (await post({ url }, undefined, 'link-preview/keys')).json()
      expect(await keysAt(`${web.origin}/.well-known/kith`)).toEqual({ keys: [KEY] })
      expect(await keysAt(`http://other.test:${web.port}/.well-known/kith`)).toEqual({ keys: [KEY] })
      const others = ['/plain', '/json', `/moved?${encodeURIComponent('/.well-known/kith')}`].map(
        (path) => web.origin + path,
      )
      for (const url of [...others, `http://inside.test:${web.port}/.well-known/kith`, 'a word'])
        expect(await keysAt(url), url).toBeNull()
      expect(web.trapped()).toBe(0)
      expect((await post({ url: web.origin }, 'Bearer x', 'link-preview/keys')).status).toBe(401)
    },
  )

  test('requires the service role, and an address', async () => {
    expect((await post({ url: web.origin }, 'Bearer x')).status).toBe(401)
    expect((await post({})).status).toBe(422)
    expect((await post({ url: 1 })).status).toBe(422)
  })

  test('waits at most 5 seconds for a page, and closes the connection', async () => {
    expect(await slow).toEqual([null, null])
    await Promise.all(held)
  })
})

test('Only public addresses count as public', () => {
  const inside =
    `0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.100.100.200 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1
    172.31.255.255 192.0.0.192 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1
    255.255.255.255 168.63.129.16 :: ::1 ::7f00:1 ::808:808 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:0:127.0.0.1
    64:ff9b::7f00:1 64:ff9b::808:808 64:ff9b:1::a00:1 100::1 2001::1 2001:0:808:808::1 2001:db8::1 2002:7f00:1::1
    2002:808:808::1 3fff::1 5f00::1 fc00::1 fd00:ec2::254 fe80::1 fe80::1%eth0 fec0::1 ff02::1
    2606:4700::5efe:7f00:1 2606:4700::200:5efe:a00:1 4000::1 localhost`.split(/\s+/)
  expect(inside.filter(isPublic)).toEqual([])
  expect(['8.8.8.8', '172.32.0.1', '2606:4700:4700::1111', '2a00:1450::1'].filter((one) => !isPublic(one))).toEqual([])
})

test('Without exemptions only public addresses are called, and only at the ports 80 and 443', async () => {
  const names = { 'inside.test': [['10.0.0.1']], 'both.test': [['8.8.8.8', '10.0.0.1']] }
  const open = outside({ resolve: resolverOf(names) })
  const refused = `http://127.1/ https://0x7f.1/ http://2130706433/ http://[::1]/ http://[::ffff:169.254.169.254]/
    http://169.254.169.254/latest/ https://inside.test/ http://both.test/ http://unknown.test/ http://8.8.8.8:22/
    http://8.8.8.8:8080/ https://[2606:4700:4700::1111]:6379/`.split(/\s+/)
  for (const url of refused) {
    await expect(open(new URL(url), new AbortController().signal), url).rejects.toThrow('not a public address')
  }
})

describe('A page', () => {
  const url = new URL('https://example.org/a/b')
  const of = (head: string) => previewOf(head, url)

  test.each([
    ['<script>alert(1)</script>Hello', 'alert(1) Hello'],
    ['&lt;script&gt;alert(1)&lt;/script&gt;', 'alert(1)'],
    ['<<b>script>x', '< script>x'],
    ['<img src=x onerror=alert(1)', ''],
    ['1 < 2 && 3 > 2', '1 < 2 && 3 > 2'],
    ['a\u0000b\u001b[31m\nc\u202etxt\u2066\ufeff', 'a b [31m c txt'],
    ['\u200b\u00ad', ''],
    ['\ud800', '\ufffd'],
    ['e\u0301', '\u00e9'],
  ])('gives plain text for %j', (text, shown) => {
    const content = text.replaceAll('"', '&quot;')
    const title = of(`<meta property="og:title" content="${content}">`)?.title ?? ''
    expect(title).toBe(shown)
  })

  test('gives texts of limited length', () => {
    const long = '🌍'.repeat(5000)
    const found = of(
      `<title>${long}</title><meta name=description content="${long}"><meta property=og:site_name content="${long}">`,
    )
    const lengths = [found?.title, found?.description, found?.siteName].map((text) => [...(text ?? '')].length)
    expect(lengths).toEqual([300, 1000, 100])
    expect(plain('x'.repeat(100), 10)).toBe('x'.repeat(10))
  })

  test.each([
    ['/picture.png', 'https://example.org/picture.png'],
    ['c.png', 'https://example.org/a/c.png'],
    ['//cdn.example/c.png', 'https://cdn.example/c.png'],
    ['http://8.8.8.8/c.png', 'http://8.8.8.8/c.png'],
    ['javascript:alert(1)', null],
    ['data:image/svg+xml,<svg/>', null],
    ['https://ada:secret@example.org/c.png', null],
    ['http://192.168.0.1/reboot', null],
    ['http://0x7f.1/c.png', null],
    ['http://[::1]/c.png', null],
    ['http://localhost/c.png', null],
    ['http://router.local/c.png', null],
    ['https://example.org:8443/c.png', null],
    [`https://example.org/${'x'.repeat(2048)}`, null],
  ])('gives an image only at a public address: %s', (image, shown) => {
    expect(of(`<title>A title</title><meta property="og:image" content="${image}">`)?.imageUrl).toBe(shown)
  })

  test('that is made to be slow to parse is still parsed', () => {
    const tangled = '<a>'.repeat(85_000) + '</b>'.repeat(64_000)
    const attributes = `<meta ${'content=x '.repeat(50_000)}>`
    const entities = `<meta property=og:title content="${'&amp;'.repeat(100_000)}">`
    for (const head of [tangled, attributes, entities, '<'.repeat(512 * 1024)]) {
      expect(of(`${head}<title>At last</title>`)?.title.length ?? 0).toBeLessThan(301)
    }
  })
})
