// npm run db:build: writes the baseline migration from sql/ and policies/.
import { writeFileSync } from 'node:fs'
import { baseline, baselinePath } from './schema.ts'

writeFileSync(baselinePath, baseline())
