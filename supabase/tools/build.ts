// npm run db:build: writes the baseline migration from sql/ and policies/, and before it the file that pg-boss gives.
import { writeFileSync } from 'node:fs'
import { pgBossPath, pgBossSql } from './pgboss.ts'
import { baseline, baselinePath } from './schema.ts'

writeFileSync(pgBossPath, pgBossSql())
writeFileSync(baselinePath, baseline())
