// The frame of the admin panel, in a real browser: who gets in, what the menu shows, how it is served.
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { openTab, startBrowser } from '../support/browser.ts'
import { logIn } from '../support/panel.ts'
import { totp } from '../support/totp.ts'
import { world } from '../support/world.ts'

const { admin, alice, url } = await world({ people: ['alice'] })
const browser = await startBrowser()
const compress = promisify(brotliCompress)

describe('The panel', { timeout: 120_000 }, () => {
  test('lets staff in, and is accessible on every page that it opens', async () => {
    const tab = await openTab(browser, url)
    await tab.goto('/admin')
    await tab.isAccessible()
    await logIn(tab, admin)
    await tab.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    expect(new URL(tab.url()).pathname).toBe('/admin/overview')
    await tab.isAccessible()
    tab.isClean()
  })

  test('refuses somebody who is not staff, and a wrong password with the request id', async () => {
    const tab = await openTab(browser, url)
    await logIn(tab, alice)
    await tab.getByText('This account is neither a moderator nor an admin.').waitFor()
    await logIn(tab, Object.assign(alice.withToken(undefined), { password: 'another-password' }))
    await tab.getByRole('alert').getByText('Request').waitFor()
    tab.isClean([401])
  })

  test('keeps no token: after a reload it asks for the password again', async () => {
    const tab = await openTab(browser, url)
    await logIn(tab, admin)
    await tab.getByRole('button', { name: 'Log out' }).waitFor()
    await tab.reload()
    await tab.getByRole('button', { name: 'Log in' }).waitFor()
    const kept = await tab.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')
    expect(kept).not.toContain('ey')
    tab.isClean()
  })

  test('changes its language', async () => {
    const tab = await openTab(browser, url)
    await logIn(tab, admin)
    await tab.getByLabel('Language').selectOption('de')
    await tab.getByRole('heading', { level: 1, name: 'Übersicht' }).waitFor()
    expect(await tab.locator('html').getAttribute('lang')).toBe('de')
  })

  test('asks for a code if the account has a second factor', async () => {
    const { password } = admin
    await admin.post('/auth/proof', { password })
    const { secret } = (await admin.post<{ secret: string }>('/me/factors/totp')).body
    const { body } = await admin.post<{ recoveryCodes: string[] }>('/me/factors/totp/confirm', { code: totp(secret) })
    const tab = await openTab(browser, url)
    await logIn(tab, admin)
    await tab.getByText('This account has a second factor.').waitFor()
    await tab.isAccessible()
    await tab.getByLabel('Code of the app').fill(body.recoveryCodes[0] ?? '')
    await tab.getByRole('button', { name: 'Log in' }).click()
    await tab.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    tab.isClean([403])
  })
})

test('A browser at the address of the instance gets to the web client, and a program gets 404', async () => {
  const ask = (accept: string) => fetch(url, { headers: { accept }, redirect: 'manual' })
  const answer = await ask('text/html,application/xhtml+xml,*/*;q=0.8')
  expect([answer.status, answer.headers.get('location'), answer.headers.get('vary')]).toEqual([302, '/app', 'Accept'])
  expect((await ask('*/*')).status).toBe(404)
})

describe('The files of the panel', () => {
  const text = async (path: string) => (await fetch(`${url}${path}`)).text()

  test('are less than 150 kB compressed', async () => {
    const document = await text('/admin')
    const paths = new Set([...document.matchAll(/(?:href|src)="([^"]+)"/g)].flatMap(([, path]) => path ?? []))
    const sizes = [...paths].map(async (path) => (await compress(await text(path))).length)
    const sum = (await Promise.all(sizes)).reduce((total, size) => total + size, 0)
    expect(sum).toBeGreaterThan(20_000)
    expect(sum).toBeLessThan(150_000)
  })

  test('may be kept by browsers, and the document must be asked for again', async () => {
    const answer = await fetch(`${url}/admin/people`)
    expect(answer.headers.get('cache-control')).toBe('no-cache')
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self' 'sha256-")
    const [, script = ''] = /src="([^"]+main\.ts)"/.exec(await answer.text()) ?? []
    const file = await fetch(`${url}${script}`)
    expect(file.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect((await fetch(`${url}/web/0000000000000000/admin/main.ts`)).status).toBe(404)
    expect((await fetch(`${url}/admin`, { method: 'POST' })).status).toBe(405)
  })
})
