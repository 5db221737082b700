// DATA_DIR: an unsuitable folder is rejected with a sentence that says what to do, and is not changed.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { makeDataDir } from '../supabase/embedded/paths.ts'

const root = process.getuid?.() === 0
const base = mkdtempSync(join(tmpdir(), 'kith-folders-'))
chmodSync(base, 0o711) // the server's account must be able to reach the folders
afterAll(() => rmSync(base, { recursive: true }))

let folders = 0
/** Creates a folder with these files in it. */
function folderWith(files: Record<string, string> = {}, mode = 0o755): string {
  const folder = join(base, `${++folders}`)
  mkdirSync(folder)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  chmodSync(folder, mode)
  return folder
}

/** The attributes of the folder and of everything in it. */
const picture = (folder: string) =>
  ['', ...readdirSync(folder, { recursive: folder.startsWith(base), encoding: 'utf8' })].sort().map((name) => {
    const { uid, gid, mode, size, mtimeMs, ctimeMs } = lstatSync(join(folder, name))
    return { name, uid, gid, mode, size, mtimeMs, ctimeMs }
  })

/** Runs one of our programs on the folder until the program ends. */
function run(program: string, folder: string): Promise<{ code: number; out: string; err: string }> {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const env = { PATH, NODE_COMPILE_CACHE, DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'silent' }
  return new Promise((settled) => {
    execFile(process.execPath, [program], { env, timeout: 50_000 }, (error, out, err) =>
      settled({ code: Number(error?.code ?? 0), out, err }),
    )
  })
}

/** A folder of another account: an empty one if we can create it, otherwise a folder of the system. */
function foreign(): string {
  if (!root) return '/usr/share'
  const folder = folderWith()
  chownSync(folder, 65_534, 65_534)
  return folder
}

const version = { 'postgres/PG_VERSION': '17\n', 'postgres/base/1/1': 'a table' }
const notOurs: [string, () => string, RegExp][] = [
  ['that has files of something else', () => folderWith({ 'taxes.ods': '1', 'photos/1.jpg': '2' }), /is not empty/],
  ['that has a lock of something else', () => folderWith({ lock: '', archives: '' }), /is not empty/],
  ["that has another program's cluster", () => folderWith(version), /is not empty/],
  ['of another account', foreign, /somebody else owns it/],
  [
    'that other accounts can write to',
    () => folderWith({ 'cluster-secret': 'planted' }, 0o777),
    /somebody else owns it or may write to it/,
  ],
]

describe.each(notOurs)('A folder %s', (_what, make, reason) => {
  const folder = make()
  const before = picture(folder)

  test('is rejected in one line and is not changed', async () => {
    const { code, out, err } = await run('api-facade/main.ts', folder)
    expect({ code, out, lines: err.trim().split('\n').length }).toEqual({ code: 1, out: '', lines: 1 })
    expect(err).toContain(`DATA_DIR ${folder} cannot be used: `)
    expect(err).toMatch(reason)
    expect(err).toContain('Choose another')
    expect(picture(folder)).toEqual(before)
  })

  test.each(['stop', 'status'])('has no running instance for npm run %s', async (program) => {
    const { out, err } = await run(`supabase/embedded/${program}.ts`, folder)
    expect(out + err).toContain(`Nothing is running on ${folder}.`)
    expect(picture(folder)).toEqual(before)
  })
})

test('npm run stop does not end another program’s server', async () => {
  const folder = folderWith(version)
  const cluster = join(folder, 'postgres')
  const server = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
    cwd: cluster,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  await once(server, 'spawn')
  const exit = once(server, 'exit')
  writeFileSync(join(cluster, 'postmaster.pid'), `${server.pid}\n`)
  const before = picture(folder)
  const { out } = await run('supabase/embedded/stop.ts', folder)
  expect(out).toBe(`Nothing is running on ${folder}.\n`)
  expect(picture(folder)).toEqual(before)
  server.stdin?.end() // ends the server, which npm run stop left running
  expect(await exit).toEqual([0, null])
})

test.each([
  ['that cannot be created', '/proc/kith/data', 'cannot be made (ENOENT)'],
  ['that is a file', join(folderWith({ file: '' }), 'file'), 'it is not a folder'],
  [
    'below a file',
    join(folderWith({ file: '' }), 'file', 'data'),
    root ? 'file is not a folder' : 'cannot be made (ENOTDIR)',
  ],
])('A path %s is rejected immediately, in one line', async (_what, folder, reason) => {
  const { code, out, err } = await run('api-facade/main.ts', folder)
  expect({ code, out, lines: err.trim().split('\n').length }).toEqual({ code: 1, out: '', lines: 1 })
  expect(err).toContain(`DATA_DIR ${folder} cannot be used: `)
  expect(err).toContain(reason)
})

test.each([
  ['that does not exist', () => join(base, 'new', 'folder')],
  ['that is empty, even if other accounts can write to it', () => folderWith({}, root ? 0o777 : 0o755)],
  [
    'that an instance has used',
    () => folderWith({ 'cluster-secret': 'x', 'postgres/PG_VERSION': '17', 'my.backup': '' }),
  ],
  ['of a start that was killed early', () => folderWith({ lock: '', 'instance.json': '{}', 'cluster-secret.7': '' })],
  [
    'with files that do not matter',
    () => folderWith({ 'lost+found/x': '', '.keep': '', 'mail/1.txt': '', 'running/1.json': '' }),
  ],
])('A folder %s is accepted', (_what, make) => {
  const folder = make()
  expect(makeDataDir(folder)).toBe(folder)
  expect(makeDataDir(folder)).toBe(folder)
  expect(lstatSync(folder).mode & 0o022).toBe(0)
})
