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
