// npm runs this after npm run gen (postgen): writes api-facade/openapi.json, api-facade/generated/answers.ts and
// docs/rate-limits.md.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatted } from '../supabase/tools/format.ts'
import { answersText } from './lib/answers.ts'
import { loadTables } from './lib/features.ts'
import { openApiText } from './lib/openapi.ts'
import { rateLimitsPage } from './lib/pages.ts'

const tables = await loadTables()
writeFileSync(join(import.meta.dirname, 'openapi.json'), openApiText(tables))
writeFileSync(join(import.meta.dirname, 'generated/answers.ts'), formatted(answersText(tables)))
writeFileSync(join(import.meta.dirname, '../docs/rate-limits.md'), rateLimitsPage(tables))
