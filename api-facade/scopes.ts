// npm runs this before npm run gen (pregen): writes the scopes of the operations, a part of the schema, from the route
// tables.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadTables } from './lib/features.ts'
import { scopesSql } from './lib/scopes.ts'

export const scopesPath = 'sql/generated/40_scopes.sql'

if (import.meta.main) writeFileSync(join(import.meta.dirname, '..', scopesPath), scopesSql(await loadTables()))
