// A witness of an instance's audit log: it keeps the checkpoints that the instance published, and detects if the log
// was rewritten later. docs/audit.md.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { AUDIT, CheckpointEntries, Checkpoints } from './audit.ts'
import { type Checkpoint, type Fields, hashOfText, readCheckpoint, rootOf } from './checkpoints.ts'
import type { z } from './schemas.ts'

const PATIENCE = 30_000

/** The log of the instance differs from the log that it published before. */
export class Rewritten extends Error {}

type Read = Fields & { text: string }

const readOne = (checkpoint: Checkpoint): Read => ({ ...readCheckpoint(checkpoint), text: checkpoint.text })

/** @throws Rewritten if a checkpoint does not follow the one before it */
function requireNext(one: Read, before: Read | undefined): void {
  const wrong = (why: string) => new Rewritten(`The audit log was rewritten: checkpoint ${one.number} ${why}.`)
  if (one.number !== (before?.number ?? 0) + 1) throw wrong(`follows checkpoint ${before?.number ?? 0}`)
  if (one.previous !== (before ? hashOfText(before.text) : null)) throw wrong('does not refer to the one before it')
  if (one.entries <= (before?.entries ?? 0)) throw wrong('has no more entries than the one before it')
}

/** @throws Rewritten if a new checkpoint is signed with a key that the witness has no reason to accept */
function requireKey(one: Read, before: Read, newKey: string | undefined): void {
  if (one.key !== before.key && one.key !== newKey)
    throw new Rewritten(
      `The audit log was rewritten: checkpoint ${one.number} is signed with another key (${one.key}) than the one before it.`,
    )
}

/** Reads an answer of the instance. @throws Error if there is none, or if it has a wrong form */
async function ask<S extends z.ZodType>(of: string, path: string, schema: S): Promise<z.output<S> | null> {
  const answer = await fetch(new URL(AUDIT + path, of), { signal: AbortSignal.timeout(PATIENCE) }).catch(
    (cause: unknown) => {
      throw new Error(`${of} does not answer.`, { cause })
    },
  )
  if (answer.status === 404) return null
  if (!answer.ok) throw new Error(`${of} answers ${answer.status} to ${AUDIT}${path}.`)
  return schema.parse(await answer.json())
}

/** The checkpoints from a number on. */
async function fetchFrom(of: string, first: number): Promise<Checkpoint[]> {
  const found: Checkpoint[] = []
  for (let from: number | null = first; from !== null; ) {
    const page: z.output<typeof Checkpoints> | null = await ask(of, `?from=${from}`, Checkpoints)
    if (!page) throw new Error(`${of} publishes no checkpoints of an audit log.`)
    found.push(...page.checkpoints)
    from = page.next
  }
  return found
}

/** Compares the hashes that the entries have now with the checkpoint that covers them. @throws Rewritten */
async function requireEntries(of: string, one: Read, before: Read | undefined): Promise<void> {
  const now = await ask(of, `/${one.number}`, CheckpointEntries)
  const hashes = now?.hashes ?? []
  const isSame =
    hashes.length === one.entries - (before?.entries ?? 0) && hashes.at(-1) === one.head && rootOf(hashes) === one.root
  if (!isSame)
    throw new Rewritten(`The audit log was rewritten: its entries are no longer those of checkpoint ${one.number}.`)
}

/** The checkpoints in the file of a witness. */
export const readKept = (file: string): Checkpoint[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Checkpoint)
    : []

/**
 * Compares what the instance publishes with the checkpoints in the file, and adds the new ones to it.
 * @param newKey a public key that the operator announced: checkpoints may change to it. A new file accepts all keys,
 * because it has none yet.
 * @returns how many checkpoints the file has now, how many of them are new, and how many entries of the log they cover
 * @throws Rewritten with a sentence that says what does not match
 */
export async function watch(
  of: string,
  file: string,
  newKey?: string,
): Promise<{ kept: number; added: number; entries: number }> {
  const known: Read[] = []
  for (const one of readKept(file).map(readOne)) {
    requireNext(one, known.at(-1))
    known.push(one)
  }
  const last = known.at(-1)
  const published = await fetchFrom(of, last?.number ?? 1)
  const all = [...known]
  for (const checkpoint of published) {
    const one = readOne(checkpoint)
    if (one.number === last?.number) {
      if (one.text !== last.text)
        throw new Rewritten(
          `The audit log was rewritten: checkpoint ${one.number} differs from the one published before.`,
        )
      continue
    }
    const before = all.at(-1)
    requireNext(one, before)
    if (last && before) requireKey(one, before, newKey)
    all.push(one)
  }
  if (last && published[0]?.number !== last.number)
    throw new Rewritten(`The audit log was rewritten: checkpoint ${last.number} is no longer published.`)
  // Each entry has the hash of the previous entry, so it is enough to check the entries of two checkpoints: the last
  // one that the file had, and the newest one.
  for (const number of new Set([last?.number, all.at(-1)?.number])) {
    const one = number === undefined ? undefined : all[number - 1]
    if (one) await requireEntries(of, one, all[one.number - 2])
  }
  const added = published.slice(last ? 1 : 0)
  appendFileSync(file, added.map((one) => `${JSON.stringify(one)}\n`).join(''))
  return { kept: all.length, added: added.length, entries: all.at(-1)?.entries ?? 0 }
}
