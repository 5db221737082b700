// The admin panel in a browser, for tests of its pages.
import type { Tab } from './browser.ts'
import type { Person } from './person.ts'

/** Opens the panel at an address, and logs in there. */
export async function logIn(tab: Tab, { email, password }: Person, path = '/admin'): Promise<void> {
  await tab.goto(path)
  await tab.getByLabel('Email address').fill(email)
  await tab.getByLabel('Password').fill(password)
  await tab.getByRole('button', { name: 'Log in' }).click()
}

/** Chooses an entry of the menu, and waits for its page. */
export async function choose(tab: Tab, title: string): Promise<void> {
  await tab.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: title, exact: true }).click()
  await tab.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
}

/** Shows a page as a link to it does: a reload would end the session. Waits for its title and its data. */
export async function showPage(tab: Tab, path: string, title: string): Promise<void> {
  await tab.evaluate(
    `history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`,
  )
  await tab.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
  await tab.locator('main:not(:has([aria-busy="true"]))').waitFor()
}
