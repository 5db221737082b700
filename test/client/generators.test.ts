// The clients that other generators make from api-facade/openapi.json compile.
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const workspace = join(root, 'clients/typescript')
const description = join(root, 'api-facade/openapi.json')
const project = realpathSync(mkdtempSync(join(tmpdir(), 'kith-generators-')))
afterAll(() => rmSync(project, { recursive: true }))
// an app's project: TypeScript 5, because both generators use its API, which TypeScript 7 does not have
const modules = join(project, 'node_modules')
mkdirSync(join(modules, '@hey-api'), { recursive: true })
cpSync(join(root, 'node_modules/@hey-api/openapi-ts'), join(modules, '@hey-api/openapi-ts'), { recursive: true })
for (const name of readdirSync(join(root, 'node_modules/@hey-api')).filter((one) => one !== 'openapi-ts'))
  symlinkSync(join(root, 'node_modules/@hey-api', name), join(modules, '@hey-api', name))
for (const name of readdirSync(join(root, 'node_modules')).filter((one) => !/^(typescript|@hey-api|\..*)$/.test(one)))
  symlinkSync(join(root, 'node_modules', name), join(modules, name))
symlinkSync(join(workspace, 'node_modules/typescript'), join(modules, 'typescript'))
writeFileSync(join(project, 'package.json'), '{ "type": "module" }')

/** Runs the program of a package. */
const bin = (path: string, ...parameters: string[]) =>
  execFileSync(process.execPath, [path, ...parameters], { cwd: project, stdio: ['ignore', 'pipe', 'pipe'] })

bin(join(workspace, 'node_modules/openapi-typescript/bin/cli.js'), description, '-o', 'paths.ts')
writeFileSync(
  join(project, 'plain.ts'),
  `import createClient from 'openapi-fetch'
import type { paths } from './paths'
const client = createClient<paths>({ baseUrl: 'http://localhost' })
const { data: users } = await client.GET('/api/v1/admin/users', {})
export const names: string[] | undefined = users?.items.map(({ user }) => user.username)
const { data: found } = await client.GET('/api/v1/discovery/search', { params: { query: { q: 'tea' } } })
export const slugs = found?.items.flatMap((item) => (item.type === 'wiki' ? [item.slug] : []))
await client.POST('/api/v1/me/personas', { body: { name: 'Weekend' } })
await client.DELETE('/api/v1/me/push-token', {})
`,
)
bin(join(modules, '@hey-api/openapi-ts/bin/run.js'), '-i', description, '-o', 'hey', '--silent')

/** What the compiler says about both clients. It runs once, because it takes seconds to read the standard library. */
const said = compile('plain.ts', 'hey/index.ts').split('\n')

function compile(...files: string[]): string {
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022']
  const modules = ['--module', 'esnext', '--moduleResolution', 'bundler', '--lib', 'es2023,dom,dom.iterable']
  const compiler = join(workspace, 'node_modules/typescript/bin/tsc')
  return spawnSync(process.execPath, [compiler, ...options, ...modules, ...files], { cwd: project, encoding: 'utf8' })
    .stdout
}

test('openapi-typescript: a plain createClient<paths> reads lists, including those of staff', () => {
  expect(said.filter((line) => !line.startsWith('hey/'))).toEqual([''])
})

test('@hey-api/openapi-ts: the client compiles', () => {
  expect(said.filter((line) => line.startsWith('hey/'))).toEqual([])
})
