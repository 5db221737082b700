// The features that have routes: every folder of features/ exports its own, and there is no other list.
import { globSync } from 'node:fs'
import { join } from 'node:path'
import type { Table } from './routes.ts'

/** `about` says what the feature offers: it describes the feature's tag in the API's description. */
export type Feature = Table & { about: string }
type Module = { default: Table; about: string }

const folder = join(import.meta.dirname, '../features')

/** The route tables, ordered by the names of their features. */
export async function loadTables(): Promise<Feature[]> {
  const files = globSync('*/routes.ts', { cwd: folder }).sort()
  const modules = await Promise.all(files.map((file): Promise<Module> => import(join(folder, file))))
  return modules.map((module) => ({ ...module.default, about: module.about }))
}
