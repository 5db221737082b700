// npm run gen, its last step: writes the API's description, out of the route tables.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadTables } from './lib/features.ts'
import { openApiText } from './lib/openapi.ts'

writeFileSync(join(import.meta.dirname, 'openapi.json'), openApiText(await loadTables()))
