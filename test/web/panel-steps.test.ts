// What admins do in the panel with a person, with the members of a guild and with a list, in a real browser.
import { readFile } from 'node:fs/promises'
import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { openTab, startBrowser, type Tab } from '../support/browser.ts'
import { logIn, showPage } from '../support/panel.ts'
import type { Person } from '../support/person.ts'
import { world } from '../support/world.ts'

const { admin, alice, bob, carla, database, url } = await world()
const browser = await startBrowser()

const button = (tab: Tab, name: string) => tab.getByRole('button', { name, exact: true })
const dialog = (tab: Tab) => tab.getByRole('dialog')
const confirm = (tab: Tab, name: string) => dialog(tab).getByRole('button', { name, exact: true }).click()
const logsIn = ({ email, password }: Person) => alice.withToken(undefined).post('/auth/login', { email, password })

/** The text of the file that a click saves, and its name. */
async function saved(tab: Tab, click: () => Promise<void>): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([tab.waitForEvent('download'), click()])
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') }
}

describe('An admin in the panel', { timeout: 240_000 }, () => {
  test('ends the sessions of a person, suspends, exports and erases them', async () => {
    await bob.patch('/me', { firstName: 'Bob…', lastName: 'B…' })
    const tab = await openTab(browser, url)
    await logIn(tab, admin)
    await button(tab, 'Log out').waitFor()
    await showPage(tab, `/admin/people/${bob.id}`, 'Person')
    await tab.getByText('bob@example.org').waitFor()

    // an admin ends the sessions of Bob, who can log in again
    await tab.getByText('Sessions', { exact: true }).click()
    await tab.getByRole('region', { name: 'Sessions' }).locator('tbody tr').first().waitFor()
    await tab.isAccessible()
    await button(tab, 'End all sessions').click()
    await dialog(tab).getByText('The person is logged out everywhere').waitFor()
    await dialog(tab).getByLabel('Reason (optional)').waitFor()
    await confirm(tab, 'End all sessions')
    await tab.getByText('Done.').waitFor()
    expect(await bob.get('/me')).toFailWith(401, 'token_revoked')
    await tab.getByRole('region', { name: 'Sessions' }).locator('tbody tr').first().waitFor({ state: 'detached' })
    await bob.login()
    // only a person who cannot log in gets their data from staff
    for (const name of ['Export the data', 'Erase…']) expect(await button(tab, name).count()).toBe(0)

    // A suspension ends by itself. A half-filled end has the wrong format, and one in the past is refused; the dialog
    // then keeps the reason.
    await button(tab, 'Suspend').click()
    await dialog(tab).getByRole('textbox', { name: 'Reason' }).fill('Cool down')
    await dialog(tab).getByLabel('Suspended until').press('5')
    await confirm(tab, 'Suspend')
    await dialog(tab).getByText('The format of this value is not right.').waitFor()
    await dialog(tab).getByLabel('Suspended until').fill('2020-01-01T00:00')
    await confirm(tab, 'Suspend')
    await dialog(tab).getByRole('alert').getByText('Request').waitFor()
    await tab.isAccessible()
    expect(await dialog(tab).getByRole('textbox', { name: 'Reason' }).inputValue()).toBe('Cool down')
    const end = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 16)
    await dialog(tab).getByLabel('Suspended until').fill(end)
    await confirm(tab, 'Suspend')
    await tab.getByText('Cool down').waitFor()
    expect(await logsIn(bob)).toFailWith(403, 'person_suspended')

    // an admin saves the data of Bob as a file, and then erases his account
    const { name, text } = await saved(tab, async () => {
      await button(tab, 'Export the data').click()
      await confirm(tab, 'Export the data')
    })
    expect(name).toBe('bob.json')
    expect(JSON.parse(text)).toMatchObject({ format: 'service-gdpr-export-v1', actorId: bob.actorId })
    await button(tab, 'Erase…').click()
    // the question names whom it is about, with all signs of the name
    await dialog(tab).getByRole('heading', { name: 'Erase: Bob… B…', exact: true }).waitFor()
    await dialog(tab).getByText('Erases the account of bob and their words permanently.').waitFor()
    await confirm(tab, 'Erase')
    await tab.getByRole('heading', { level: 1, name: 'People' }).waitFor()
    await tab.locator('tbody tr', { hasText: 'Erased' }).waitFor()
    await tab.isAccessible()
    expect(await logsIn(bob)).toFailWith(401, 'credentials_wrong')
    tab.isClean([403, 422])
  })

  test('lets people into a guild, gives them a role and expels them', async () => {
    const [music] = await database.owner<{ id: string }[]>`select id from app.interests where slug = 'music'`
    const made = await admin.post<{ id: string }>('/guilds', { name: 'Luthiers', interestId: music?.id, minRep: 0 })
    const guild = made.body.id
    for (const who of [alice, carla]) {
      const { status } = await who.post(`/guilds/${guild}/applications`, { message: `I am ${who.username}` })
      expect(status).toBe(201)
    }
    const tab = await openTab(browser, url)
    await logIn(tab, admin)
    await button(tab, 'Log out').waitFor()
    await showPage(tab, `/admin/guilds/${guild}`, 'Guild')

    const applicant = (person: Person) => tab.getByRole('listitem').filter({ hasText: `I am ${person.username}` })
    await applicant(alice).getByRole('button', { name: 'Approve' }).click()
    await dialog(tab).getByText('The person becomes a member').waitFor()
    await confirm(tab, 'Approve')
    const member = tab.locator('tbody tr', { hasText: 'alice' })
    await member.getByText('Member', { exact: true }).waitFor()
    await applicant(carla).getByRole('button', { name: 'Reject' }).click()
    await confirm(tab, 'Reject')
    await tab.getByText('Nobody waits to join.').waitFor()

    // The founder keeps the role. A member becomes a steward, and is expelled.
    expect(await tab.locator('tbody tr', { hasText: 'Founder' }).getByRole('button').count()).toBe(0)
    await member.getByRole('button', { name: 'Change role' }).click()
    await dialog(tab).getByLabel('Role').selectOption('steward')
    await confirm(tab, 'Change role')
    await member.getByText('Steward', { exact: true }).waitFor()
    await tab.isAccessible()
    await member.getByRole('button', { name: 'Expel' }).click()
    await confirm(tab, 'Expel')
    await member.waitFor({ state: 'detached' })
    const { body } = await alice.get<{ viewer: { status: string } }>(`/guilds/${guild}`)
    expect(body.viewer.status).toBe('none')
    tab.isClean()
  })

  test('shows interests by their names, also after a failure and under a new name', async () => {
    const [music] = await database.owner<{ id: string }[]>`select id from app.interests where slug = 'music'`
    const body = { userId: alice.id, interestId: music?.id, delta: 1, note: 'A test' }
    expect((await admin.post('/admin/reputation/adjust', body)).status).toBe(201)
    const tab = await openTab(browser, url)
    const catalog = '**/interests/catalog'
    await tab.route(catalog, (route) => route.fulfill({ status: 500 }))
    await logIn(tab, admin)
    await button(tab, 'Log out').waitFor()
    const shows = async (name: string) => {
      await showPage(tab, '/admin/reputation/entries', 'Reputation')
      await tab.locator('tbody tr', { hasText: 'alice' }).getByRole('cell', { name, exact: true }).first().waitFor()
    }
    await shows('music')
    await tab.getByRole('alert').first().waitFor()
    await tab.unroute(catalog)
    await showPage(tab, '/admin/interests?q=music', 'Interests')
    await shows('Music')

    await showPage(tab, '/admin/interests?q=music', 'Interests')
    await button(tab, 'Change… Music').click()
    await dialog(tab).getByLabel('Name').fill('Music and sound')
    await confirm(tab, 'Save')
    await tab.getByText('Music and sound was saved.').waitFor()
    await shows('Music and sound')
    tab.isClean([500])
  })

  test('saves a list as CSV, with its filter and all its pages', async () => {
    const name = '=1+1, "Über"'
    for (const about of ['First\nsecond', 'Other']) {
      expect((await alice.post('/groups', { name: `${name} ${about.length}`, about })).status).toBe(201)
    }
    await alice.post('/groups', { name: 'Not asked for' })
    // a CSV of the API has at most 1000 rows
    await database.owner`insert into app.invite_codes (code, generated_by)
      select 'INV-' || translate(lpad(at::text, 6, '0'), '01', 'AB'), ${admin.id} from generate_series(1, 1100) at`
    const tab = await openTab(browser, url)
    await logIn(tab, admin)
    await button(tab, 'Log out').waitFor()
    await showPage(tab, `/admin/groups?q=${encodeURIComponent('Über')}`, 'Groups')
    const groups = await saved(tab, () => button(tab, 'Download as CSV').click())
    expect(groups.name).toBe('groups.csv')
    const rows = parse(groups.text, { bom: true, columns: true }) as Record<string, string>[]
    // no spreadsheet takes the name for a formula
    expect(rows.map((row) => row.name)).toEqual([`'${name} 5`, `'${name} 12`])
    expect(rows.map((row) => row.about)).toEqual(['Other', 'First\nsecond'])

    await showPage(tab, '/admin/invites?status=active', 'Invite codes')
    const codes = await saved(tab, () => button(tab, 'Download as CSV').click())
    const listed = parse(codes.text, { bom: true, columns: true }) as Record<string, string>[]
    const [{ count } = { count: 0 }] = await database.owner<{ count: number }[]>`
      select count(*)::int from app.invite_codes where status = 'active'`
    expect(new Set(listed.map((row) => row.code)).size).toBe(count)
    expect(listed).toHaveLength(count)
    tab.isClean()
  })
})
