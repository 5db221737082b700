// Public pages: a public post and a person, for everybody who has the link, as HTML without scripts. SQL decides what
// everybody may see (sql/posts/56_public_pages.sql), and PUBLIC_PAGES whether the instance serves such pages.
import type { Hono } from 'hono'
import { html } from 'hono/html'
import { publicTexts } from '../../web/pages/texts/public.ts'
import { callFor } from './call.ts'
import type { Config } from './config.ts'
import type { Context, Env } from './context.ts'
import { addVary, send } from './headers.ts'
import { otherMethods } from './methods.ts'
import { z } from './schemas.ts'

const Author = z.object({
  username: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  profilePicUrl: z.string().nullable(),
})
const Post = z
  .object({
    id: z.string(),
    title: z.string().nullable(),
    body: z.string(),
    media: z.array(z.object({ url: z.string(), alt: z.string().nullish() })),
    publishedAt: z.string(),
    editedAt: z.string().nullable(),
    author: Author,
    persona: z.string().nullable(),
    quotedPostId: z.string().nullable(),
  })
  .nullable()
const Profile = z
  .object({
    person: Author,
    about: z.string().nullable(),
    posts: z.array(
      z.object({ id: z.string(), title: z.string().nullable(), excerpt: z.string(), publishedAt: z.string() }),
    ),
  })
  .nullable()

/** Whether a path is the address of a public page. */
export const isPublicPage = (path: string, { publicPages }: Config): boolean =>
  publicPages !== 'off' && /^\/(posts\/[^/]+|@[^/]+)$/.test(path)

type Markup = ReturnType<typeof html>
type Page = {
  status: 200 | 404
  title: string
  description: string
  /** The path of the page, and its type in Open Graph. */
  path?: string
  type?: 'article' | 'profile'
  picture?: string | undefined
  main: Markup
}

const nameOf = ({ firstName, lastName }: z.output<typeof Author>): string => `${firstName} ${lastName}`

/** The beginning of a text in one line. */
function startOf(text: string, length: number): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > length ? `${line.slice(0, length - 1)}…` : line
}

/**
 * Serves the pages at the paths of GET /links, unless PUBLIC_PAGES turns them off.
 * @param styles the addresses of the style sheets
 */
