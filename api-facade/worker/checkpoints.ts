// Signs checkpoints of the audit log. private.job_checkpoint_audit requests a checkpoint; the key never reaches the
// database.
import type { PgBoss } from 'pg-boss'
import type { AuditKey } from '../lib/audit-key.ts'
import { HEARTBEAT, type Polling } from './polling.ts'
import { type Db, note, type Reports, told } from './record.ts'

const CHECKPOINTS = 'audit-checkpoints'

/** No retries, because the job requests a checkpoint again the next day. */
const settings = { retryLimit: 0, expireInSeconds: 3600, retentionSeconds: 86_400, ...HEARTBEAT }

type Options = Reports & { key: AuditKey; polling: Polling }

/** Takes checkpoints from their queue, which the schema creates. */
export async function takeCheckpoints(boss: PgBoss, { key, polling, ...reports }: Options): Promise<void> {
  await boss.updateQueue(CHECKPOINTS, { ...settings, deleteAfterSeconds: 86_400 })
  const db = boss.getDb()
  await polling.work(CHECKPOINTS, {}, async () => {
    const made = await told(db, CHECKPOINTS, reports, () => signAll(db, key))
    await note(db, CHECKPOINTS, made, false)
  })
}

type Next = { checkpoint: object; text: string } | null

/** One transaction for each checkpoint, of up to 10,000 entries. @returns how many were made */
async function signAll(db: Db, key: AuditKey): Promise<number> {
  for (let made = 0; ; made++) {
    const { rows } = await db.executeSql('select private.next_checkpoint($1) as next', [key.publicKey])
    const [{ next }] = rows as [{ next: Next }]
    if (!next) return made
    const values = [JSON.stringify(next.checkpoint), key.sign(next.text)]
    await db.executeSql('select private.add_checkpoint($1, $2)', values)
  }
}
