// The features that have routes: every folder of features/ brings its own, and nothing lists them a second time.
import { globSync } from 'node:fs'
import { join } from 'node:path'
import type { Table } from './routes.ts'

const folder = join(import.meta.dirname, '../features')

/** The route tables, in the order of their features' names. */
export async function loadTables(): Promise<Table[]> {
  const files = globSync('*/routes.ts', { cwd: folder }).sort()
  const modules = await Promise.all(files.map((file): Promise<{ default: Table }> => import(join(folder, file))))
  return modules.map((module) => module.default)
}
