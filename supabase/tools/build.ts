// npm run db:build: first writes the files of sql/ that are made from npm packages, then the baseline migration from
// sql/ and policies/, unless it is frozen.
import { writeFileSync } from 'node:fs'
import { emojiPath, emojiSql } from './emoji.ts'
import { pgBossPath, pgBossSql } from './pgboss.ts'
import { writeBaseline } from './schema.ts'

writeFileSync(pgBossPath, pgBossSql())
writeFileSync(emojiPath, emojiSql())
writeBaseline()
