// The pages for people in a real browser: joining by an invitation, the links of real mail, the account, and the texts
// of the operator.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join as pathOf } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../api-facade/lib/config.ts'
import { createLog } from '../../api-facade/lib/log.ts'
import { startWorker } from '../../api-facade/worker/worker.ts'
import { openTab, startBrowser, type Tab } from '../support/browser.ts'
import { applyEffects } from '../support/database.ts'
import { mailbox } from '../support/mailbox.ts'
import type { Person } from '../support/person.ts'
import { publish } from '../support/posts.ts'
import { environment } from '../support/settings.ts'
import { totp } from '../support/totp.ts'
import { until } from '../support/until.ts'
import { world } from '../support/world.ts'

const folder = mkdtempSync(pathOf(tmpdir(), 'kith-texts-'))
afterAll(() => rmSync(folder, { recursive: true }))
const written = (name: string, text: string) => {
  const path = pathOf(folder, name)
  writeFileSync(path, text)
  return path
}
const settings = {
  ABOUT_FILE: written('about.md', 'A place for gardeners in Lisbon.'),
  RULES_FILE: written('rules.md', '# Be kind\n\nNo <b>shouting</b>.'),
  GET_APP: 'Android=https://apps.example/android, iPhone=https://apps.example/iphone',
}
const { admin, alice, bob, carla, database, url } = await world({ env: settings })
const mail = await mailbox()
const config = readConfig(environment(database.url, { SMTP_URL: mail.url, PUBLIC_URL: url }))
const worker = await startWorker({ config, databaseUrl: database.url, log: createLog(config), pollSeconds: 0.1 })
afterAll(() => worker.stop())
const browser = await startBrowser()

/** The link to a page, from the newest mail to an address that has such a link. */
const linkTo = (email: string, page: string) =>
  until(() => {
    const found = mail.letters.filter(({ to }) => to.includes(email)).map(({ text }) => text)
    return found.map((text) => new RegExp(`^${url}${page}#token=\\S+$`, 'm').exec(text)?.[0]).findLast(Boolean)
  }) as Promise<string>

async function logIn(tab: Tab, { email, password }: Pick<Person, 'email' | 'password'>): Promise<void> {
  await tab.getByLabel('Email address').first().fill(email)
  await tab.getByLabel('Password').first().fill(password)
  await tab.getByRole('button', { name: 'Log in' }).click()
}
const isPlain = (tab: Tab) => expect(new URL(tab.url()).hash).toBe('')

