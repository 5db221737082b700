// Previews of the links in posts. What is behind them: api-facade/lib/previews.ts and the edge function link-preview.
import type { Context } from '../../lib/context.ts'
import { routes } from '../../lib/routes.ts'
import { LinkPreview, LinkQuery } from './schemas.ts'

export default routes('posts', {
  'GET /posts/link-preview': {
    summary: 'What a page elsewhere says of itself',
    description:
      'By its OpenGraph data, or else its title and description. `url` is where the page was found after up to 3 redirects; the texts are plain and must be escaped like any other; an image is an http(s) address. `null` for whatever cannot be shown: what is no http(s) address on port 80 or 443 or has a password in it, what does not stand in the public Internet, what is no HTML, has no title in its first 512 KB, or is not there within 5 seconds. It is kept for an hour, the `null` too. One person asks for at most 8 at once, of which two are looked at and the others wait for their turn, and an instance looks at 32: 429 `rate_limited`, and `Retry-After` says until when.',
    access: 'user',
    query: LinkQuery,
    answers: { 200: LinkPreview.nullable() },
    calls: [],
    handler: async (c: Context, { url }: { url: string }) =>
      c.get('services').previews(c.get('claims')?.sub ?? '', url),
  },
})
