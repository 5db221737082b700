// Groups and guilds in the web client, in real browsers: those who lead them, members, and votes.
import { describe, expect, test } from 'vitest'
import { openTab, startBrowser, type Tab } from '../support/browser.ts'
import type { Person } from '../support/person.ts'
import { world } from '../support/world.ts'

const { admin, alice, bob, carla, database, url } = await world()
const browser = await startBrowser()

/** Wider than any screen. */
const LONG = 'W'.repeat(300)
const CHARTER = `# Wood

We use **no** glue.

- Spruce
- <img src=x onerror=alert(1)>

After [the guild of Cremona](https://example.org/cremona), not [here](javascript:alert(1)).

## ${LONG}

\`\`\`
${LONG}
\`\`\`

${'> '.repeat(8)}deep
${'> '.repeat(8)}text`

const NARROW = { width: 360, height: 740 }
async function open({ email, password }: Person, path: string, isNarrow = false): Promise<Tab> {
  const tab = await openTab(browser, url, isNarrow ? { viewport: NARROW } : {})
  await tab.goto(path)
  await tab.getByLabel('Email address').fill(email)
  await tab.getByLabel('Password').fill(password)
  await tab.getByLabel('Stay signed in').check()
  await tab.getByRole('button', { name: 'Log in' }).click()
  await tab.getByRole('navigation', { name: 'Menu' }).waitFor()
  return tab
}
async function isFit(tab: Tab): Promise<void> {
  await tab.isAccessible()
  expect(await tab.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBe(0)
}
const button = (tab: Tab, name: string | RegExp) => tab.getByRole('button', { name, exact: true })
const confirm = (tab: Tab, name: string) => tab.getByRole('dialog').getByRole('button', { name, exact: true }).click()
const heading = (tab: Tab, name: string) => tab.getByRole('heading', { level: 1, name, exact: true }).waitFor()
/** A step in the menu of a member. */
async function choose(tab: Tab, username: string, step: string): Promise<void> {
  await tab.locator('details.menu > summary', { hasText: new RegExp(`More about ${username}`) }).click()
  await tab.getByRole('listitem').getByRole('button', { name: step, exact: true }).click()
}

describe('The web client', { timeout: 240_000 }, () => {
  test('lets an owner change a group, its roles, its invitations and its bans', async () => {
    const { body: group } = await alice.post<{ id: string }>('/groups', { name: 'Wood walkers' })
    for (const who of [bob, carla]) await who.post(`/groups/${group.id}/join`, {})
    const tab = await open(alice, `/app/groups/${group.id}`)
    await heading(tab, 'Wood walkers')
    await button(tab, 'Change').click()
    await tab.getByRole('textbox', { name: 'Name' }).fill('Moor walkers')
    await tab.getByLabel('How people join').selectOption('By invitation')
    await tab.isAccessible()
    await confirm(tab, 'Change')
    await heading(tab, 'Moor walkers')

    await choose(tab, 'bob', 'Change the role')
    await tab.getByRole('combobox', { name: 'Role' }).selectOption('Moderator')
    await tab.isAccessible()
    await confirm(tab, 'Change')
    await tab.getByText('Moderator', { exact: true }).waitFor()
    // a moderator removes members, but gives no roles
    const other = await open(bob, `/app/groups/${group.id}`, true)
    await heading(other, 'Moor walkers')
    await other.locator('details.menu > summary', { hasText: /More about carla/ }).click()
    expect(await button(other, 'Change the role').count()).toBe(0)
    expect(await other.locator('details.menu > summary', { hasText: /More about alice/ }).count()).toBe(0)
    await isFit(other)
    await other.getByRole('listitem').getByRole('button', { name: 'Ban', exact: true }).click()
    await confirm(other, 'Ban')
    await other.getByRole('heading', { name: 'Banned people' }).waitFor()
    await isFit(other)
    other.isClean()
    expect((await carla.get<{ viewer: { status: string } }>(`/groups/${group.id}`)).body.viewer.status).toBe('banned')

    // the owner lifts the ban, invites her, and takes the invitation back
    await tab.reload()
    await button(tab, /^Lift the ban: carla/).click()
    await tab.getByRole('heading', { name: 'Banned people' }).waitFor({ state: 'detached' })
    await tab.getByLabel('Find a person by name').fill('carla')
    await button(tab, 'Search').click()
    await button(tab, /^Invite: carla/).click()
    await button(tab, /^Take back: carla/).waitFor()
    await tab.isAccessible()
    expect((await carla.get<{ viewer: { status: string } }>(`/groups/${group.id}`)).body.viewer.status).toBe('invited')
    await button(tab, /^Take back: carla/).click()
    await tab.getByRole('heading', { name: 'Invited people' }).waitFor({ state: 'detached' })
    await button(tab, 'Archive').click()
    await confirm(tab, 'Archive')
    await button(tab, 'Restore').click()
    await button(tab, 'Archive').waitFor()
    tab.isClean()
  })

  test('lets people found a guild, join it, propose, vote and see the result', async () => {
    const founder = await open(admin, '/app/guilds')
    await button(founder, 'Found a guild').click()
    await founder.getByLabel('Name').fill('Luthiers')
    await founder.getByLabel('Interest').selectOption({ index: 3 })
    await founder.isAccessible()
    await confirm(founder, 'Found a guild')
    await heading(founder, 'Luthiers')
    const path = new URL(founder.url()).pathname
    const id = path.split('/').at(-1) ?? ''
    await button(founder, 'Change').click()
    await founder.getByLabel('What it is about').fill('Wood and gut')
    await confirm(founder, 'Change')
    await founder.getByText('Wood and gut').waitFor()

    // Two people join. Others see no button to found a guild, and nothing of the proposals.
    const member = await open(alice, '/app/guilds', true)
    await member.getByRole('link', { name: 'Luthiers' }).click()
    await button(member, 'Apply').click()
    await member.getByLabel('Message').fill('I carve')
    await confirm(member, 'Apply')
    await member.getByText('Your application waits').waitFor()
    expect(await member.getByRole('heading', { name: 'Proposals' }).count()).toBe(0)
    await bob.post(`/guilds/${id}/applications`, {})
    await founder.reload()
    await founder.getByText('I carve').waitFor()
    await founder.isAccessible()
    await button(founder, /^Admit: alice/).click()
    await button(founder, /^Admit: bob/).click()
    await founder.getByText('3 members').waitFor()

    // a charter, on which all vote
    await button(founder, 'Propose something').click()
    await founder.getByLabel('What happens if the proposal passes').selectOption('A new charter')
    await confirm(founder, 'Continue')
    await founder.getByLabel('Title').fill('How we work')
    await founder.getByLabel('Charter').fill(CHARTER)
    await founder.isAccessible()
    await confirm(founder, 'Propose something')
    await heading(founder, 'How we work')
    await founder.getByText('We use no glue.').waitFor()
    // it is Markdown: elements and links, but no HTML and no script
    const charter = founder.locator('.markdown')
    expect(await charter.getByRole('heading').allTextContents()).toEqual(['Wood', LONG])
    expect(await charter.locator('strong').textContent()).toBe('no')
    expect(await charter.getByRole('listitem').allTextContents()).toEqual(['Spruce', '<img src=x onerror=alert(1)>'])
    expect(await charter.getByRole('link').allTextContents()).toEqual(['the guild of Cremona'])
    expect(await charter.getByRole('link').getAttribute('href')).toBe('https://example.org/cremona')
    await charter.getByText('[here](javascript:alert(1))').waitFor()
    expect(await charter.getByText('> deep').getAttribute('class')).toBe('words')
    await button(founder, /^Yes/).click()
    await founder.getByRole('button', { name: /^Yes/, pressed: true }).waitFor()
    await founder.isAccessible()
    await member.reload()
    await member.getByRole('link', { name: 'How we work' }).click()
    await heading(member, 'How we work')
    await button(member, /^No\b/).click()
    await member.getByRole('button', { name: /^No\b/, pressed: true }).waitFor()
    await isFit(member)
    await button(member, /^Yes/).click()
    await member.getByRole('heading', { name: 'Votes' }).waitFor()
    expect(await button(member, /^Yes/).count()).toBe(0)
    await isFit(member)
    // the worker carries out the proposal
    await database.owner`select private.job_settle_proposals()`
    await member.reload()
    await member.getByText('Passed and carried out').waitFor()
    await member.getByRole('link', { name: 'Back to the guild' }).click()
    await member.getByText('Charter', { exact: true }).click()
    await member.getByText('We use no glue.').waitFor()

    // the charters of the guild, which others can read too
    await member.getByRole('link', { name: 'All charters' }).click()
    await heading(member, 'Charters')
    await member.getByRole('heading', { name: 'Charter 2' }).waitFor()
    await member.getByText('In force').waitFor()
    await member.getByRole('heading', { name: 'Charter 1' }).waitFor()
    await isFit(member)
    await member.getByRole('link', { name: 'By a proposal' }).click()
    await heading(member, 'How we work')
    await member.getByText('The charter that was proposed:').waitFor()
    await member.goto(path)

    // The treasury gets mana. A proposal that passes and cannot be carried out says why.
    await member.getByRole('link', { name: '0 mana in the treasury' }).click()
    await heading(member, 'Treasury')
    await member.getByText('No mana has moved yet.').waitFor()
    await button(member, 'Give mana').click()
    await member.getByLabel('Mana', { exact: true }).fill('7')
    await member.getByLabel('Note').fill('For strings')
    await member.isAccessible()
    await confirm(member, 'Give mana')
    await member.getByText('For strings').waitFor()
    await member.getByText('+7', { exact: true }).waitFor()
    await member.getByText('7 mana', { exact: true }).waitFor()
    await isFit(member)
    expect((await alice.get<{ balance: number }>('/economy/wallet')).body.balance).toBe(43)
    // an error is in the language of the page
    await member.getByLabel('Language').selectOption('de')
    await button(member, 'Mana geben').click()
    await member.getByLabel('Mana', { exact: true }).fill('1000')
    await confirm(member, 'Mana geben')
    await member.getByRole('dialog').getByText('Dafür ist nicht genug Mana da.').waitFor()
    await confirm(member, 'Abbrechen')
    await member.getByLabel('Sprache').selectOption('en')
    await heading(member, 'Treasury')
    const { body: disbursal } = await alice.post<{ id: string }>(`/guilds/${id}/proposals`, {
      kind: 'disburse',
      title: 'A workshop for Bob',
      payload: { recipientId: bob.actorId, amount: 5000 },
    })
    for (const who of [alice, bob]) await who.put(`/guilds/${id}/proposals/${disbursal.id}/vote`, { value: 'yes' })
    await database.owner`select private.job_settle_proposals()`
    await member.goto(`${path}/proposals/${disbursal.id}`)
    await member.getByText('was to get 5,000 mana from the treasury.').waitFor()
    await member.getByText('The treasury did not have enough mana.').waitFor()
    await isFit(member)
    await member.goto(path)

    // who leads the guild pays out of the treasury; others are not offered it
    await member.goto(`${path}/treasury`)
    await button(member, 'Give mana').waitFor()
    expect(await button(member, 'Pay somebody').count()).toBe(0)
    await founder.goto(`${path}/treasury`)
    await button(founder, 'Pay somebody').click()
    await founder.getByLabel('Username').fill('bob')
    await founder.getByLabel('Mana', { exact: true }).fill('2')
    await founder.getByLabel('Note').fill('For varnish')
    await founder.isAccessible()
    await confirm(founder, 'Pay somebody')
    await founder.getByText('For varnish').waitFor()
    await founder.getByText('−2', { exact: true }).waitFor()
    await founder.getByText('5 mana', { exact: true }).waitFor()
    await button(founder, 'Distribute mana').click()
    await founder.getByLabel('Mana', { exact: true }).fill('3')
    await confirm(founder, 'Distribute mana')
    await founder.getByRole('dialog').getByText('No member has a contribution score').waitFor()
    await founder.keyboard.press('Escape')
    await database.owner`
      insert into app.contribution_entries (user_id, kind, delta, source_id)
      values (${alice.id}, 'post_created', 10, gen_random_uuid())`
    await button(founder, 'Distribute mana').click()
    await founder.getByLabel('Mana', { exact: true }).fill('3')
    await confirm(founder, 'Distribute mana')
    await founder.getByText('Share of a distribution').waitFor()
    await founder.getByText('2 mana', { exact: true }).waitFor()
    // a step never moves more than the API takes, however full the treasury is
    await database.owner`update app.mana_accounts set balance = balance + 2000000000 where id = ${id}`
    await founder.reload()
    for (const step of ['Pay somebody', 'Distribute mana']) {
      await button(founder, step).click()
      expect(await founder.getByLabel('Mana', { exact: true }).getAttribute('max')).toBe('1000000000')
      await confirm(founder, 'Cancel')
    }
    await database.owner`update app.mana_accounts set balance = balance - 2000000000 where id = ${id}`
    founder.isClean([409])
    await member.goto(path)

    // the proposer proposes a steward by name, and withdraws the proposal
    await button(member, 'Propose something').click()
    await member
      .getByLabel('What happens if the proposal passes')
      .selectOption('A member becomes a steward, or stops being one')
    await confirm(member, 'Continue')
    await member.getByLabel('Title').fill('Bob for steward')
    await member.getByLabel('Username').fill('nobody_here')
    await confirm(member, 'Propose something')
    await member.getByRole('dialog').getByRole('alert').waitFor()
    await member.getByLabel('Username').fill('bob')
    await confirm(member, 'Propose something')
    await member.getByText('becomes a steward if it passes.').waitFor()
    await isFit(member)
    await button(member, 'Withdraw').click()
    await confirm(member, 'Withdraw')
    await member.getByText('Withdrawn', { exact: true }).waitFor()
    member.isClean([404, 409, 422])

    // the founder hands the guild over, and can leave then
    await founder.goto(path)
    await heading(founder, 'Luthiers')
    await choose(founder, 'bob', 'Hand the guild over')
    await confirm(founder, 'Hand the guild over')
    await button(founder, 'Leave').waitFor()
    await founder.isAccessible()
    founder.isClean()
  })
})
