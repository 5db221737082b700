// Formats generated TypeScript with Biome.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { root } from './schema.ts'

/** @throws Error with Biome's output */
export function formatted(types: string): string {
  const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome')
  const options = ['format', '--config-path', '.biome.json', '--stdin-file-path', 'types.ts']
  const { status, stdout, stderr } = spawnSync(process.execPath, [biome, ...options], {
    cwd: root,
    input: types,
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
  })
  if (status !== 0) throw new Error(`The types cannot be formatted:\n${stderr}`)
  return stdout
}
