// npm run gen, its last step: writes the API's description, and what operations answer, out of the route tables.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatted } from '../supabase/tools/format.ts'
import { answersText } from './lib/answers.ts'
import { loadTables } from './lib/features.ts'
import { openApiText } from './lib/openapi.ts'

const tables = await loadTables()
writeFileSync(join(import.meta.dirname, 'openapi.json'), openApiText(tables))
writeFileSync(join(import.meta.dirname, 'generated/answers.ts'), formatted(answersText(tables)))
