// The pages of web/: the admin panel, the pages to which mail links, and the web client. There is no build step:
// TypeScript files are served with their types removed, and packages as npm installed them. web/README.md
import { readdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { basename, extname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Hono } from 'hono'
import { paths } from '../../web/pages/paths.ts'
import type { Config } from './config.ts'
import type { Context, Env } from './context.ts'
import { ApiError } from './errors.ts'
import { addVary, send, setHeader } from './headers.ts'
import { otherMethods } from './methods.ts'
import { operatorFiles } from './operator.ts'
import { digestOf, type StaticFile, sendFile, staticFile } from './static.ts'

const root = new URL('../../', import.meta.url)

/** Folders whose files are served, by the name under which they are served. */
const folders = {
  lib: new URL('web/lib/', root),
  admin: new URL('web/admin/', root),
  pages: new URL('web/pages/', root),
  app: new URL('web/app/', root),
  client: new URL('clients/typescript/src/', root),
}

/** The files of packages, by the names that pages import. */
const packages: Record<string, string> = {
  preact: 'preact',
  'preact/hooks': 'preact/hooks',
  htm: 'htm',
  'htm/preact': 'htm/preact',
  '@preact/signals-core': '@preact/signals-core',
  '@preact/signals': '@preact/signals',
  uplot: 'uplot/dist/uPlot.iife.min.js',
  uqr: 'uqr',
  'openapi-fetch': 'openapi-fetch',
  '@supabase/phoenix': '@supabase/phoenix',
}
const styles = ['@picocss/pico/css/pico.classless.min.css', 'uplot/dist/uPlot.min.css']

/** A document: its address, its title until its script sets one, and its script in the folder of its part. */
type Document = { part: keyof typeof folders; script?: string; title: string; paths: readonly string[] }
/** What the service worker shows without a connection. */
const offline: Document = { part: 'app', script: 'offline.ts', title: 'Kith', paths: ['/app/offline'] }
const documents: Document[] = [
  { part: 'admin', title: 'Kith admin', paths: ['/admin', '/admin/*'] },
  { part: 'pages', title: 'Kith', paths },
  offline,
  { part: 'app', title: 'Kith', paths: ['/app', '/app/*'] },
]

/** Whether a path is the address of a page, or of a file that the pages load. */
export const isWeb = (path: string): boolean =>
  path.startsWith('/web/') ||
  documents.some(({ paths }) =>
    paths.some((one) => (one.endsWith('/*') ? path.startsWith(one.slice(0, -1)) : path === one)),
  )

const types: Record<string, string> = {
  '.ts': 'text/javascript; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
}

/**
 * The JavaScript of a TypeScript file, without the blank lines that types leave: the client's types have a megabyte.
 * Node warns that this function may change, but its version is pinned with Node's.
 */
function scriptOf(text: string): string {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return stripTypeScriptTypes(text).replace(/\n\s*\n/g, '\n')
  } finally {
    process.emitWarning = emitWarning
  }
}

type Files = Map<string, { body: string | Uint8Array<ArrayBuffer>; type: string }>

function readFiles(): Files {
  const files: Files = new Map()
  for (const [name, folder] of Object.entries(folders)) {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const type = types[extname(entry.name)]
      if (!entry.isFile() || !type) continue
      const path = join(entry.parentPath, entry.name)
      const place = `${name}/${relative(fileURLToPath(folder), path)}`
      const isText = /^text|xml|json/.test(type)
      const body = isText ? readFileSync(path, 'utf8') : new Uint8Array(readFileSync(path))
      files.set(place, { body: entry.name.endsWith('.ts') ? scriptOf(body as string) : body, type })
    }
  }
  const packed = (file: string) => readFileSync(fileURLToPath(import.meta.resolve(file)), 'utf8')
  for (const [name, file] of Object.entries(packages)) {
    // Removes the reference to a source map, because browsers would look for the map beside the file.
    const text = packed(file).replace(/\n\/\/# sourceMappingURL=.*/, '')
    // The only small build of uPlot is a script that sets a variable.
    const body = name === 'uplot' ? `${text}\nexport default uPlot` : text
    files.set(placeOf(name), { body, type: types['.js'] ?? '' })
  }
  for (const file of styles) {
    files.set(`packages/${basename(file).toLowerCase()}`, { body: packed(file), type: types['.css'] ?? '' })
  }
  return files
}

