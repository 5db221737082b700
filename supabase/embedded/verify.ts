// Checks the rules that the rows of a database of Kith must satisfy, after a restore or an upgrade. It only reads, in
// one snapshot, so it can run while others write.
import { createPublicKey, verify as isSigned } from 'node:crypto'
import type { Sql, TransactionSql } from 'postgres'

/** A broken rule, with the number of violations and the first one. */
export interface Violation {
  rule: string
  count: number
  example: string
}
export interface Verified {
  violations: Violation[]
  /** The number of rows of each table. */
  rows: Record<string, number>
}

/** Rows that differ between two queries. */
const difference = (one: string, other: string): string =>
  `select d::text as subject from ((${one}) except all (${other})) d
   union all select d::text from ((${other}) except all (${one})) d`

/** Each query returns the violations of a rule, as text. */
const rules: Record<string, string> = {
  'the books of mana balance': `select (rule, subject, expected, found)::text as subject from private.audit_mana()`,
  'the books of the treasuries balance':
    'select (rule, subject, expected, found)::text as subject from private.audit_treasuries()',
  'the audience is the same as after a rebuild': difference(
    'select viewer_id, author_id, level from app.audience',
    'select viewer_id, author_id, level from private.audience_rebuilt',
  ),
  'reputation is the sum of its ledger': difference(
    'select user_id, interest_id, value, direct_value from app.reputation',
    `select user_id, interest_id, sum(delta)::numeric(12, 2),
            coalesce(sum(delta) filter (where roll_up_level = 0), 0)::numeric(12, 2)
     from app.reputation_entries group by 1, 2`,
  ),
  'reputation by kind is the sum of its ledger': difference(
    'select user_id, interest_id, kind, points from app.reputation_kinds',
    `select user_id, interest_id, kind, sum(delta)::numeric(12, 2)
     from app.reputation_entries where roll_up_level = 0 group by 1, 2, 3`,
  ),
  'contribution is the sum of its ledger': difference(
    'select user_id, score from app.contribution_scores',
    'select user_id, sum(delta)::numeric(14, 2) from app.contribution_entries group by 1',
  ),
  'the counters of posts are the counts of their rows': difference(
    'select post_id, reactions, replies, shares, bookmarks from app.post_counters',
    `select p.id, (select count(*)::int from app.reactions r where r.post_id = p.id and r.kind = 'heart'),
            (select count(*)::int from app.replies r where r.post_id = p.id and r.required_level = 0),
            (select count(*)::int from app.posts q where q.quoted_post_id = p.id and q.format = 'repost'
             and q.published_at is not null and q.deleted_at is null),
            (select count(*)::int from app.bookmarks b where b.post_id = p.id)
     from app.posts p`,
  ),
}

type AuditLog = { firstBroken: number | null; next: number | null }

/** The next entries of the audit log. */
async function readLog(tx: TransactionSql, after: number): Promise<AuditLog> {
  const [row] = await tx<[{ log: AuditLog }]>`select private.verify_audit(${after}) as log`
  return row.log
}

/** The next checkpoints, compared with the log. */
async function readCheckpoints(tx: TransactionSql, after: number): Promise<AuditLog> {
  const [row] = await tx<[{ found: AuditLog }]>`select private.verify_checkpoints(${after}) as found`
  return row.found
}

const CHECKPOINTS = 'the audit log matches its checkpoints'

/** The first checkpoint that does not match the log or the previous checkpoint, or whose signature is wrong. */
async function brokenCheckpoint(tx: TransactionSql): Promise<number | null> {
  const [there] = await tx`select to_regprocedure('private.verify_checkpoints(bigint)') as name`
  if (!there?.name) return null // a database of 1.0.0
  let after: number | null = 0
  while (after !== null) {
    const { firstBroken, next }: AuditLog = await readCheckpoints(tx, after)
    if (firstBroken !== null) return firstBroken
    after = next
  }
  const signed = tx<{ number: number; text: string; key: string; signature: string }[]>`
    select c.number::int, private.checkpoint_text(c) as text, c.key, c.signature
    from private.audit_checkpoints c order by c.number`.cursor(100)
  for await (const page of signed)
    for (const { number, text, key, signature } of page) {
      const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key }, format: 'jwk' })
      if (!isSigned(null, Buffer.from(text), publicKey, Buffer.from(signature, 'base64url'))) return number
    }
  return null
}

/** @throws Error if it is not a database of Kith */
export const verify = (sql: Pick<Sql, 'begin'>): Promise<Verified> =>
  sql.begin('isolation level repeatable read read only', check) as Promise<Verified>

/** Does the same as verify, in a transaction of the caller. */
export async function check(tx: TransactionSql): Promise<Verified> {
  const [kith] = await tx`select to_regprocedure('private.verify_audit(bigint)') is not null as there`
  if (!kith?.there) throw new Error('The database is not one of Kith.')
  const violations: Violation[] = []
  for (const [rule, query] of Object.entries(rules)) {
    const [found] = await tx.unsafe<[{ count: number; example: string | null }]>(
      `select count(*)::int as count, min(subject) as example from (${query}) v`,
    )
    if (found.count > 0) violations.push({ rule, count: found.count, example: found.example ?? '' })
  }
  let after: number | null = 0
  while (after !== null) {
    const log: AuditLog = await readLog(tx, after)
    if (log.firstBroken !== null)
      violations.push({ rule: 'the audit log is a chain', count: 1, example: `entry ${log.firstBroken}` })
    after = log.next
  }
  const broken = await brokenCheckpoint(tx)
  if (broken !== null) violations.push({ rule: CHECKPOINTS, count: 1, example: `checkpoint ${broken}` })
  const tables = await tx<{ name: string }[]>`
    select c.oid::regclass::text as name from pg_class c
    where c.relkind = 'r' and c.relnamespace in ('app'::regnamespace, 'private'::regnamespace) order by 1`
  const rows: Record<string, number> = {}
  for (const { name } of tables) {
    const [counted] = await tx.unsafe<[{ count: number }]>(`select count(*)::float8 as count from ${name}`)
    rows[name] = counted.count
  }
  return { violations, rows }
}

/** The sentence for each violation. */
export const violationText = ({ rule, count, example }: Violation): string =>
  `Broken: ${rule} (${count}). The first: ${example}`
