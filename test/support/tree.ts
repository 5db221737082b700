// The parts of the repository that the scanners of order.ts and references.ts read: the existing paths, and texts by
// path.
import { globSync, readFileSync } from 'node:fs'
import { root } from '../../supabase/tools/schema.ts'
import type { Texts } from './order.ts'

const foreign = ['.git', '.data', 'node_modules']
const generated =
  /\/generated\/|^supabase\/migrations\/|^sql\/ERRORS\.md$|^sql\/base\/70_pgboss\.sql$|^sql\/messaging\/25_emoji\.sql$|^sql\/admin\/9[56]_\w+\.sql$|\/pgtap\.sql$|^CHANGELOG\.md$/

/** Every file and folder, including dotfiles at the top. */
export const allFiles = (): string[] =>
  globSync(['**/*', '.*', '.ci/*'], { cwd: root, exclude: (name) => foreign.includes(name) })

/** The texts of these files, without generated ones. */
export function readTexts(files: string[]): Texts {
  const written = files.filter((file) => /\.(sql|ts|mjs|md|toml|tsv|yml)$/.test(file) && !generated.test(file))
  return Object.fromEntries(written.map((file) => [file, readFileSync(`${root}/${file}`, 'utf8')]))
}