describe('The pages for people', { timeout: 120_000 }, () => {
  test('let a newcomer join with an invitation, and confirm the address by the link in the mail', async () => {
    const { body } = await alice.post<{ code: string }>('/me/invites')
    const tab = await openTab(browser, url)
    await tab.goto(`/join#${body.code}`)
    await tab.getByText('A place for gardeners in Lisbon.').waitFor()
    isPlain(tab)
    await tab.isAccessible()
    await tab.getByRole('button', { name: 'Continue' }).click()
    await tab.getByRole('heading', { name: 'Your account' }).waitFor()
    await tab.isAccessible()

    // an error is shown beside its field, whether the page or the instance finds it
    await tab.getByRole('button', { name: 'Join' }).click()
    expect(await tab.getByText('This field is required.').count()).toBe(7)
    await tab.getByLabel('First name').fill('Nora')
    await tab.getByLabel('Last name').fill('Lind')
    await tab.getByLabel('Email address').fill(bob.email)
    await tab.getByLabel('Password').fill('short')
    await tab.getByLabel('Date of birth').fill('1990-01-31')
    await tab.getByLabel('Country').selectOption('PT')
    await tab.getByRole('textbox', { name: 'City' }).fill('Lisbon')
    await tab.getByRole('button', { name: 'Join' }).click()
    await tab.getByText('At least 8 characters.', { exact: true }).nth(1).waitFor()
    await tab.getByLabel('Password').fill('long enough for all')
    await tab.getByRole('button', { name: 'Join' }).click()
    await tab.getByLabel('Email address').and(tab.locator('[aria-invalid]')).waitFor()
    expect(await tab.locator('.fault').allTextContents()).toEqual(['This email address already has an account.'])
    await tab.getByLabel('Email address').fill('nora@example.org')
    await tab.getByRole('button', { name: 'Join' }).click()
    await tab.getByText('your username is nora_lind').waitFor()
    expect(await tab.getByRole('button', { name: 'iPhone' }).getAttribute('href')).toBe('https://apps.example/iphone')
    await tab.isAccessible()
    tab.isClean([409])

    const link = await linkTo('nora@example.org', '/verify-email')
    await tab.goto('/rules') // the link then loads a document
    await tab.goto(link)
    await tab.getByRole('button', { name: 'Confirm' }).waitFor()
    isPlain(tab)
    await tab.isAccessible()
    const nora = await alice.withToken(undefined).post<{ accessToken: string }>('/auth/login', {
      email: 'nora@example.org',
      password: 'long enough for all',
    })
    const verifiedAt = async () =>
      (await alice.withToken(nora.body.accessToken).get<{ emailVerifiedAt: string | null }>('/me')).body.emailVerifiedAt
    expect(await verifiedAt()).toBeNull() // opening the link is not enough
    await tab.getByRole('button', { name: 'Confirm' }).click()
    await tab.getByText('Your address is confirmed.').waitFor()
    expect(await verifiedAt()).not.toBeNull()
    tab.isClean()

    // the code and the link work once
    await tab.goto('/rules')
    await tab.goto(link)
    await tab.getByRole('button', { name: 'Confirm' }).click()
    await tab.getByText('This link has expired, or was already used.').waitFor()
    await tab.goto(`/join#${body.code}`)
    await tab.getByRole('button', { name: 'Continue' }).click()
    await tab.getByText('This invite code was used').waitFor()
    tab.isClean([410])
  })

  test('set a new password with the link that was requested', async () => {
    const tab = await openTab(browser, url)
    await tab.goto('/forgot-password')
    await tab.isAccessible()
    await tab.getByLabel('Email address').fill(bob.email)
    await tab.getByRole('button', { name: 'Send the link' }).click()
    await tab.getByText('If an account has this address').waitFor()
    const link = await linkTo(bob.email, '/reset-password')
    const set = async () => {
      await tab.goto('/rules')
      await tab.goto(link)
      await tab.getByLabel('New password').fill('chosen by Bob')
      isPlain(tab)
      await tab.isAccessible()
      await tab.getByRole('button', { name: 'Set the password' }).click()
    }
    await set()
    await tab.getByText('Your new password is set.').waitFor()
    bob.password = 'chosen by Bob'
    tab.isClean()
    await set()
    await tab.getByText('This link has expired, or was already used. Request another one.').waitFor()
    await tab.isAccessible()
    tab.isClean([410])
  })

  test('show the newest notifications after a login, and unsubscribe by the link in a digest', async () => {
    const post = await publish(alice)
    await carla.put(`/posts/${post}/reactions/heart`)
    await carla.post(`/posts/${post}/replies`, { body: 'What a fine garden.' })
    await applyEffects(database.owner)
    const tab = await openTab(browser, url)
    await tab.goto('/notifications')
    await tab.isAccessible()
    await logIn(tab, { ...alice, password: 'wrong' })
    await tab.getByText('The email address or the password is wrong.').waitFor()
    await logIn(tab, alice)
    await tab.getByText('Somebody replied to you').waitFor()
    await tab.isAccessible()

    const { body: me } = await alice.get<{ id: string }>('/me')
    await database.superuser.begin(async (sql) => {
      await sql`set local session_replication_role = replica` // no trigger updates the time of change
      await sql`update app.notifications set updated_at = updated_at - interval '1 hour'`
    })
    await database.owner`update app.accounts set email_verified_at = now() where user_id = ${me.id}`
    await database.owner`
      update app.notification_settings set next_digest_at = now() - interval '1 second' where user_id = ${me.id}`
    await database.connect('kith_worker')`select private.job_queue_digests()`
    await tab.goto(await linkTo(alice.email, '/unsubscribe'))
    await tab.getByRole('button', { name: 'Unsubscribe' }).waitFor()
    isPlain(tab)
    await tab.isAccessible()
    const hour = async () =>
      (await alice.get<{ digestHour: number | null }>('/notifications/preferences')).body.digestHour
    expect(await hour()).toBe(8)
    await tab.getByRole('button', { name: 'Unsubscribe' }).click()
    await tab.getByText('You get no more daily mails.').waitFor()
    expect(await hour()).toBeNull()
    tab.isClean([401])
    await tab.goto('/unsubscribe#token=nobody')
    await tab.goto('/rules')
    await tab.goto('/unsubscribe#token=nobody')
    await tab.getByRole('button', { name: 'Unsubscribe' }).click()
    await tab.getByText('This link is incomplete, or belongs to an address').waitFor()
    tab.isClean([404])
  })

  test('end a login on a new device by the link in the mail, once', async () => {
    const { email, password } = bob
    const stranger = await alice.withToken(undefined).post<{ accessToken: string }>('/auth/login', {
      ...{ email, password, deviceName: 'Stranger' },
    })
    const tab = await openTab(browser, url)
    const link = await linkTo(email, '/end-session')
    await tab.goto(link)
    await tab.getByRole('heading', { name: 'End a login' }).waitFor()
    isPlain(tab)
    await tab.isAccessible()
    const status = async () => (await alice.withToken(stranger.body.accessToken).get('/me')).status
    expect(await status()).toBe(200) // opening the link is not enough
    await tab.getByRole('button', { name: 'End the login' }).click()
    await tab.getByText('The login has ended.').waitFor()
    await tab.isAccessible()
    expect(await status()).toBe(401)
    await tab.goto('/rules')
    await tab.goto(link)
    await tab.getByRole('button', { name: 'End the login' }).click()
    await tab.getByText('This login has already ended.').waitFor()
    await tab.getByRole('link', { name: 'Choose a new password' }).click()
    await tab.getByRole('heading', { name: 'Forgot your password?' }).waitFor()
    tab.isClean([410])
  })

  test('export and erase an account, after the password was asked for again', async () => {
    const tab = await openTab(browser, url)
    await tab.goto('/account')
    await tab.isAccessible()
    await logIn(tab, alice)
    await tab.getByRole('heading', { name: 'Your data' }).waitFor()
    await tab.getByRole('button', { name: 'Turn it on' }).click()
    await tab.getByText('you get a mail once a day at 8:00').waitFor()
    await tab.isAccessible()
    const [download] = await Promise.all([
      tab.waitForEvent('download'),
      tab.getByRole('button', { name: 'Download' }).click(),
    ])
    const dossier = JSON.parse(await readFile(await download.path(), 'utf8'))
    expect(dossier).toMatchObject({ format: 'service-gdpr-export-v1', actorId: alice.actorId })

    await tab.getByRole('button', { name: 'Erase your account…' }).click()
    await tab.getByText('Your account is erased immediately and permanently').waitFor()
    await tab.isAccessible()
    const dialog = tab.getByRole('dialog')
    await dialog.getByLabel('Password').fill('wrong')
    await dialog.getByRole('button', { name: 'Erase permanently' }).click()
    await dialog.getByText('The password is wrong.').waitFor()
    await dialog.getByLabel('Password').fill(alice.password)
    await dialog.getByRole('button', { name: 'Erase permanently' }).click()
    await tab.getByText('Your account is erased.').waitFor()
    expect(await alice.get('/me')).toFailWith(401, 'token_revoked')
    tab.isClean([401, 403])
  })

  test('let somebody who is banned read why, and appeal', async () => {
    const { body: me } = await carla.get<{ id: string }>('/me')
    await carla.post('/auth/proof', { password: carla.password })
    const { secret } = (await carla.post<{ secret: string }>('/me/factors/totp')).body
    const confirmed = await carla.post<{ recoveryCodes: string[] }>('/me/factors/totp/confirm', { code: totp(secret) })
    const [first = '', second = ''] = confirmed.body.recoveryCodes
    await admin.post(`/admin/users/${me.id}/ban`, { reason: 'Sold fake seeds.' })
    const tab = await openTab(browser, url)
    await tab.goto('/account')
    await logIn(tab, carla)
    await tab.getByText('This account is banned. You can read the decision').waitFor()
    await tab.getByText('Banned or suspended?').click()
    const form = tab.locator('details')
    await form.getByLabel('Email address').fill(carla.email)
    await form.getByLabel('Password').fill(carla.password)
    await form.getByRole('button', { name: 'Read decisions' }).click()
    await tab.getByText('This account has a second factor. Enter the code too.').waitFor()
    await form.getByLabel('Code of the app').fill(first)
    await form.getByRole('button', { name: 'Read decisions' }).click()
    await tab.getByText('Sold fake seeds.').waitFor()
    await tab.isAccessible()
    await tab.getByRole('button', { name: 'Appeal' }).click()
    await tab.getByLabel('Why is the decision wrong?').fill('They were real.')
    await tab.getByLabel('Code of the app').fill(second)
    await tab.getByRole('button', { name: 'Send the appeal' }).click()
    await tab.getByRole('listitem').getByText('You have appealed.').waitFor()
    tab.isClean([403])
  })

  test('show the texts of the operator as text, and say so if there are none, in the language of the reader', async () => {
    const tab = await openTab(browser, url, { locale: 'de-DE' })
    await tab.goto('/rules')
    await tab.getByRole('heading', { level: 1, name: 'Regeln' }).waitFor()
    await tab.getByRole('heading', { level: 2, name: 'Be kind' }).waitFor()
    await tab.getByText('No <b>shouting</b>.').waitFor()
    await tab.isAccessible()
    await tab.goto('/privacy')
    await tab.getByText('Wer diese Instanz betreibt, hat hier nichts zum Datenschutz veröffentlicht.').waitFor()
    await tab.isAccessible()
    tab.isClean()
  })
})
