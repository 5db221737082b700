// The function `deliver`, as the facade runs it in its own process: its answers do not depend on what serves it.
import { SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { createDeliver, type Mail } from '../../edge-functions/deliver/handler.ts'
import { smtpSender } from '../../edge-functions/deliver/smtp.ts'
import { mailbox } from '../support/mailbox.ts'

const SECRETS = ['the secret that signs, of the tests of functions', 'the secret before it, of the tests of functions']
const mail: Mail = { id: 'one-mail', to: 'ada@example.org', subject: 'Hello', text: 'A line.\n' }

const sign = (role: string, secret = SECRETS[0], expires = '1m') =>
  new SignJWT({ role })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuedAt()
    .setExpirationTime(expires)
    .sign(new TextEncoder().encode(secret))

const service = await sign('service_role')
const sent: Mail[] = []
const deliver = createDeliver({
  jwtSecrets: SECRETS,
  async sendMail(one) {
    if (one.subject === 'Nobody takes this') throw new Error('550 with the address of ada@example.org in it')
    sent.push(one)
  },
})

async function post(body: unknown, authorization: string | null = `Bearer ${service}`, path = '/deliver/mail') {
  const response = await deliver.request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, text }
}

describe('POST /deliver/mail', async () => {
  test('hands a mail on', async () => {
    expect(await post({ ...mail, bcc: 'eve@example.org' })).toEqual({ status: 204, text: '' })
    expect(sent).toEqual([mail])
    expect(await post({ ...mail, to: 'admin@localhost' })).toMatchObject({ status: 204 })
    expect(await post(mail, `Bearer ${await sign('service_role', SECRETS[1])}`)).toMatchObject({ status: 204 })
  })

  test.each([
    ['nobody', null],
    ['an empty token', 'Bearer '],
    ['what is no token', 'Bearer x'],
    ['the anon key', `Bearer ${await sign('anon')}`],
    ['a person', `Bearer ${await sign('user')}`],
    ['another key', `Bearer ${await sign('service_role', 'another secret, of the tests of functions')}`],
    ['an expired token', `Bearer ${await sign('service_role', SECRETS[0], '-1m')}`],
  ])('refuses %s', async (_who, authorization) => {
    const { status, text } = await post(mail, authorization)
    expect([status, JSON.parse(text)]).toEqual([
      401,
      { statusCode: 401, error: 'Unauthorized', message: ['This is for the service alone.'] },
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
  ])('refuses %j', async (body) => {
    expect(await post(body)).toMatchObject({ status: 422 })
  })

  test('says when a mail was not taken, and not why', async () => {
    const { status, text } = await post({ ...mail, subject: 'Nobody takes this' })
    expect([status, text]).toEqual([503, expect.not.stringContaining('ada')])
  })

  test('has no other door', async () => {
    expect(await post(mail, undefined, '/mail')).toMatchObject({ status: 404 })
    expect((await deliver.request('/deliver/mail')).status).toBe(404)
  })
})

describe('by SMTP', async () => {
  const { url, letters, refuse } = await mailbox()
  const send = smtpSender(url, 'Kith <no-reply@kith.example>')

  test('a mail arrives as it was written', async () => {
    const text = 'Grüße,\n\nhttps://kith.example/reset-password#token='.concat('a'.repeat(70), '\n')
    await send({ ...mail, subject: 'Grüße', text })
    const [letter] = letters
    expect(letter).toMatchObject({ from: 'no-reply@kith.example', to: ['ada@example.org'] })
    expect(letter?.text.replaceAll('\r\n', '\n').trim()).toBe(text.trim())
    expect(letter?.head).toMatch(/^From: Kith <no-reply@kith\.example>$/m)
    expect(letter?.head).toMatch(/^Message-ID: <one-mail@kith\.example>$/m)
    expect(letter?.head).toMatch(/^Auto-Submitted: auto-generated$/m)
  })

  test('or the failure is told', async () => {
    refuse(1)
    await expect(send(mail)).rejects.toMatchObject({ responseCode: 451 })
    await expect(smtpSender('smtp://127.0.0.1:1', 'a@b.example')(mail)).rejects.toMatchObject({ code: 'ESOCKET' })
  })
})
