// Public pages of posts and people: who has a page, what it says to search engines, and that there is none by default.
import { describe, expect, test } from 'vitest'
import { openTab, startBrowser } from '../support/browser.ts'
import { publish } from '../support/posts.ts'
import { world } from '../support/world.ts'

const browser = await startBrowser()
const unknown = crypto.randomUUID()

describe('With PUBLIC_PAGES=on', { timeout: 120_000 }, async () => {
  const { admin, alice, bob, carla, url } = await world({ env: { PUBLIC_PAGES: 'on' } })
  const read = async (path: string, init?: RequestInit) => {
    const answer = await fetch(url + path, { redirect: 'manual', ...init })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }
  const missing = await read(`/posts/${unknown}`)
  const ownId = async (person: typeof alice) => (await person.get<{ id: string }>('/me')).body.id

  test('everybody with the link can read a public post and its author, without scripts', async () => {
    const words = 'Moss <img src=x onerror=alert(1)> & ferns.\n\nNobody plants them.'
    const post = await publish(alice, { format: 'essay', title: 'What grows "in the shade"', body: words })
    const tab = await openTab(browser, url)
    await tab.goto(`/posts/${post}`)
    await tab.getByRole('heading', { name: 'What grows "in the shade"' }).waitFor()
    expect(await tab.locator('.words').textContent()).toBe(words)
    expect(await tab.locator('script').count()).toBe(0)
    await tab.isAccessible()
    await tab.getByRole('link', { name: 'alice' }).click()
    await tab.getByRole('heading', { level: 1, name: 'alice' }).waitFor()
    await tab.getByRole('link', { name: 'What grows "in the shade"' }).waitFor()
    await tab.isAccessible()
    await tab.goto(`/posts/${unknown}`)
    await tab.getByText('There is nothing here that everybody may see.').waitFor()
    await tab.isAccessible()
    tab.isClean([404])

    const { headers, text } = await read(`/posts/${post}`)
    expect(headers.get('x-robots-tag')).toBe('noindex')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'; style-src 'self';")
    expect(text).toContain('<meta property="og:title" content="What grows &quot;in the shade&quot;">')
    expect(text).toContain(`<link rel="canonical" href="http://localhost:`)
    expect(text).not.toContain('<img')
  })

  test('a picture of a person is shown, even if the page is not open at FACADE_URL', async () => {
    const { body: picture } = await carla.post<{ url: string }>('/media/avatar/generate', { style: 'lorelei' })
    expect(new URL(picture.url).origin).not.toBe(url)
    await carla.patch('/me', { profilePicUrl: picture.url })
    const tab = await openTab(browser, url)
    await tab.goto('/@carla')
    const drawn = () => tab.locator('img').evaluate((one) => (one as unknown as { naturalWidth: number }).naturalWidth)
    await expect.poll(drawn).toBeGreaterThan(0)
    tab.isClean()
  })

  test('posts and people that not everybody may see get the same answer as unknown ones', async () => {
    const { body: group } = await alice.post<{ id: string }>('/groups', { name: 'Gardeners' })
    const original = await publish(bob)
    const hidden = await publish(alice)
    const deleted = await publish(alice)
    const later = new Date(Date.now() + 3_600_000).toISOString()
    const posts = {
      'for circles': await publish(alice, { visibility: 'circles' }),
      'in a group': await publish(alice, { groupId: group.id }),
      scheduled: await publish(alice, { publishAt: later }),
      'a repost': await publish(alice, { format: 'repost', quotedPostId: original, body: '' }),
      hidden,
      deleted,
    }
    expect(await admin.post(`/admin/posts/${hidden}/hide`, { reason: 'x' })).toMatchObject({ status: 200 })
    await alice.delete(`/posts/${deleted}`)
    expect(missing.status).toBe(404)
    for (const [what, id] of Object.entries(posts)) {
      const { status, text } = await read(`/posts/${id}`)
      expect({ what, status, text }).toEqual({ what, status: 404, text: missing.text })
    }
    for (const path of ['/posts/x', '/@nobody_here', '/@x', `/@${unknown}`]) {
      const { status, text } = await read(path)
      expect({ path, status, text }).toEqual({ path, status: 404, text: missing.text })
    }
    expect((await read(`/posts/${original}`, { method: 'POST' })).status).toBe(405)
  })

  test('a person who turned their page off cannot be told from somebody who does not exist', async () => {
    const post = await publish(carla)
    const tab = await openTab(browser, url, { viewport: { width: 360, height: 740 } })
    await tab.goto('/app')
    await tab.getByLabel('Email address').fill(carla.email)
    await tab.getByLabel('Password').fill(carla.password)
    await tab.getByLabel('Stay signed in').check()
    await tab.getByRole('button', { name: 'Log in' }).click()
    await tab.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    await tab.goto('/app/settings/privacy')
    const choice = tab.getByRole('switch', { name: 'I have a public page' })
    expect(await choice.isChecked()).toBe(true)
    expect((await read('/@carla')).status).toBe(200)
    await choice.uncheck()
    await tab.getByText('Saved.').waitFor()
    await tab.isAccessible()
    tab.isClean()
    const bare = ({ status, headers, text }: Awaited<ReturnType<typeof read>>) => ({
      status,
      text,
      names: [...headers.keys()].sort(),
      length: headers.get('content-length'),
    })
    for (const [path, unknownPath] of [
      [`/posts/${post}`, `/posts/${unknown}`],
      ['/@carla', '/@nobody_here'],
    ] as const) {
      expect(bare(await read(path))).toEqual(bare(await read(unknownPath)))
    }
    await choice.check()
    await expect.poll(async () => (await read(`/posts/${post}`)).status).toBe(200)
  })

  test('people who are limited or banned have no page, nor do their posts', async () => {
    const [ofBob, ofCarla] = [await publish(bob), await publish(carla)]
    const quote = await publish(alice, { format: 'quote', quotedPostId: ofBob, body: 'As Bob says.' })
    const paths = ['/@bob', `/posts/${ofBob}`, '/@carla', `/posts/${ofCarla}`]
    const statuses = () => Promise.all(paths.map(async (path) => (await read(path)).status))
    expect(await statuses()).toEqual([200, 200, 200, 200])
    expect((await read(`/posts/${quote}`)).text).toContain(`/posts/${ofBob}`)
    await admin.post(`/admin/users/${await ownId(bob)}/limit`, { reason: 'x' })
    await admin.post(`/admin/users/${await ownId(carla)}/ban`, { reason: 'x' })
    expect(await statuses()).toEqual([404, 404, 404, 404])
    expect((await read(`/posts/${quote}`)).text).not.toContain(`/posts/${ofBob}`)
  })

  test('a German reader gets German words', async () => {
    const { headers, text } = await read('/@alice', { headers: { 'accept-language': 'de-AT,de;q=0.9' } })
    expect(text).toContain('<h2>Beiträge</h2>')
    expect(headers.get('vary')).toContain('Accept-Language')
  })
})

