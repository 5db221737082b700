// The function `deliver`, run by the facade in its own process and in Deno as on a stack.
import { SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { isPublicKey } from '../../edge-functions/deliver/curve.ts'
import { runFunction, runtimes } from '../support/functions.ts'
import { mailbox } from '../support/mailbox.ts'
import { expo, expoToken, pushService } from '../support/pushes.ts'

const SECRETS = ['the secret that signs, of the tests of functions', 'the secret before it, of the tests of functions']
const mail = { id: 'one-mail', to: 'ada@example.org', subject: 'Hello', text: 'A line.\n' }
const unsubscribing = {
  'List-Unsubscribe': `<https://kith.example/stop?token=${'a'.repeat(90)}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
}

const sign = (role: string, secret = SECRETS[0], expires = '1m') =>
  new SignJWT({ role })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuedAt()
    .setExpirationTime(expires)
    .sign(new TextEncoder().encode(secret))

const service = await sign('service_role')
const box = await mailbox()
const phones = await expo()
const browsers = await pushService()

describe.each(runtimes)('The function deliver %s', async (runtime) => {
  const ask = await runFunction(runtime, 'deliver', {
    JWT_SECRET: SECRETS[0] ?? '',
    JWT_SECRET_PREVIOUS: SECRETS[1] ?? '',
    SMTP_URL: box.url,
    MAIL_FROM: 'Kith <no-reply@kith.example>',
    EXPO_URL: phones.url,
    PUSH_ORIGINS: browsers.url,
  })

  async function post(body: unknown, authorization: string | null = `Bearer ${service}`, path = 'deliver/mail') {
    const response = await ask(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    const text = await response.text()
    return { status: response.status, text }
  }

  describe('POST /deliver/mail', async () => {
    const sent = { status: 200, text: '{"outcome":"sent"}' }

    test('sends a mail as it was written', async () => {
      box.letters.length = 0
      const text = 'Grüße,\n\nhttps://kith.example/reset-password#token='.concat('a'.repeat(70), '\n')
      expect(await post({ ...mail, subject: 'Grüße', text, bcc: 'eve@example.org' })).toEqual(sent)
      const [letter] = box.letters
      expect(letter).toMatchObject({ from: 'no-reply@kith.example', to: ['ada@example.org'] })
      expect(letter?.text.replaceAll('\r\n', '\n').trim()).toBe(text.trim())
      expect(letter?.head).toMatch(/^From: Kith <no-reply@kith\.example>$/m)
      expect(letter?.head).toMatch(/^Message-ID: <one-mail@kith\.example>$/m)
      expect(letter?.head).toMatch(/^Auto-Submitted: auto-generated$/m)
      expect(await post({ ...mail, to: 'admin@localhost' })).toEqual(sent)
      expect(await post(mail, `Bearer ${await sign('service_role', SECRETS[1])}`)).toEqual(sent)
      expect(box.letters).toHaveLength(3)
    })

    test('sends it as text and HTML, with the headers for unsubscribing', async () => {
      box.letters.length = 0
      const html = '<!doctype html><p>Grüße &amp; mehr</p>'
      expect(await post({ ...mail, html, headers: unsubscribing })).toEqual(sent)
      const [letter] = box.letters
      expect([letter?.text.trim(), letter?.html?.trim()]).toEqual([mail.text.trim(), html])
      const lines = Object.entries(unsubscribing).map(([name, value]) => `${name}: ${value}`)
      expect(letter?.head.split(/\r?\n/)).toEqual(expect.arrayContaining(lines))
    })

    test.each([
      ['a missing token', null],
      ['an empty token', 'Bearer '],
      ['a malformed token', 'Bearer x'],
      ['the anon key', `Bearer ${await sign('anon')}`],
      ['a person’s token', `Bearer ${await sign('user')}`],
      ['another key', `Bearer ${await sign('service_role', 'another secret, of the tests of functions')}`],
      ['an expired token', `Bearer ${await sign('service_role', SECRETS[0], '-1m')}`],
    ])('rejects %s with 401', async (_who, authorization) => {
      const { status, text } = await post(mail, authorization)
      expect([status, JSON.parse(text)]).toEqual([
        401,
        { statusCode: 401, error: 'Unauthorized', message: ['Only the service can call this.'] },
      ])
      expect(await post('{', authorization)).toMatchObject({ status: 401 })
    })

    test.each([
      ['{'],
      [[]],
      [{ ...mail, id: undefined }],
      [{ ...mail, id: 'two\nlines' }],
      [{ ...mail, to: 'nobody' }],
      [{ ...mail, to: 'ada@example.org, eve@example.org' }],
      [{ ...mail, to: 'ada@example.org\r\nBcc: eve@example.org' }],
      [{ ...mail, subject: 'Hello\r\nBcc: eve@example.org' }],
      [{ ...mail, subject: '' }],
      [{ ...mail, text: '' }],
      [{ ...mail, html: '' }],
      [{ ...mail, headers: { ...unsubscribing, Bcc: 'eve@example.org' } }],
      [{ ...mail, headers: { ...unsubscribing, 'List-Unsubscribe': '<a>\r\nBcc: eve@example.org' } }],
    ])('rejects %j with 422', async (body) => {
      expect(await post(body)).toMatchObject({ status: 422 })
    })

    test('reports when a mail was not accepted, with codes only as the reason', async () => {
      box.refuse(1)
      const { status, text } = await post(mail)
      expect([status, text]).toEqual([503, expect.not.stringMatching(/busy|ada/)])
      expect(JSON.parse(text).failure).toBe('Error EMESSAGE 451')
    })

    test.each([
      ['550 5.1.1 No such user', 'gone'],
      ['553 5.1.3 Bad address', 'gone'],
      ['550 Unknown mailbox', 'gone'],
      ['450 4.2.1 Try later', 503],
      ['550 5.7.1 Spam is not wanted', 503],
      ['550 Relaying denied', 503],
      ['550 Sender verify failed', 503],
      ['550 5.1.1 Sender address rejected: User unknown', 503],
      ['550 Your host is listed at bl.example', 503],
      ['552 5.2.2 Mailbox full', 503],
    ])('classifies the SMTP answer "%s" as %s', async (words, outcome) => {
      box.said.set(mail.to, words)
      const { status, text } = await post(mail).finally(() => box.said.clear())
      expect(status === 200 ? JSON.parse(text).outcome : status).toBe(outcome)
    })

    test('does not mark the recipient as gone when the sender is rejected', async () => {
      box.said.set('no-reply@kith.example', '550 5.1.1 No such user')
      const { status } = await post(mail).finally(() => box.said.clear())
      expect(status).toBe(503)
    })

    test('offers no other route', async () => {
      expect(await post(mail, undefined, 'deliver')).toMatchObject({ status: 404 })
      expect((await ask('deliver/mail')).status).toBe(404)
    })
  })

  describe('POST /deliver/push', () => {
    const message = { tag: 'one', title: 'Kith', body: 'A line.', data: { id: 'one' } }
    const toPhone = (name: string) => ({ ...message, platform: 'expo', token: expoToken(name) })
    const push = async (...messages: object[]) => {
      const { status, text } = await post({ messages }, undefined, 'deliver/push')
      return status === 200 ? JSON.parse(text).results.map(({ outcome }: { outcome: string }) => outcome) : status
    }

    test('returns the outcome of each message, in order', async () => {
      const { token, platform, keys } = browsers.subscribe()
      const browser = { ...message, token, platform, ...keys }
      phones.gone.add(expoToken('gone'))
      phones.bad.add(expoToken('bad'))
      expect(
        await push(
          toPhone('gone'),
          browser,
          toPhone('bad'),
          { ...browser, token: `${browsers.url}/push/unknown` },
          toPhone('good'),
          { ...browser, token: 'http://127.0.0.1:1/inside' },
          { ...browser, p256dh: `B${'a'.repeat(86)}` },
        ),
      ).toEqual(['gone', 'sent', 'refused', 'gone', 'sent', 'refused', 'gone'])
    })

    test('sends up to a hundred messages to Expo in one request', async () => {
      const many = Array.from({ length: 100 }, (_, n) => toPhone(`many ${n}`))
      phones.batches.length = 0
      expect(await push(...many)).toEqual(many.map(() => 'sent'))
      expect(phones.batches).toEqual([100])
    })

    test('reports when the provider is unavailable', async () => {
      phones.refuse(1)
      expect(await push(toPhone('later'))).toEqual(['failed'])
      phones.refuse(1)
      expect(await post({ ids: ['one'] }, undefined, 'deliver/receipts')).toMatchObject({ status: 503 })
    })

    test.each([[{}], [{ messages: [message] }], [{ messages: Array.from({ length: 101 }, () => toPhone('x')) }]])(
      'rejects invalid messages',
      async (body) => {
        expect(await post(body, undefined, 'deliver/push')).toMatchObject({ status: 422 })
      },
    )

    test('requires the service role', async () => {
      for (const path of ['deliver/push', 'deliver/receipts']) {
        expect(await post({}, `Bearer ${await sign('anon')}`, path)).toMatchObject({ status: 401 })
      }
    })
  })
})

test('The key of a browser must be a point on the curve', () => {
  const { p256dh } = browsers.subscribe().keys
  const bytes = Buffer.from(p256dh, 'base64url')
  const other = (at: number, value: number) => Buffer.from(bytes.with(at, value)).toString('base64url')
  expect(isPublicKey(p256dh)).toBe(true)
  const none = [
    other(64, (bytes[64] ?? 0) ^ 1),
    other(0, 5),
    `${p256dh}AAAA`,
    p256dh.slice(0, 40),
    '',
    '?',
    'B'.repeat(87),
  ]
  expect(none.filter(isPublicKey)).toEqual([])
})
