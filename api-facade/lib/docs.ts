// The page at /docs: Swagger UI out of its own package, so that nothing is loaded from elsewhere.
import { readFile } from 'node:fs/promises'
import type { Hono } from 'hono'
import type { Context, Env } from './context.ts'
import { otherMethods } from './routes.ts'

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
const start = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#docs', deepLinking: true, validatorUrl: null })\n`

// Swagger UI writes style attributes and draws its icons from data URLs; its scripts are files.
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const files = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
} as const

function send(c: Context, body: string | Uint8Array<ArrayBuffer>, type: string): Response {
  c.header('Content-Security-Policy', policy)
  c.header('Cache-Control', 'public, max-age=3600')
  return c.body(body, 200, { 'Content-Type': type })
}

/** Serves /docs, and /openapi.json from `text`, which is asked for once. */
export function mountDocs(app: Hono<Env>, text: () => string): void {
  let document: string | undefined
  const get = (path: string, answer: (c: Context) => Response | Promise<Response>) => {
    app.get(path, answer)
    app.all(path, otherMethods(['GET']))
  }
  get('/openapi.json', (c) => {
    document ??= text()
    return c.body(document, 200, { 'Content-Type': 'application/json' })
  })
  get('/docs', (c) => send(c, page, 'text/html; charset=utf-8'))
  get('/docs/start.js', (c) => send(c, start, 'text/javascript; charset=utf-8'))
  for (const [name, type] of Object.entries(files)) {
    const file = new URL(import.meta.resolve(`swagger-ui-dist/${name}`))
    get(`/docs/${name}`, async (c) => send(c, new Uint8Array(await readFile(file)), type))
  }
}