/** Where a package's file is served, below the folder of all files. */
const placeOf = (name: string): string => `packages/${name.replace('@', '').replaceAll('/', '-')}.js`

/** The names that pages import, and the paths of their files. */
const imports: Record<string, string> = {
  ...Object.fromEntries(Object.keys(packages).map((name) => [name, placeOf(name)])),
  'kith/client': 'client/index.ts',
}

/**
 * The files that a script imports at its start, directly or through other files. A document names them, so that
 * browsers fetch all at once.
 */
function importsOf(start: string, files: Files): string[] {
  const found = new Set<string>()
  const visit = (path: string) => {
    if (found.has(path)) return
    found.add(path)
    const text = String(files.get(path)?.body ?? '')
    for (const [, name = ''] of text.matchAll(/(?:^|;)(?:import|export)\b[^'";]*?\bfrom\s*['"]([^'"]+)['"]/gm)) {
      const to = name.startsWith('.') ? new URL(name, `http://web/${path}`).pathname.slice(1) : imports[name]
      if (to) visit(to)
    }
  }
  visit(start)
  return [...found]
}

/** The origins from which the pages load pictures and to which they upload, besides their own. */
const storageOrigin = ({ storage }: Config): string => (storage ? ` ${new URL(storage.publicUrl).origin}` : '')

const sheetsOf = (part: string): string[] => ['packages/pico.classless.min.css', 'lib/style.css', `${part}/style.css`]

/** The scripts and style sheets that the document loads at its start, below the folder of all files. */
function partsOf({ part, script = 'main.ts' }: Document, files: Files): { scripts: string[]; sheets: string[] } {
  const scripts = importsOf(`${part}/${script}`, files)
  const plots = scripts.includes(placeOf('uplot')) ? ['packages/uplot.min.css'] : []
  return { scripts, sheets: [...plots, ...sheetsOf(part)].filter((path) => files.has(path)) }
}

function documentOf(row: Document, base: string, files: Files, config: Config): StaticFile {
  const { part, script = 'main.ts', title } = row
  const addresses = Object.entries(imports).map(([name, place]) => [name, base + place])
  const map = JSON.stringify({ imports: Object.fromEntries(addresses) })
  const storage = storageOrigin(config)
  const policy = [
    "default-src 'none'",
    `script-src 'self' 'sha256-${digestOf('base64', map)}'`,
    "style-src 'self'",
    `img-src 'self' data: blob:${storage}`,
    `media-src 'self' blob:${storage}`,
    `connect-src 'self'${storage}`,
    "font-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
  const { scripts, sheets } = partsOf(row, files)
  const manifest = part === 'app' ? `\n  <link rel="manifest" href="${MANIFEST}">` : ''
  const body = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>${title}</title>
  <link rel="icon" href="${base}lib/icon.svg">${manifest}
${sheets.map((path) => `  <link rel="stylesheet" href="${base}${path}">`).join('\n')}
  <script type="importmap">${map}</script>
${scripts.map((path) => `  <link rel="modulepreload" href="${base}${path}">`).join('\n')}
  <script type="module" src="${base}${part}/${script}"></script>
</head>
<body>
  <noscript>This page needs JavaScript.</noscript>
</body>
</html>
`
  return staticFile(body, 'text/html; charset=utf-8', {
    'Content-Security-Policy': policy,
    'Cache-Control': 'no-cache',
  })
}

const MANIFEST = '/web/app.webmanifest'

/** The manifest, with which the web client can be installed as an app. */
const manifestOf = (base: string): string =>
  JSON.stringify({
    id: '/app',
    name: 'Kith',
    short_name: 'Kith',
    start_url: '/app',
    scope: '/app',
    display: 'standalone',
    background_color: '#2b6a5f',
    theme_color: '#2b6a5f',
    icons: [
      { src: `${base}lib/icon.svg`, sizes: 'any', type: 'image/svg+xml' },
      ...[192, 512].map((size) => ({
        src: `${base}app/icon-${size}.png`,
        sizes: `${size}x${size}`,
        type: 'image/png',
        purpose: 'any maskable',
      })),
    ],
  })

/** The service worker, with the list of files that it keeps. */
function workerOf(base: string, files: Files): string {
  const kept = documents
    .filter(({ part }) => part === 'app')
    .flatMap((row) => Object.values(partsOf(row, files)).flat())
  const places = [...new Set([...kept, 'lib/icon.svg', placeOf('@supabase/phoenix')])].map((place) => base + place)
  const known = { base, offline: offline.paths[0], places }
  return `const known = ${JSON.stringify(known)}\n${files.get('app/worker.ts')?.body}`
}

/** Files whose address has no digest, because browsers look at this address for a newer version. */
function freshFiles(base: string, files: Files): [string, StaticFile][] {
  const fresh = { 'Cache-Control': 'no-cache' }
  const policy = {
    'Content-Security-Policy': "default-src 'none'; connect-src 'self'",
    'Service-Worker-Allowed': '/app',
  }
  return [
    [MANIFEST, staticFile(manifestOf(base), types['.webmanifest'] ?? '', fresh)],
    ['/web/worker.js', staticFile(workerOf(base, files), types['.js'] ?? '', { ...fresh, ...policy })],
  ]
}

/**
 * Serves the documents, and their files below `/web/<digest>/`, where the digest changes with any of them, so that
 * browsers can keep them. These files are read at the first request, and the operator's texts immediately.
 * @returns a function that returns the addresses of the style sheets of the pages for people
 */
export function mountWeb(app: Hono<Env>, config: Config, anonKey: string): () => string[] {
  const own = operatorFiles(config, anonKey)
  let made: { base: string; files: Map<string, StaticFile>; documents: Map<Document, StaticFile> } | undefined
  const make = () => {
    const read = readFiles()
    const parts = [...read].flatMap(([path, { body }]) => [path, body])
    const base = `/web/${digestOf('hex', ...parts).slice(0, 16)}/`
    const keep = { 'Cache-Control': 'public, max-age=31536000, immutable' }
    const files = new Map([
      ...[...read].map(([path, { body, type }]) => [base + path, staticFile(body, type, keep)] as const),
      ...freshFiles(base, read),
      ...own,
    ])
    return { base, files, documents: new Map(documents.map((one) => [one, documentOf(one, base, read, config)])) }
  }
  const serve = (path: string, find: (c: Context, all: NonNullable<typeof made>) => StaticFile | undefined) => {
    app.get(path, (c) => {
      made ??= make()
      const file = find(c, made)
      if (!file) throw new ApiError('route_unknown')
      return sendFile(c, file)
    })
    app.all(path, otherMethods(['GET']))
  }
  serve('/web/*', (c, { files }) => files.get(c.req.path))
  // Redirects a browser that opens the address of the instance. Programs get 404, as everywhere outside the API.
  app.get('/', (c) => {
    addVary(c, 'Accept')
    if (!c.req.header('accept')?.includes('text/html')) throw new ApiError('route_unknown')
    setHeader(c, 'Location', '/app')
    return send(c, null, 302)
  })
  for (const one of documents) {
    for (const path of one.paths) serve(path, (_, all) => all.documents.get(one))
  }
  return () => {
    made ??= make()
    const { base } = made
    return sheetsOf('pages').map((path) => base + path)
  }
}
