// The packages of a server: `npm ci --omit=dev` installs all that production needs, and little else.
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import manifest from '../package.json' with { type: 'json' }

const root = resolve(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

type Locked = { dev?: boolean; devOptional?: boolean; link?: boolean; resolved?: string }

describe('The packages', () => {
  const production = globSync('{api-facade,edge-functions,supabase/embedded}/**/*.{ts,mjs}', { cwd: root })
  const imported = new Set(
    production.flatMap((file) =>
      [...read(file).matchAll(/(?:from|import\(|resolve\()\s*'((?:@[^/']+\/)?[^./'][^/']*)/g)].map(
        ([, name = '']) => name,
      ),
    ),
  )

  const folder = mkdtempSync(join(tmpdir(), 'kith-packages-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  /** Runs what comes before `npm start`, after `npm ci --omit=dev`, on a Node of this version. */
  function prestart(version: string) {
    const script = 'supabase/embedded/install.mjs'
    for (const file of [script, 'package-lock.json']) cpSync(join(root, file), join(folder, file))
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> }
    const isLeftOut = ({ dev, devOptional, link, resolved = '' }: Locked) =>
      dev || devOptional || (link && packages[resolved]?.dev)
    const installed = Object.entries(packages).filter(([, locked]) => !isLeftOut(locked))
    mkdirSync(join(folder, 'node_modules'), { recursive: true })
    writeFileSync(
      join(folder, 'node_modules/.package-lock.json'),
      JSON.stringify({ packages: Object.fromEntries(installed) }),
    )
    const pretend = `Object.defineProperty(process, 'versions', { value: { node: '${version}' } })`
    const args = ['--import', `data:text/javascript,${pretend}`, join(folder, script)]
    const env = { PATH: '/nowhere', npm_lifecycle_event: 'prestart' }
    const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
    return { status, stderr }
  }

  test('of npm ci --omit=dev are enough to start, with a current Node', () => {
    expect(prestart('24.1.0')).toEqual({ status: 0, stderr: '' })
    expect(prestart('22.1.0')).toEqual({ status: 1, stderr: expect.stringContaining('Kith needs Node 24 or later') })
  })

  test('that production imports are dependencies, not development dependencies', () => {
    const development = Object.keys(manifest.devDependencies)
    expect(imported.size).toBeGreaterThan(25)
    expect(development.filter((name) => imported.has(name))).toEqual([])
  })
})
