// The function `deliver`, run by the facade in its own process and in Deno as on a stack.

import { resolve } from 'node:path'
import { SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { isPublicKey } from '../../edge-functions/deliver/curve.ts'
import { LOOPBACK } from '../support/certificate.ts'
import { runFunction, runtimes } from '../support/functions.ts'
import { mailbox } from '../support/mailbox.ts'
import { apns, apnsToken, expo, expoToken, fcm, fcmToken, pushService, UNREGISTERED } from '../support/pushes.ts'

const SECRETS = ['that signs', 'before it', 'after it'].map((which) => `the secret ${which}, of the tests of functions`)
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
const google = await fcm()
const apple = await apns()

describe.each(runtimes)('The function deliver %s', async (runtime) => {
  const ask = await runFunction(runtime, 'deliver', {
    JWT_SECRET: SECRETS[0] ?? '',
    JWT_SECRET_PREVIOUS: SECRETS[1] ?? '',
    JWT_SECRET_NEXT: SECRETS[2] ?? '',
    SMTP_URL: box.url,
    MAIL_FROM: 'Kith <no-reply@kith.example>',
    EXPO_URL: phones.url,
    PUSH_ORIGINS: browsers.url,
    ...google.env,
    ...apple.env,
    // the key has one line, as in most files of variables
    APNS_KEY: apple.env.APNS_KEY.trim().replaceAll('\n', '\\n'),
    ...(runtime === 'in Deno' && { DENO_CERT: resolve(LOOPBACK) }),
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
      for (const other of SECRETS.slice(1))
        expect(await post(mail, `Bearer ${await sign('service_role', other)}`)).toEqual(sent)
      expect(box.letters).toHaveLength(4)
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
    const data = { id: 'one', kind: 'post.replied', target: { type: 'post', id: 'two' }, path: '/posts/two' }
    const message = { collapseId: 'one', title: 'Kith', body: 'A line.', badge: 3, data }
    const toPhone = (name: string) => ({ ...message, platform: 'expo', token: expoToken(name) })
    const toAndroid = (name: string) => ({ ...message, platform: 'fcm', token: fcmToken(`${name} ${runtime}`) })
    const toApple = (name: string) => ({ ...message, platform: 'apns', token: apnsToken(`${name} ${runtime}`) })
    const results = async (...messages: object[]) => {
      const { status, text } = await post({ messages }, undefined, 'deliver/push')
      return status === 200 ? JSON.parse(text).results : status
    }
    const push = async (...messages: object[]) =>
      (await results(...messages)).map(({ outcome }: { outcome: string }) => outcome)

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

    test('uses one access token for FCM until the API refuses it', async () => {
      const { token } = toAndroid('a')
      const before = google.state.tokens
      expect(await push(toAndroid('a'), toAndroid('b'))).toEqual(['sent', 'sent'])
      expect(google.state.tokens).toBe(before + 1)
      expect(google.to(token)).toEqual([
        {
          token,
          notification: { title: 'Kith', body: 'A line.' },
          data: { ...data, target: '{"type":"post","id":"two"}' },
          android: { collapse_key: 'one', ttl: '86400s', notification: { tag: 'one', notification_count: 3 } },
        },
      ])
      google.expire()
      expect(await push(toAndroid('c'))).toEqual(['failed'])
      expect(await push(toAndroid('c'))).toEqual(['sent'])
      expect(google.state.tokens).toBe(before + 3)
    })

    test('classifies the answers of FCM', async () => {
      const invalid = { error: { details: [{ fieldViolations: [{ field: 'message.token' }] }] } }
      google.answers.set(toAndroid('gone').token, UNREGISTERED)
      google.answers.set(toAndroid('invalid').token, [400, invalid])
      google.answers.set(toAndroid('large').token, [400, { error: { details: [] } }])
      google.answers.set(toAndroid('other').token, [403, { error: { details: [{ errorCode: 'SENDER_ID_MISMATCH' }] } }])
      google.answers.set(toAndroid('many').token, [429, {}, { 'retry-after': '120' }])
      google.answers.set(toAndroid('down').token, [503])
      const names = ['gone', 'invalid', 'large', 'other', 'many', 'down', 'good']
      expect(await results(...names.map(toAndroid))).toEqual([
        { outcome: 'gone' },
        { outcome: 'gone' },
        { outcome: 'refused' },
        { outcome: 'refused' },
        { outcome: 'failed', retryAfter: 120 },
        { outcome: 'failed' },
        { outcome: 'sent' },
      ])
    })

    test('sends to APNs by one signed token and one connection, and opens another if it ends', async () => {
      const { token } = toApple('a')
      const { sessions } = apple.state
      apple.signed.clear()
      expect(await push(toApple('a'), ...Array.from({ length: 60 }, (_, n) => toApple(`b ${n}`)))).not.toContain(
        'failed',
      )
      expect(await push(toApple('c'))).toEqual(['sent'])
      expect([apple.signed.size, apple.state.sessions]).toEqual([1, sessions + 1])
      const [got] = apple.to(token)
      expect(got?.headers).toMatchObject({
        'apns-push-type': 'alert',
        'apns-topic': 'org.example.kith',
        'apns-collapse-id': 'one',
      })
      expect(got?.body).toEqual({
        aps: { alert: { title: 'Kith', body: 'A line.' }, badge: 3, sound: 'default', 'thread-id': 'one' },
        ...data,
      })
      apple.end()
      let outcome: string[] = []
      for (let n = 0; n < 5 && outcome[0] !== 'sent'; n++) outcome = await push(toApple('d'))
      expect(outcome).toEqual(['sent'])
    })

    test('classifies the answers of APNs', async () => {
      apple.answers.set(toApple('gone').token, [410, { reason: 'Unregistered', timestamp: 1 }])
      apple.answers.set(toApple('bad').token, [400, { reason: 'BadDeviceToken' }])
      apple.answers.set(toApple('topic').token, [400, { reason: 'DeviceTokenNotForTopic' }])
      apple.answers.set(toApple('many').token, [429, { reason: 'TooManyRequests' }, { 'retry-after': '60' }])
      apple.answers.set(toApple('down').token, [503, { reason: 'ServiceUnavailable' }])
      const names = ['gone', 'bad', 'topic', 'many', 'down', 'good']
      expect(await results(...names.map(toApple))).toEqual([
        { outcome: 'gone' },
        { outcome: 'gone' },
        { outcome: 'refused' },
        { outcome: 'failed', retryAfter: 60 },
        { outcome: 'failed' },
        { outcome: 'sent' },
      ])
      apple.signed.clear()
      apple.answers.set(toApple('expired').token, [403, { reason: 'ExpiredProviderToken' }])
      expect(await push(toApple('expired'))).toEqual(['failed'])
      expect(await push({ ...toApple('x'), token: 'abc' }).catch(() => 'refused')).toBe('refused')
    })

    test('reports how long Expo and a browser’s push service ask it to wait, up to half an hour', async () => {
      phones.refuse(1, { 'retry-after': '90' })
      expect(await results(toPhone('later'))).toEqual([{ outcome: 'failed', retryAfter: 90 }])
      const { token, platform, keys } = browsers.subscribe()
      browsers.answer(429, { 'retry-after': new Date(Date.now() + 86_400_000).toUTCString() })
      const told = await results({ ...message, token, platform, ...keys }).finally(() => browsers.answer(201))
      expect(told).toEqual([{ outcome: 'failed', retryAfter: 1800 }])
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
