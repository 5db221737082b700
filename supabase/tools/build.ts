// npm run db:build: first writes the files of sql/ that are made from npm packages, then the baseline migration from
// sql/ and policies/.
import { writeFileSync } from 'node:fs'
import { emojiPath, emojiSql } from './emoji.ts'
import { pgBossPath, pgBossSql } from './pgboss.ts'
import { baseline, baselinePath } from './schema.ts'

writeFileSync(pgBossPath, pgBossSql())
writeFileSync(emojiPath, emojiSql())
writeFileSync(baselinePath, baseline())
