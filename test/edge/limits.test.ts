// The limits of Supabase's edge runtime, in Deno: each function answers its largest request within the memory limit,
// which test/support/functions.ts sets. For the CPU time see docs/decisions.md, Platform.
import { SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { MOST_PUSHES } from '../../edge-functions/deliver/messages.ts'
import { functionsInDeno } from '../support/functions.ts'
import { mailbox } from '../support/mailbox.ts'
import { modelServer, says } from '../support/model.ts'
import { expo, pushService } from '../support/pushes.ts'
import { html, site } from '../support/site.ts'
import { s3rver, storageSettings } from '../support/storage.ts'

const JWT_SECRET = 'the secret that signs, of the tests of functions'
const token = await new SignJWT({ role: 'service_role' })
  .setProtectedHeader({ alg: 'HS256' })
  .setExpirationTime('1h')
  .sign(new TextEncoder().encode(JWT_SECRET))

const LONGEST_PAGE = 512 * 1024
const filled = (piece: string) => html(`<title>A title</title>${piece.repeat(LONGEST_PAGE / piece.length)}`)
const pages = {
  '/angles': filled('<'),
  '/tags': filled('<a b=c d="e">'),
  '/metas': filled('<meta property="og:title" content="&amp;&lt;&#x41;">'),
  '/attributes': html(`<title>A title</title><a ${'b=c '.repeat(LONGEST_PAGE / 4)}`),
}
const web = await site(pages)
const box = await mailbox()
const phones = await expo()
const browsers = await pushService()
const model = await modelServer()
const url = await functionsInDeno(
  ['ai', 'deliver', 'link-preview', 'media'],
  {
    JWT_SECRET,
    AI_MODEL: 'a-model',
    ANTHROPIC_API_KEY: 'a-key',
    ANTHROPIC_BASE_URL: model.url,
    SMTP_URL: box.url,
    MAIL_FROM: 'Kith <no-reply@kith.example>',
    EXPO_URL: phones.url,
    PUSH_ORIGINS: browsers.url,
    ...storageSettings((await s3rver()).url),
    SITE: JSON.stringify(web.options),
  },
  { entries: { 'link-preview': 'test/support/link-preview.deno.ts' }, net: ['127.0.0.1', '127.0.0.3'] },
)

async function post(path: string, body: unknown) {
  const answer = await fetch(`${url}/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: answer.status, text: await answer.text() }
}

test('deliver handles the maximum number of pushes to browsers', async () => {
  const words = {
    collapseId: 't',
    badge: 1,
    title: 'ü'.repeat(100),
    body: 'ü'.repeat(500),
    data: { id: 'x'.repeat(500) },
  }
  const messages = Array.from({ length: MOST_PUSHES }, () => {
    const { token, platform, keys } = browsers.subscribe()
    return { ...words, token, platform, ...keys }
  })
  const results = messages.map(() => ({ outcome: 'sent' }))
  expect(await post('deliver/push', { messages })).toEqual({ status: 200, text: JSON.stringify({ results }) })
})

test('deliver handles the longest mail', async () => {
  const [text, html] = ['ü'.repeat(100_000), 'ü'.repeat(200_000)]
  const mail = { id: 'm', to: 'ada@example.org', subject: 'ü'.repeat(200), text, html }
  expect(await post('deliver/mail', mail)).toEqual({ status: 200, text: '{"outcome":"sent"}' })
})

test.each(Object.keys(pages))('link-preview handles the longest part of a page that it reads: %s', async (path) => {
  const { status, text } = await post('link-preview', { url: web.origin + path })
  expect([status, JSON.parse(text)]).toMatchObject([200, { title: expect.stringMatching(/\S/) }])
})

test('ai handles the longest conversation and the most interests', async () => {
  const words = 'ü"'.repeat(50_000)
  const turns = Array.from({ length: 5 }, () => ({ question: words, answer: words }))
  model.will(says(Array.from({ length: 2000 }, () => 'A bit of it. ')))
  expect((await post('ai/question', { topic: words, turns })).text).toContain('A bit of it.')
  const interests = Array.from({ length: 200 }, () => ({ slug: 'x'.repeat(200), name: 'ü'.repeat(200) }))
  const { status } = await post('ai/interests', { topic: words, answers: turns.map(() => words), interests })
  expect(status).toBe(200)
})

test('media handles the maximum number of deletions', async () => {
  const keys = () => Array.from({ length: 50 }, () => crypto.randomUUID())
  expect((await post('media/delete', { bucket: 'kith', keys: keys(), uploads: keys(), uploadIds: {} })).status).toBe(
    200,
  )
})
