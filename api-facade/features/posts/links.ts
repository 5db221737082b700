// Previews of links in posts, by api-facade/lib/previews.ts and the edge function link-preview.
import type { Context } from '../../lib/context.ts'
import { routes } from '../../lib/routes.ts'
import { LinkPreview, LinkQuery } from './schemas.ts'

export default routes('posts', {
  'GET /posts/link-preview': {
    summary: 'Get a preview of a web page',
    description:
      'Uses the OpenGraph data of the page, otherwise its title and description. `url` is the final URL after up to 3 redirects. The texts are plain and must be escaped; an image is an http(s) URL. The answer is `null` for a URL that is not http(s) on port 80 or 443, has a password, or is not on the public Internet. It is also `null` for a page that is not HTML, has no title in its first 512 KB, or does not answer within 5 seconds. The answer is cached for an hour, even if it is `null`. A person can have 8 requests at once, of which two run and the others wait; an instance runs 32 at once. Beyond that the answer is 429 `rate_limited`, and `Retry-After` says when to try again.',
    access: 'user',
    id: 'getLinkPreview',
    query: LinkQuery,
    answers: { 200: LinkPreview.nullable() },
    outcome: 'What the page says about itself.',
    calls: [],
    handler: async (c: Context, { url }: { url: string }) =>
      c.get('services').previews(c.get('claims')?.sub ?? '', url),
  },
})
