// Markdown of members becomes elements and text, never HTML. Here the elements are written out, without a browser.
import { expect, test } from 'vitest'

// by its address, because the types of a browser's page are not those of the tests
const { href } = new URL('../../web/app/markdown.ts', import.meta.url)
const { elementsOf } = (await import(/* @vite-ignore */ href)) as { elementsOf: (text: string) => unknown[] }

type Element = { type: string | ((props: object) => unknown); props: Record<string, unknown> & { children?: unknown } }

/** The elements as text, as a page would have them; of the attributes only the addresses. */
function written(node: unknown): string {
  if (Array.isArray(node)) return node.map(written).join('')
  if (node === null || node === undefined || typeof node !== 'object') return String(node ?? '')
  const { type, props } = node as Element
  if (typeof type === 'function') return written(type(props))
  const at = props.href ? ` href=${props.href}` : ''
  return `<${type}${at}>${written(props.children)}</${type}>`
}
const shown = (text: string): string => written(elementsOf(text))

test('headings, lists, quotes, rules and code are elements', () => {
  expect(shown('# One\n## Two\n### Three')).toBe('<h3>One</h3><h4>Two</h4><h4>Three</h4>')
  expect(shown('- a\n  - b\n- c\n\n3. d')).toBe(
    '<ul><li><p>a</p><ul><li><p>b</p></li></ul></li><li><p>c</p></li></ul><ol><li><p>d</p></li></ol>',
  )
  expect(shown('> a\n> > b\n\n---\nc\nd')).toBe(
    '<blockquote><p>a</p><blockquote><p>b</p></blockquote></blockquote><hr></hr><p>c\nd</p>',
  )
  expect(shown('```\n# a\n*b*\n```\nc')).toBe('<pre><code># a\n*b*</code></pre><p>c</p>')
})

test('emphasis and code in a line are elements, and signs in words or after a backslash stay', () => {
  expect(shown('**a _b_** *c* `*d*`')).toBe('<p><strong>a <em>b</em></strong> <em>c</em> <code>*d*</code></p>')
  for (const text of ['a_b_c', '2 * 3 * 4', '**a', '#a', '-a', '[a]', '']) {
    expect(shown(text)).toBe(text && `<p>${text}</p>`)
  }
  expect(shown('\\*a\\*')).toBe('<p>*a*</p>')
})

test('only http and https become links, and HTML stays text', () => {
  expect(shown('[a](https://a.example/_b_) https://a.example/_c_')).toBe(
    '<p><a href=https://a.example/_b_>a</a> <a href=https://a.example/_c_>https://a.example/_c_</a></p>',
  )
  for (const text of [
    '[a](javascript:alert(1))',
    '[a](data:text/html,b)',
    '[a](//a.example)',
    '<b onclick=a()>c</b>',
  ]) {
    expect(shown(text)).toBe(`<p>${text}</p>`)
  }
})

test('the longest charter of any signs is shown', () => {
  for (const sign of ['> ', '>', '- ', '*', '_a', '[', '`', '**a *b _c ', 'a\n\n', '- a\n', '```\n', '[a](https://']) {
    expect(shown(sign.repeat(20_000 / sign.length)).length, sign).toBeGreaterThan(0)
  }
  const nested = Array.from({ length: 140 }, (_, depth) => `${' '.repeat(2 * depth)}- a`).join('\n')
  expect(shown(nested).match(/<ul>/g)?.length).toBeLessThan(10)
})

test('what is too deep stays text, with its lines', () => {
  expect(shown(`${'> '.repeat(9)}a\n${'> '.repeat(9)}b`)).toContain('<p>> > a\n> > b</p>')
})

test('a line with many spaces is read once, whatever separator ends it', () => {
  const spaces = ' '.repeat(100_000)
  for (const sign of ['-', '1.', '#', '>', '---', '']) {
    for (const end of ['\u2028', '\u2029', '\r', 'a']) {
      const before = process.cpuUsage()
      shown(`${sign} ${spaces}${end}`)
      const { user } = process.cpuUsage(before)
      // in microseconds: a search from every space would take several seconds
      expect(user, `${sign} ${JSON.stringify(end)}`).toBeLessThan(500_000)
    }
  }
  expect(shown('- a\u2028b\n\n# c\u2029d')).toBe('<ul><li><p>a\u2028b</p></li></ul><h3>c\u2029d</h3>')
})
