// npm run audit-witness -- --of=<address> --keep=<file>: keeps the checkpoints of an instance's audit log and fails if
// the log was rewritten. With --statement it also verifies a statement of reasons, and --new-key is a key that the
// operator announced. It needs only the address of the instance. docs/audit.md.
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Proof, verifyProof } from './lib/checkpoints.ts'
import { z } from './lib/schemas.ts'
import { readKept, watch } from './lib/witness.ts'

const usage =
  'npm run audit-witness -- --of=https://kith.example.org --keep=checkpoints.jsonl [--statement=file.json] [--new-key=key]'

const say = (line: string) => process.stdout.write(`${line}\n`)

const Statement = z.object({ action: z.string(), reason: z.string(), proof: Proof.nullable() })

/** Verifies the proof of a statement, and that the instance published its checkpoint. */
function verifyStatement(file: string, keep: string): void {
  const { action, reason, proof } = Statement.parse(JSON.parse(readFileSync(file, 'utf8')))
  if (!proof) throw new Error('The statement has no proof yet. Get it again when the next checkpoint has been made.')
  const { checkpoint, content, detail } = verifyProof(proof)
  if (!readKept(keep).some(({ text }) => text === proof.checkpoint.text))
    throw new Error(`Checkpoint ${checkpoint.number} of the statement is not one that the instance published.`)
  const given = z
    .object({ reason: z.string().default('') })
    .nullable()
    .parse(detail)?.reason
  if (given !== undefined && given !== reason) throw new Error('The statement and the entry have different reasons.')
  say(`Entry ${content[0]} (${content[1]}) of the audit log proves the decision (${action}).`)
}

async function main(): Promise<void> {
  const options = {
    of: { type: 'string' },
    keep: { type: 'string' },
    statement: { type: 'string' },
    'new-key': { type: 'string' },
  } as const
  const { of, keep, statement, 'new-key': newKey } = parseArgs({ options }).values
  if (!of || !URL.canParse(of) || !keep) throw new Error(usage)
  const { kept, added, entries } = await watch(of, keep, newKey)
  say(`${kept} checkpoints match, ${added} of them new. They cover ${entries} entries.`)
  if (statement) verifyStatement(statement, keep)
}

await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
})
