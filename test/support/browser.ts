// A real browser: Chromium from its npm package, driven by Playwright.
import { fileURLToPath } from 'node:url'
import chromium, { inflate } from '@sparticuz/chromium'
import axe from 'axe-core'
import { type Browser, type BrowserContextOptions, type Page, chromium as playwright } from 'playwright-core'
import { afterAll, expect } from 'vitest'

/** Starts a browser. It ends after the last test of the file. */
export async function startBrowser(): Promise<Browser> {
  // libraries that the machine may lack
  const packed = new URL('../bin/al2023.tar.br', import.meta.resolve('@sparticuz/chromium'))
  const libraries = `${await inflate(fileURLToPath(packed))}/lib`
  const browser = await playwright.launch({
    executablePath: await chromium.executablePath(),
    args: ['--headless=shell', '--no-sandbox', '--no-zygote', '--disable-gpu'],
    env: { ...process.env, LD_LIBRARY_PATH: libraries } as Record<string, string>,
  })
  afterAll(() => browser.close())
  return browser
}

export type Tab = Page & {
  /**
   * Expects that the page wrote no error to the console, and that no request left the origin. Answers of the instance
   * with these statuses are expected.
   */
  isClean(statuses?: number[]): void
  /** Expects that axe finds nothing serious in the page as it is now. */
  isAccessible(): Promise<void>
}

/** Ends all transitions of the page. In a tab in the background they would not end by themselves. */
const endTransitions = `document.getAnimations()
  .filter((animation) => animation instanceof CSSTransition).forEach((transition) => transition.finish())`

type TabOptions = BrowserContextOptions & {
  /** Other origins that the tab may visit. */
  elsewhere?: string[]
}

/** Opens a tab with its own storage, as a private window has. All its addresses begin with this origin. */
export async function openTab(browser: Browser, origin: string, given: TabOptions = {}): Promise<Tab> {
  const { elsewhere = [], ...options } = given
  // the locale of the machine may be one that browsers refuse, such as en-US@posix
  const context = await browser.newContext({ baseURL: origin, locale: 'en-US', ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(`${message.text()} (${message.location().url})`)
  })
  page.on('request', (request) => {
    const { origin: to, protocol } = new URL(request.url())
    if (![origin, ...elsewhere].includes(to) && !['data:', 'blob:'].includes(protocol))
      errors.push(`A request to ${request.url()}`)
  })
  const isClean = (statuses: number[] = []) => {
    const expected = new RegExp(`status of (${statuses.join('|')}) `)
    const found = statuses.length > 0 ? errors.filter((error) => !expected.test(error)) : errors
    expect(found.splice(0)).toEqual([])
    errors.length = 0
  }
  const isAccessible = async () => {
    await page.evaluate(endTransitions) // a color halfway between two others may have too little contrast
    // axe is not added as a script tag, because the policy of the pages refuses it
    await page.evaluate(axe.source)
    const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run())
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
    expect(serious.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`)).toEqual([])
  }
  return Object.assign(page, { isClean, isAccessible })
}
