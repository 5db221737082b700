// The page at /docs, in a real browser.
import { beforeAll, describe, expect, test } from 'vitest'
import { openTab, startBrowser } from '../../support/browser.ts'
import { until } from '../../support/until.ts'
import { world } from '../../support/world.ts'

const { alice, url } = await world({ people: ['alice'] })
const page = await openTab(await startBrowser(), url)
page.setDefaultTimeout(100_000) // Swagger UI takes seconds of CPU to draw the page

/** The paths of the operations that are drawn: those that fit into the window. */
const shown = () =>
  page.locator('.opblock-summary-path').evaluateAll((all) => all.map((one) => one.getAttribute('data-path') ?? ''))

async function openDocs(fragment = ''): Promise<void> {
  await page.goto('about:blank') // the same page with another fragment would not load again
  await page.goto(`/docs${fragment}`)
  await page.locator('.opblock').first().waitFor()
}

// A page of this size moves for seconds, and a real click would wait until it stops.
describe('The page at /docs', { timeout: 240_000 }, () => {
  beforeAll(() => openDocs(), 120_000)

  test('shows the first operations', async () => {
    expect(await shown()).toContain('/api/v1/admin/apps')
  })

  test.each([
    ['a path', '/poll/vote', '/api/v1/posts/{id}/poll/vote'],
    ['a method', 'put /api/v1/discovery', '/api/v1/discovery/intent'],
    ['a title', 'bookmark a post', '/api/v1/posts/{id}/bookmark'],
    ['an operationId', 'adminVerifyAuditLog', '/api/v1/admin/audit-log/verify'],
  ])('finds an operation by %s', async (_, text, path) => {
    await page.locator('.operation-filter-input').fill(text)
    await until(async () => {
      const paths = await shown()
      return paths.length > 0 && paths.length <= 2 && paths.every((one) => one === path)
    })
  })

  test('opens the operation that the URL names, and shows a description of the answer and a real example', async () => {
    await openDocs('#/economy/pay')
    const block = page.locator('#operations-economy-pay.is-open', { hasText: 'acct:' })
    expect(await block.textContent()).toContain('The payment with its shares, and what you have left.')
  })

  test('tries an operation out with a token', async () => {
    await openDocs('#/identity/getMe')
    await page.locator('.btn.authorize').dispatchEvent('click')
    await page.locator('.auth-container input').fill(alice.token ?? '')
    await page.locator('.auth-btn-wrapper .authorize').dispatchEvent('click')
    await page.locator('.auth-btn-wrapper .btn-done').dispatchEvent('click')
    const operation = page.locator('#operations-identity-getMe')
    await operation.locator('.try-out__btn').dispatchEvent('click')
    await operation.locator('.execute').dispatchEvent('click')
    const answer = operation.locator('.live-responses-table tbody')
    expect(await answer.locator('.response-col_status').first().textContent()).toMatch(/^200/)
    expect(await answer.textContent()).toContain(alice.email)
    page.isClean()
  })
})
