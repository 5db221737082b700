// The page at /docs: Swagger UI from its npm package, so that nothing is loaded from other hosts.
import { readFileSync } from 'node:fs'
import type { Hono } from 'hono'
import { asyncApiText, realtimePage } from './asyncapi.ts'
import type { Env } from './context.ts'
import { otherMethods } from './methods.ts'
import { type StaticFile, sendFile, staticFile } from './static.ts'

const page = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Kith API</title>
  <link rel="stylesheet" href="/docs/swagger-ui.css">
  <link rel="icon" href="/docs/favicon-32x32.png">
</head>
<body>
  <div id="docs"></div>
  <script src="/docs/swagger-ui-bundle.js"></script>
  <script src="/docs/start.js"></script>
</body>
</html>
`
// The search box of Swagger UI looks at the names of tags alone; this one looks at path, method, title and operationId.
const start = `const found = (tags, text) =>
  tags
    .map((tag) => tag.update('operations', (all) => all.filter((one) => wordsOf(one).includes(text.toLowerCase()))))
    .filter((tag) => tag.get('operations').size > 0)
const wordsOf = (one) =>
  [one.get('method'), one.get('path'), one.getIn(['operation', 'summary']), one.getIn(['operation', 'operationId'])]
    .join(' ')
    .toLowerCase()

SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: -1, // each operation shows its schemas; all of them at once would take seconds
  filter: true,
  persistAuthorization: true,
  plugins: [() => ({ fn: { opsFilter: found } })],
  validatorUrl: null,
})
`

// Swagger UI writes style attributes and draws its icons from data URLs; its scripts are files.
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const files = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
} as const

const pagePart = (body: StaticFile['body'], type: string): StaticFile =>
  staticFile(body, type, { 'Content-Security-Policy': policy, 'Cache-Control': 'public, max-age=3600' })

/**
 * Serves /docs, /docs/realtime, /asyncapi.json and /openapi.json. The last is the file that `npm run gen` has written,
 * without its spaces; generating it here would take 50 MB that the process never releases. Each file is read at its
 * first request, and kept in memory.
 */
export function mountDocs(app: Hono<Env>): void {
  const read = (file: URL) => new Uint8Array(readFileSync(file))
  const get = (path: string, make: () => StaticFile) => {
    let part: StaticFile | undefined
    app.get(path, (c) => {
      part ??= make()
      return sendFile(c, part)
    })
    app.all(path, otherMethods(['GET']))
  }
  const description = new URL('../openapi.json', import.meta.url)
  get('/openapi.json', () => {
    const text = JSON.stringify(JSON.parse(readFileSync(description, 'utf8')))
    return staticFile(text, 'application/json', { 'Cache-Control': 'public, no-cache' })
  })
  get('/asyncapi.json', () => staticFile(asyncApiText(), 'application/json', { 'Cache-Control': 'public, no-cache' }))
  get('/docs/realtime', () => pagePart(realtimePage(), 'text/html; charset=utf-8'))
  get('/docs', () => pagePart(page, 'text/html; charset=utf-8'))
  get('/docs/start.js', () => pagePart(start, 'text/javascript; charset=utf-8'))
  for (const [name, type] of Object.entries(files)) {
    const file = new URL(import.meta.resolve(`swagger-ui-dist/${name}`))
    get(`/docs/${name}`, () => pagePart(read(file), type))
  }
}
