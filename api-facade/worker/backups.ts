// Takes a backup and verifies it, in a separate process, because both are a lot of work. private.job_back_up queues it.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import type { PgBoss } from 'pg-boss'
import { HEARTBEAT, type Polling } from './polling.ts'
import { note, type Reports, told } from './record.ts'

const BACKUPS = 'backups'

/** One retry, after ten minutes, because the destination may be unreachable for a while. */
const settings = {
  retryLimit: 1,
  retryDelay: 600,
  expireInSeconds: 43_200,
  retentionSeconds: 86_400,
  deleteAfterSeconds: 86_400,
  ...HEARTBEAT,
}

type Options = Reports & { deadLetter: string; polling: Polling }

/** Takes backups from their queue, which the schema creates. */
export async function takeBackups(boss: PgBoss, { deadLetter, polling, ...reports }: Options): Promise<void> {
  await boss.updateQueue(BACKUPS, { ...settings, deadLetter })
  const db = boss.getDb()
  await polling.work(BACKUPS, {}, async () => {
    await told(db, BACKUPS, reports, backUp)
    await note(db, BACKUPS, 1, false)
  })
}

/** @throws Error with what the command says */
function backUp(): Promise<void> {
  const command = join(import.meta.dirname, '../backup.ts')
  return new Promise((settle, fail) => {
    execFile(process.execPath, [command, '--take', '--verify'], (error, _, said) =>
      error ? fail(new Error(said.trim() || error.message)) : settle(),
    )
  })
}
