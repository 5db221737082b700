// The page at /docs, in a real browser.
import { describe, expect, test } from 'vitest'
import { startBrowser } from '../../support/browser.ts'
import { world } from '../../support/world.ts'

const { alice, url } = await world({ people: ['alice'] })
const page = await startBrowser()

// the page draws only the operations that fit into its window
const shown = `[...document.querySelectorAll('.opblock-summary-path')].map((one) => one.dataset.path)`

/** Types into a field of React, which doesn't notice a value that a script sets. */
const type = (selector: string, text: string) => `(() => {
  const field = document.querySelector('${selector}')
  const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')
  set.call(field, ${JSON.stringify(text)})
  field.dispatchEvent(new Event('input', { bubbles: true }))
})()`

/** Clicks on what a selector finds, as soon as it is there. */
const click = (selector: string) =>
  page.wait<boolean>(`(() => {
    const found = document.querySelector('${selector}')
    found?.click()
    return found !== null
  })()`)

async function openDocs(fragment = ''): Promise<void> {
  await page.open(`${url}/docs${fragment}`)
  await page.wait(`document.querySelector('.opblock') !== null`)
}

describe('The page at /docs', { timeout: 120_000 }, () => {
  test('shows the first operations', async () => {
    await openDocs()
    expect(await page.read<string[]>(shown)).toContain('/api/v1/admin/audit-log')
  })

  test.each([
    ['a path', '/poll/vote', '/api/v1/posts/{id}/poll/vote'],
    ['a method', 'put /api/v1/discovery', '/api/v1/discovery/intent'],
    ['a title', 'bookmark a post', '/api/v1/posts/{id}/bookmark'],
    ['an operationId', 'adminVerifyAuditLog', '/api/v1/admin/audit-log/verify'],
  ])('finds an operation by %s', async (_, text, path) => {
    await openDocs()
    await page.read(type('.operation-filter-input', text))
    const found = await page.wait<string[]>(`(() => {
      const paths = ${shown}
      return paths.length > 0 && paths.every((path) => path === '${path}') && paths
    })()`)
    expect(found.length).toBeLessThanOrEqual(2)
  })

  test('opens the operation that its address names, with what its answer is and a real example', async () => {
    await openDocs('#/economy/pay')
    const text = await page.wait<string>(`(() => {
      const block = document.querySelector('#operations-economy-pay')
      const isDrawn = block?.classList.contains('is-open') && block.textContent.includes('acct:')
      return isDrawn && block.textContent
    })()`)
    expect(text).toContain('The payment with its shares, and what you have left.')
  })

  test('tries an operation out with a token', async () => {
    await openDocs('#/identity/getMe')
    await click('.btn.authorize')
    await page.wait(`document.querySelector('.auth-container input') !== null`)
    await page.read(type('.auth-container input', alice.token ?? ''))
    await click('.auth-btn-wrapper .authorize')
    await click('.auth-btn-wrapper .btn-done')
    await click('#operations-identity-getMe .try-out__btn')
    await click('#operations-identity-getMe .execute')
    const answer = '#operations-identity-getMe .live-responses-table tbody'
    const status = await page.wait<string>(`document.querySelector('${answer} .response-col_status')?.textContent`)
    expect(status).toMatch(/^200/)
    expect(await page.read<string>(`document.querySelector('${answer}').textContent`)).toContain(alice.email)
  })
})