export function mountPublicPages(app: Hono<Env>, config: Config, styles: () => string[]): void {
  if (config.publicPages === 'off') return
  const isIndexed = config.publicPages === 'indexed'
  const storage = config.storage && new URL(config.storage.publicUrl).origin
  const facade = new URL(config.facadeUrl).origin
  const own = [facade, new URL(config.publicUrl).origin]
  /** Whether the page may load a picture. A picture on another host would tell that host who reads the page. */
  const isOurs = (url: string) => [...own, storage].includes(URL.parse(url)?.origin)
  /**
   * The address of a picture. For a picture of the instance it has no origin, because the page may be open at another
   * address than FACADE_URL.
   */
  const shownAt = (url: string) => (URL.parse(url)?.origin === facade ? url.slice(facade.length) : url)
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    `img-src ${[...new Set(["'self'", ...own, ...(storage ? [storage] : [])])].join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

  async function answer(c: Context, language: keyof typeof publicTexts, page: Page): Promise<Response> {
    const { status, title, description, path, type = 'website', picture, main } = page
    const t = publicTexts[language]
    const head = html`${path ? html`<link rel="canonical" href="${config.publicUrl}${path}"><meta property="og:url" content="${config.publicUrl}${path}">` : ''}
  ${isIndexed && status === 200 ? '' : html`<meta name="robots" content="noindex">`}
  ${picture && isOurs(picture) ? html`<meta property="og:image" content="${picture}">` : ''}`
    const text = await html`<!doctype html>
<html lang="${language}">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>${title} – Kith</title>
  <meta name="description" content="${description}">
  <meta property="og:title" content="${title}">
  <meta property="og:description" content="${description}">
  <meta property="og:type" content="${type}">
  <meta property="og:site_name" content="${config.instanceDomain}">
  ${head}
  ${styles().map((address) => html`<link rel="stylesheet" href="${address}">`)}
</head>
<body>
  <header><span class="brand">Kith <span class="quiet">${config.instanceDomain}</span></span></header>
  <main>${main}</main>
  <footer><nav><a href="/join">${t.join}</a></nav></footer>
</body>
</html>
`
    addVary(c, 'Accept-Language')
    return send(c, String(text), status, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy,
      'Cache-Control': 'no-cache',
      ...(!(isIndexed && status === 200) && { 'X-Robots-Tag': 'noindex' }),
    })
  }

  const languageOf = (c: Context): keyof typeof publicTexts =>
    /^\s*de\b/i.test(c.req.header('accept-language') ?? '') ? 'de' : 'en'
  const timeOf = (at: string, language: string): Markup =>
    html`<time datetime="${at}">${new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(at))}</time>`

  function unknown(c: Context): Promise<Response> {
    const language = languageOf(c)
    const t = publicTexts[language]
    const main = html`<h1>${t.unknown}</h1><p>${t.unknownText}</p>`
    return answer(c, language, { status: 404, title: t.unknown, description: t.unknownText, main })
  }

  const mediaOf = (c: Context, { media }: NonNullable<z.output<typeof Post>>): Markup[] =>
    media.map(({ url, alt }) =>
      isOurs(url) && !/\.(mp4|webm|mov|mp3|m4a|ogg)$/i.test(url)
        ? html`<p><img src="${shownAt(url)}" alt="${alt ?? ''}"></p>`
        : html`<p><a href="${url}" rel="nofollow noopener noreferrer">${alt || publicTexts[languageOf(c)].media}</a></p>`,
    )

  async function showPost(c: Context): Promise<Response> {
    const id = c.req.path.split('/')[2] ?? ''
    if (!z.guid().safeParse(id).success) return unknown(c)
    const post = await callFor(c, 'get_public_post', { p_post: id }, Post, 'gate')
    if (!post) return unknown(c)
    const language = languageOf(c)
    const t = publicTexts[language]
    const name = nameOf(post.author)
    const main = html`<article>
      <h1>${post.title ?? startOf(post.body || name, 80)}</h1>
      <p class="quiet">${t.by} <a href="/@${post.author.username}">${name}</a>${post.persona ? ` (${post.persona})` : ''},
        ${timeOf(post.publishedAt, language)}${post.editedAt ? `, ${t.edited}` : ''}</p>
      <div class="words">${post.body}</div>
      ${mediaOf(c, post)}
      ${post.quotedPostId ? html`<p><a href="/posts/${post.quotedPostId}">${t.quoted}</a></p>` : ''}
    </article>`
    return answer(c, language, {
      status: 200,
      title: post.title ?? `${name}: ${startOf(post.body, 60)}`,
      description: startOf(post.body, 200),
      path: `/posts/${post.id}`,
      type: 'article',
      picture: post.media[0]?.url ?? post.author.profilePicUrl ?? undefined,
      main,
    })
  }

  async function showProfile(c: Context): Promise<Response> {
    const username = c.req.path.slice(2)
    if (!/^[a-z0-9_]{3,30}$/.test(username)) return unknown(c)
    const profile = await callFor(c, 'get_public_profile', { p_username: username }, Profile, 'gate')
    if (!profile) return unknown(c)
    const { person, about, posts } = profile
    const language = languageOf(c)
    const t = publicTexts[language]
    const picture = person.profilePicUrl ?? undefined
    const main = html`<h1>${nameOf(person)}</h1>
      <p class="quiet">@${person.username}</p>
      ${picture && isOurs(picture) ? html`<p><img src="${shownAt(picture)}" alt="" width="96" height="96"></p>` : ''}
      ${about ? html`<p class="words">${about}</p>` : ''}
      <h2>${t.posts}</h2>
      ${posts.length === 0 ? html`<p>${t.none}</p>` : ''}
      <ul class="entries">
        ${posts.map(
          (post) => html`<li><a href="/posts/${post.id}">${post.title ?? (startOf(post.excerpt, 120) || t.media)}</a>
          <div class="quiet">${timeOf(post.publishedAt, language)}</div></li>`,
        )}
      </ul>`
    return answer(c, language, {
      status: 200,
      title: nameOf(person),
      description: startOf(about ?? `@${person.username}`, 200),
      path: `/@${person.username}`,
      type: 'profile',
      picture,
      main,
    })
  }

  for (const [pattern, show] of [
    ['/posts/:id', showPost],
    ['/:person{@[^/]+}', showProfile],
  ] as const) {
    app.get(pattern, (c) => {
      c.set('pattern', pattern === '/posts/:id' ? pattern : '/:person')
      return show(c)
    })
    app.all(pattern, otherMethods(['GET']))
  }
}
