// npm run db:build: writes the baseline migration from sql/ and policies/, and before it the files that packages give.
import { writeFileSync } from 'node:fs'
import { emojiPath, emojiSql } from './emoji.ts'
import { pgBossPath, pgBossSql } from './pgboss.ts'
import { baseline, baselinePath } from './schema.ts'

writeFileSync(pgBossPath, pgBossSql())
writeFileSync(emojiPath, emojiSql())
writeFileSync(baselinePath, baseline())
