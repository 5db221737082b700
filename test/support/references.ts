// Checks that everything exists that comments, COMMENT ONs and documents refer to: files, headings, names of the
// schema, and routes. The scanner gets texts by path instead of reading files, so that a test can pass a text with a
// violation.
import { dirname, join, matchesGlob } from 'node:path/posix'
import { definition, type Texts } from './order.ts'

type Offence = { at: number; kind: string; what: string }
type Rule = (prose: string, path: string) => Offence[]

const blank = (text: string): string => text.replace(/[^\n]/g, ' ')
const flat = (text: string): string => text.replace(/\s+/g, ' ').trim()

/**
 * The comments of a file, or all of a document: each character at its original position, and blanks for everything
 * else.
 */
export function proseOf(path: string, text: string): string {
  if (path.endsWith('.md')) return text
  let comment = /(?<=^|\s)#[^\n]*/gm
  if (path.endsWith('.sql')) comment = /(?<=\bcomment on [^';]*)'(?:[^']|'')*'|--[^\n]*/gi
  if (/\.(ts|mjs)$/.test(path)) comment = /(?<=^|\s)(?:\/\/[^\n]*|\/\*[\s\S]*?\*\/)/gm
  let prose = ''
  for (const { 0: found, index } of text.matchAll(comment)) {
    prose += blank(text.slice(prose.length, index)) + found.replace(/^\s*(--|\/\/|\/?\*+\/?|#)|\*\/$/gm, blank)
  }
  return prose + blank(text.slice(prose.length))
}

/** A rule for the matches of a pattern. */
function rule(kind: string, pattern: RegExp, wrong: (groups: string[], path: string) => boolean): Rule {
  return (prose, path) =>
    [...prose.matchAll(pattern)]
      .filter((match) => wrong(match, path))
      .map((match) => ({ at: match.index, kind, what: flat(match[0]) }))
}

/** Finds a file by this path, relative to one of the folders or to a parent of it. */
function resolver(files: string[]) {
  const known = new Set(files)
  const find = (path: string): string | undefined => {
    if (known.has(path)) return path
    return files.find((file) => (/[*{]/.test(path) ? matchesGlob(file, path) : file.startsWith(`${path}.`)))
  }
  const above = (folder: string): string[] => (folder === '.' ? ['.'] : [folder, ...above(dirname(folder))])
  return (path: string, folders: string[]): string | undefined => {
    for (const folder of folders.flatMap(above)) {
      const found = find(join(folder, path))
      if (found) return found
    }
  }
}
type Resolve = ReturnType<typeof resolver>

/** Citations of papers that are not in this repository. Documents under docs may use the word in a sentence. */
const papers = rule(
  'paper',
  /\b(?:Specification|[Dd]ecisions|Notes):|\b(?:interface-)?[Ss]pecification\b|\bthe papers\b|\bnotes on\b|\bdesign, [A-Z]/g,
  ([found], path) => !(path.startsWith('docs/') && found === 'specification'),
)

const room = /^(sql|policies|api-facade|edge-functions|supabase|test|docs)\//
const file = /^[^/].*\.(sql|ts|mjs|md|toml|tsv|json|yml)$/
/** Repositories of Supabase, and a file of the data folder. */
const elsewhere = ['supabase/postgres', 'supabase/realtime', 'instance.json']

/**
 * A path that begins with a top-level folder must exist. A file name must exist too, beside the citing file or beside
 * the path named before it.
 */
function paths(resolve: Resolve): Rule {
  return (prose, path) =>
    [...prose.matchAll(/(?:^[^\S\n]*\S[^\n]*\n?)+/gm)].flatMap(({ 0: paragraph, index: start }) => {
      const folders = [dirname(path)]
      const wrong = (mention: string): boolean => {
        const place = mention.replace(/<\w+>/g, '*').replace(/\/$/, '')
        if (room.test(mention)) folders.push(place)
        else if (!file.test(mention)) return false
        return !elsewhere.includes(mention) && !resolve(place, room.test(mention) ? ['.'] : folders)
      }
      return [...paragraph.matchAll(/(?<![\w@:/.$-])(?:[\w./*<>-]|\{[\w,-]+\})+(?![\w(])/g)]
        .map(({ 0: found, index }) => ({ at: start + index, kind: 'path', what: found.replace(/\.+$/, '') }))
        .filter(({ what }) => wrong(what))
    })
}

/** Headings that are cited as `<file>.md, One; Another` or linked must exist, and every link must have a target. */
function headings(texts: Texts, resolve: Resolve): Rule[] {
  const lacks = (path: string | undefined, fits: (heading: string) => boolean): boolean =>
    path !== undefined && ![...(texts[path] ?? '').matchAll(/^#+ +(.*)/gm)].some(([, heading = '']) => fits(heading))
  const begins = (part: string) => (heading: string) =>
    part.startsWith(heading) && !/\w/.test(part.charAt(heading.length))
  const anchorOf = (heading: string) =>
    heading
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replace(/ /g, '-')
  const cited = /([\w./-]+\.md|\b[A-Z]{4,}),\s+(?![\w./-]+\.md)(["“]?[A-Z][^\n]*\n?[^\n]*)/g
  return [
    rule('heading', cited, ([, document = '', rest = ''], path) => {
      const sentence = flat(rest).split(/[.)](?: |$)/)[0] ?? ''
      const parts = sentence.split(/; |["“”]/).filter((part) => /^[A-Z]/.test(part))
      return parts.some((part) => lacks(resolve(document, [dirname(path)]), begins(part)))
    }),
    rule('heading', /(?:\]\(|([\w./-]+\.md))#([\w-]+)/g, ([, document, anchor], path) =>
      lacks(document ? resolve(document, [dirname(path)]) : path, (heading) => anchorOf(heading) === anchor),
    ),
    rule('path', /\]\((?!\w+:|#)([^)#\s]+)/g, ([, target = ''], path) => !resolve(target, [dirname(path)])),
  ]
}

/** `app.posts`, `app.users.erased_at`, and `private.job_<name>` for all that begin with it. */
function names(sql: string): Rule {
  const defined = [...sql.matchAll(definition)].map(([, name = '']) => name)
  const has = (relation: string, column: string): boolean =>
    [...sql.matchAll(new RegExp(`\\b(?:table|view) ${relation}\\b[^;]*`, 'g'))].some(([statement]) =>
      new RegExp(`\\b${column}\\b`).test(statement),
    )
  return rule('name', /\b((?:app|private|api)\.(?!ts\b)[a-z]\w*)(?:\.(\w+))?([<*])?/g, ([, name = '', column, more]) =>
    more ? !defined.some((one) => one.startsWith(name)) : !defined.includes(name) || (!!column && !has(name, column)),
  )
}

const unversioned = ['/health', '/metrics', '/docs', '/openapi.json', '/ready']
/**
 * `GET /feed` must be a route of routes.tsv, of the facade itself, or of an edge function. An id may replace a
 * parameter.
 */
function routes(tsv: string, files: string[]): Rule {
  const table = [...tsv.matchAll(/^([A-Z]+)\t\/?(\/\S+)/gm)].map(([, method, path = '']) => ({
    method,
    parts: path.split('/'),
  }))
  return rule('route', /\b(GET|POST|PUT|PATCH|DELETE)\s+(\/[\w./:-]*\w)/g, ([, method, path = '']) => {
    const parts = path.replace(/^\/api\/v1/, '').split('/')
    const known = table.some(
      (one) =>
        one.method === method &&
        one.parts.length === parts.length &&
        one.parts.every((part, at) => part === parts[at] || part.startsWith(':')),
    )
    return !known && !unversioned.includes(path) && !files.includes(`edge-functions/${parts[1]}/handler.ts`)
  })
}

/** References without a target, as `path:line kind: what`. `files` are all existing files and folders. */
export function referenceOffences(texts: Texts, files: string[]): string[] {
  const resolve = resolver(files)
  const sql = Object.entries(texts).map(([path, text]) => (path.startsWith('sql/') ? text : ''))
  const tsv = texts['test/routes.tsv'] ?? ''
  const rules = [papers, paths(resolve), ...headings(texts, resolve), names(sql.join('\n')), routes(tsv, files)]
  return Object.entries(texts).flatMap(([path, text]) => {
    const prose = proseOf(path, text)
    return rules
      .flatMap((find) => find(prose, path))
      .sort((a, b) => a.at - b.at)
      .map(({ at, kind, what }) => `${path}:${prose.slice(0, at).split('\n').length} ${kind}: ${what}`)
  })
}
