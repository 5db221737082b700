// npm run audit-witness -- --of=<address> --keep=<file>: keeps the checkpoints of an instance's audit log and fails if
// the log was rewritten. It needs nothing of the instance but its address. docs/audit.md.
import { parseArgs } from 'node:util'
import { watch } from './lib/witness.ts'

const usage = 'npm run audit-witness -- --of=https://kith.example.org --keep=checkpoints.jsonl'

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { of: { type: 'string' }, keep: { type: 'string' } } })
  const { of, keep } = values
  if (!of || !URL.canParse(of) || !keep) throw new Error(usage)
  const { kept, added, entries } = await watch(of, keep)
  process.stdout.write(`${kept} checkpoints fit, ${added} of them new. They cover ${entries} entries.\n`)
}

await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
})