test('With PUBLIC_PAGES=indexed search engines may list what is public', async () => {
  const { alice, url } = await world({ people: ['alice'], env: { PUBLIC_PAGES: 'indexed' } })
  const answer = await fetch(`${url}/posts/${await publish(alice)}`)
  expect(answer.headers.get('x-robots-tag')).toBeNull()
  expect(await answer.text()).not.toContain('noindex')
  expect((await fetch(`${url}/posts/${unknown}`)).headers.get('x-robots-tag')).toBe('noindex')
})

test('A loop over public pages is limited', async () => {
  const { url } = await world({
    people: ['alice'],
    env: { PUBLIC_PAGES: 'on', RATE_LIMIT_SCALE: '1', RATE_LIMITS: JSON.stringify({ public_pages: '2/min' }) },
  })
  const statuses = []
  for (let n = 0; n < 3; n++) statuses.push((await fetch(`${url}/@alice`)).status)
  expect(statuses).toEqual([200, 200, 429])
})

test('By default there are no public pages', async () => {
  const { alice, url } = await world({ people: ['alice'], env: { PUBLIC_PAGES: 'off' } })
  for (const path of [`/posts/${await publish(alice)}`, '/@alice']) {
    const answer = await fetch(url + path)
    expect(answer.status).toBe(404)
    expect(answer.headers.get('x-error-code')).toBe('route_unknown')
  }
})
