// Moderation in the panel, in a real browser: members use the API, and staff uses the pages.
import { describe, expect, test } from 'vitest'
import { openTab, startBrowser, type Tab } from '../support/browser.ts'
import { choose, logIn, showPage } from '../support/panel.ts'
import type { Person } from '../support/person.ts'
import { publish, reply } from '../support/posts.ts'
import { oneOfEach } from '../support/things.ts'
import { world } from '../support/world.ts'

const { admin, alice, bob, carla, database, join, url } = await world()
const [mona, dora] = (await join('mona', 'dora')) as [Person, Person]
await database.owner`update app.users set role = 'moderator' where username = 'mona'`
const browser = await startBrowser()

async function report(who: Person, targetType: string, targetId: string, category: string): Promise<void> {
  const { status } = await who.post('/reports', { targetType, targetId, reason: 'Rude words', category })
  expect(status).toBe(201)
}

const dialog = (tab: Tab) => tab.getByRole('dialog')
const confirm = (tab: Tab, name: string) => dialog(tab).getByRole('button', { name, exact: true }).click()
const button = (tab: Tab, name: string) => tab.getByRole('button', { name, exact: true })

describe('Moderation in the panel', { timeout: 240_000 }, () => {
  test('a case goes from report to appeal, with keys and without a mouse', async () => {
    const insult = await publish(bob, { body: 'You are all fools' })
    const advert = await publish(dora, { body: 'Buy my things' })
    const joke = await reply(bob, advert, { body: 'A bad joke' })
    await report(carla, 'post', insult, 'harassment')
    await report(carla, 'post', advert, 'spam')
    await report(carla, 'reply', joke, 'spam')

    // the queue
    const tab = await openTab(browser, url)
    await logIn(tab, mona, '/admin/cases')
    await tab.getByRole('heading', { level: 1, name: 'Cases' }).waitFor()
    const rows = tab.locator('tbody tr')
    await rows.nth(2).waitFor()
    await tab.isAccessible()
    expect(await rows.nth(0).getAttribute('aria-current')).toBe('true')
    await tab.keyboard.press('j')
    await tab.locator('tbody tr:nth-child(2)[aria-current="true"]').waitFor()
    await tab.keyboard.press('k')
    await tab.locator('tbody tr:nth-child(1)[aria-current="true"]').waitFor()
    await tab.keyboard.press('?')
    await tab.getByText('next row').waitFor({ state: 'hidden' })
    await tab.keyboard.press('?')
    await tab.getByText('next row').waitFor()

    // a key that is typed does nothing else
    await tab.getByLabel('Id, username or rule').fill('')
    await tab.getByLabel('Id, username or rule').press('d')
    expect(await dialog(tab).count()).toBe(0)
    await tab.getByLabel('Id, username or rule').fill('')
    await tab.getByLabel('Id, username or rule').blur()
    await rows.nth(2).waitFor()

    // the most urgent case: the words, claim, note
    await tab.keyboard.press('Enter')
    await tab.getByText('You are all fools').waitFor()
    await tab.getByText('Rude words').waitFor()
    await tab.isAccessible()
    for (const name of ['Ban', 'Limit', 'Suspend', 'Remove']) expect(await button(tab, name).count()).toBe(0)
    await tab.keyboard.press('c')
    await tab.getByText('You are working on this case until').waitFor()
    await tab.keyboard.press('n')
    await dialog(tab).getByLabel('Note').pressSequentially('jkhdwa Seen before')
    await tab.isAccessible()
    await confirm(tab, 'Add a note')
    await tab.getByText('jkhdwa Seen before').waitFor()

    // two actions at once, then the next open case
    await tab.keyboard.press('a')
    await confirm(tab, 'Decide')
    await dialog(tab).getByText('Choose at least one.').waitFor()
    await dialog(tab).getByRole('checkbox', { name: 'Hide' }).check()
    await dialog(tab).getByRole('checkbox', { name: 'Warn' }).check()
    await dialog(tab).getByRole('textbox', { name: 'Reason' }).fill('You insult people')
    await confirm(tab, 'Decide')
    await tab.getByText('Buy my things').waitFor()
    expect(await carla.get(`/posts/${insult}`)).toFailWith(404, 'post_unknown')

    // what only an admin may do is proposed
    await button(tab, 'Propose to admins…').click()
    await dialog(tab).getByRole('checkbox', { name: 'Ban', exact: true }).check()
    await dialog(tab).getByRole('textbox', { name: 'Reason' }).fill('Advertisements')
    await confirm(tab, 'Propose')
    await tab.getByRole('heading', { name: 'Proposals' }).waitFor()
    expect(await button(tab, 'Accept').count()).toBe(0)

    // the moderator goes from case to case, and dismisses the last one
    await tab.keyboard.press('j')
    await tab.getByText('A bad joke').waitFor()
    await tab.keyboard.press('d')
    await confirm(tab, 'Dismiss')
    await tab.getByText('Buy my things').waitFor()
    tab.isClean([422])

    // the author appeals, and the person who decided does not resolve the appeal
    const { body: standing } = await bob.get<{ decisions: { id: string; action: string; reason: string }[] }>(
      '/me/standing',
    )
    const hide = standing.decisions.find(({ action }) => action === 'hide')
    expect(hide?.reason).toBe('You insult people')
    expect((await bob.post(`/me/standing/${hide?.id}/appeal`, { text: 'It was a quote' })).status).toBe(201)
    await choose(tab, 'Appeals')
    await tab.getByText('It was a quote').waitFor()
    expect(await button(tab, 'Overturn').count()).toBe(0)
    await tab.close()

    // an admin accepts the proposal, ends the ban, and overturns the decision
    const desk = await openTab(browser, url)
    await logIn(desk, admin, '/admin/cases')
    await desk.getByRole('link', { name: 'Post', exact: true }).click()
    await desk.getByText('Buy my things').waitFor()
    await button(desk, 'Accept').click()
    await confirm(desk, 'Accept')
    await desk.getByText('No case is left in this queue.').waitFor()
    expect((await dora.post('/auth/login', { email: dora.email, password: dora.password })).status).toBe(403)
    await showPage(desk, '/admin/people?status=banned', 'People')
    await desk.getByRole('link', { name: /dora/ }).click()
    await button(desk, 'End the ban').click()
    await confirm(desk, 'End the ban')
    await button(desk, 'Ban').waitFor()
    await dora.login()
    await button(desk, 'Ban').click()
    await dialog(desk).getByRole('textbox', { name: 'Reason' }).fill('Again')
    await confirm(desk, 'Ban')
    await button(desk, 'Erase…').waitFor()
    expect((await dora.post('/auth/login', { email: dora.email, password: dora.password })).status).toBe(403)

    await choose(desk, 'Appeals')
    await button(desk, 'Overturn').click()
    await dialog(desk).getByLabel('Answer').fill('You are right')
    await confirm(desk, 'Overturn')
    await desk.locator('td', { hasText: 'Overturned' }).waitFor()
    expect(await carla.get(`/posts/${insult}`)).toMatchObject({ status: 200 })
    desk.isClean()
  })

  test('a moderator hides a post in the list, and is not offered what only admins may do', async () => {
    const post = await publish(alice, { body: 'A post for the list' })
    const tab = await openTab(browser, url)
    await logIn(tab, mona, '/admin/cases')
    await button(tab, 'Log out').waitFor()
    await showPage(tab, `/admin/posts?q=${post}`, 'Posts')
    await button(tab, 'Hide').click()
    await confirm(tab, 'Hide')
    await button(tab, 'Show again').waitFor()
    expect(await button(tab, 'Remove').count()).toBe(0)
    expect(await carla.get(`/posts/${post}`)).toFailWith(404, 'post_unknown')
    await showPage(tab, `/admin/people/${alice.id}`, 'Person')
    await tab.getByRole('heading', { name: 'Standing' }).waitFor()
    for (const name of ['Ban', 'Suspend', 'Limit', 'Change the role…', 'End all sessions']) {
      expect(await button(tab, name).count()).toBe(0)
    }
    await showPage(tab, '/admin/new-rule', 'No such page')

    // the list of posts leads to the reason why somebody does not see a post
    await showPage(tab, `/admin/posts?q=${post}`, 'Posts')
    await tab.getByRole('link', { name: 'Who sees this?' }).click()
    await tab.getByLabel('Person (id or username)').fill('carla')
    await button(tab, 'Explain').click()
    await tab.getByText('carla 例 does not see it.').waitFor()
    await tab.getByText('Denies').waitFor()
    await tab.isAccessible()
    tab.isClean()
  })

  test('an admin tries a rule, makes it, and lets it go live', async () => {
    await publish(alice, { body: 'Look at https://example.org' })
    const tab = await openTab(browser, url)
    await logIn(tab, admin)
    await button(tab, 'Log out').waitFor()
    await showPage(tab, '/admin/new-rule', 'New rule')
    await tab.getByLabel('Name').fill('Links')
    await tab.getByLabel('It has a link').check()
    await button(tab, 'Try on the last 30 days').click()
    await tab.getByText(/would have hit 1 of/).waitFor()
    await tab.isAccessible()
    await button(tab, 'Make a rule').click()
    await button(tab, 'Go live').waitFor()
    await button(tab, 'Try on the last 30 days').click()
    await confirm(tab, 'Try on the last 30 days')
    await tab.getByText(/would have hit 1 of/).waitFor()
    await button(tab, 'Go live').click()
    await confirm(tab, 'Go live')
    await button(tab, 'Back to shadow').waitFor()
    expect(await button(tab, 'Go live').count()).toBe(0)
    await tab.isAccessible()
    const { body } = await admin.get<{ items: { mode: string }[] }>('/admin/rules?q=Links')
    expect(body.items[0]?.mode).toBe('live')

    // a rule for a file of a case
    const hash = 'ab'.repeat(32)
    const [asset] = await database.owner<{ id: string }[]>`
      insert into app.media_assets (id, key, bucket, owner_id, kind, content_type, mime_type, size, status, committed_at,
                                    expires_at, sha256)
      select id, id, 'local', ${alice.id}, 'image', 'image/png', 'image/png', 9, 'committed', now(), null,
             decode(${hash}, 'hex')
      from gen_random_uuid() id returning id`
    const picture = await publish(alice, { format: 'photo', body: 'A picture', media: [{ assetId: asset?.id }] })
    const opened = await admin.post<{ id: string }>('/admin/cases', { targetType: 'post', targetId: picture })
    await showPage(tab, `/admin/cases/${opened.body.id}`, 'Case')
    await tab.getByRole('link', { name: 'Make a rule for this file' }).click()
    await tab.getByLabel('Name').fill('This picture')
    expect(await tab.getByLabel(/It has one of these files/).inputValue()).toBe(hash)
    await button(tab, 'Make a rule').click()
    await tab.getByText(`It has a file with one of these hashes: ${hash}`).waitFor()
    await admin.post(`/admin/cases/${opened.body.id}/actions`, { actions: ['dismiss'] })
    await alice.delete(`/posts/${picture}`)
    await database.owner`delete from app.media_assets`
    await tab.isAccessible()
    tab.isClean()
  })

  test('every page about people and content shows its things, and is accessible', async () => {
    const ids = await oneOfEach(admin, [alice, bob, carla], database)
    const tab = await openTab(browser, url)
    await logIn(tab, admin)
    await button(tab, 'Log out').waitFor()
    const pages: [path: string, title: string, shows: string][] = [
      ['/admin/people', 'People', 'alice'],
      [`/admin/people/${alice.id}`, 'Person', 'alice@example.org'],
      ['/admin/posts', 'Posts', 'What I found'],
      ['/admin/replies', 'Replies', 'Indeed'],
      ['/admin/content?kind=debates', 'Contents', 'A debate'],
      ['/admin/content?kind=arguments', 'Contents', 'x'.repeat(50)],
      ['/admin/media', 'Media', 'Nothing here.'],
      ['/admin/series', 'Series', 'Parts'],
      ['/admin/circles', 'Circles', 'Friends'],
      ['/admin/groups', 'Groups', 'Group'],
      [`/admin/groups/${ids['/groups']}`, 'Group', 'Requests to join'],
      ['/admin/guilds', 'Guilds', 'Guild'],
      [`/admin/guilds/${ids['/guilds']}`, 'Guild', 'Applications'],
      ['/admin/rules', 'Rules', 'Links'],
      ['/admin/access', 'Who sees what', 'Explain'],
    ]
    for (const [path, title, shows] of pages) {
      await showPage(tab, path, title)
      await tab.locator('main').getByText(shows).filter({ visible: true }).first().waitFor()
      await tab.isAccessible()
    }
    await showPage(tab, `/admin/people/${admin.id}`, 'Person')
    await tab.getByText('Invited people').click()
    await tab.getByRole('checkbox', { name: 'Choose carla 例' }).check()
    await tab.isAccessible()
    await button(tab, 'Act on the chosen (1)…').click()
    await dialog(tab).getByRole('textbox', { name: 'Reason' }).fill('A test')
    await confirm(tab, 'Decide')
    await tab.locator('tr', { hasText: 'carla' }).getByText('Limited').waitFor()

    await showPage(tab, `/admin/groups/${ids['/groups']}`, 'Group')
    await button(tab, 'Archive').click()
    await confirm(tab, 'Archive')
    await button(tab, 'Restore').waitFor()
    tab.isClean()
  })
})
