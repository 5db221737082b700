// Reads a dossier while it arrives: checks its form, computes the digests of its members, and passes on the rows that
// can be imported, some hundred at a time. It keeps only one row and one batch of the file in memory.
import { Tokenizer, TokenParser, TokenType } from '@streamparser/json'
import { ApiError } from '../../lib/errors.ts'
import { createDigests, type Digests } from '../../lib/signing.ts'
import type { Begun } from './schemas.ts'

/** The maximum number of bytes of a dossier, and of a row. */
export const BYTES = 50_000_000
const ROW = 2_000_000
/** How much is parsed at once, so that a long row is noticed before its end. */
const PIECE = 65_536
/** The maximum numbers of items that are not imported, of members, of levels, and of problems in an answer. */
const ITEMS = 500_000
const MEMBERS = 1000
const LEVELS = 32
const PROBLEMS = 100
/** The sizes at which a batch is passed on. */
const BATCH = { rows: 200, characters: 500_000 }

type Batch = { section: string; from: number; items: unknown[] }
export type Head = { origin: string; signature: string | undefined; digests: Digests }
/** Takes rows of a section; the first row has the position `from`. @returns the problems of the rows */
export type Take = (section: string, from: number, items: readonly unknown[]) => Promise<readonly string[]>

const FORMAT = 'service-gdpr-export-v1'
const ACTOR = /^acct:[^@\s]{1,100}@([a-z0-9.-]{1,240}(:\d{1,5})?)$/i

/** @throws ApiError malformed_json, import_invalid, import_large */
export async function readDossier(
  body: AsyncIterable<Uint8Array>,
  sections: Begun['sections'],
  take: Take,
): Promise<Head> {
  const problems: string[] = []
  const note = (problem: string) => {
    problems.push(problem)
    if (problems.length >= PROBLEMS) throw new ApiError('import_invalid', problems)
  }
  const parser = createParser(sections, note)
  const pass = async (batches: readonly Batch[]) => {
    for (const { section, from, items } of batches) for (const one of await take(section, from, items)) note(one)
  }
  for await (const chunk of body) {
    parser.write(chunk)
    await pass(parser.full())
  }
  const { head, rest } = parser.end()
  await pass(rest)
  const { format, actorId, signature } = head.members
  if (format !== FORMAT) note(`format: must be ${FORMAT}`)
  const [, origin = ''] = ACTOR.exec(String(actorId)) ?? []
  if (!origin) note('actorId: must be an actor id such as acct:ada@kith.example.org')
  if (signature !== undefined && signature !== null && typeof signature !== 'string') note('signature: must be a text')
  if (problems.length > 0) throw new ApiError('import_invalid', problems)
  return { origin, signature: (signature as string | null | undefined) ?? undefined, digests: head.digests }
}

function createParser(sections: Begun['sections'], note: (problem: string) => void) {
  const singles = new Map(sections.map(({ name, single }) => [name, single]))
  const digests = createDigests()
  const members: Record<string, unknown> = {}
  const seen = new Set<string>()
  const counts = new Map<string, number>()
  let batch: Batch & { characters: number } = { section: '', from: 0, items: [], characters: 0 }
  let batches: Batch[] = []
  const state = { bytes: 0, row: 0, depth: 0, others: 0 }

  const close = () => {
    if (batch.items.length > 0) batches.push(batch)
    batch = { section: '', from: 0, items: [], characters: 0 }
  }
  /** `size` is the approximate size of the item. */
  const keep = (section: string, from: number, item: unknown, size: number) => {
    if (batch.section !== section) close()
    if (batch.items.length === 0) batch = { section, from, items: [], characters: 0 }
    batch.items.push(item)
    batch.characters += size
    if (batch.items.length >= BATCH.rows || batch.characters > BATCH.characters) close()
  }
  const addItem = (member: string, item: unknown) => {
    const place = counts.get(member) ?? 0
    counts.set(member, place + 1)
    const size = digests.addItem(member, item)
    if (singles.get(member) === false) keep(member, place, item, size)
    else if (++state.others > ITEMS) throw new ApiError('import_large')
  }
  const endMember = (member: string, value: unknown) => {
    if (seen.has(member)) note(`${member}: must occur only once`)
    seen.add(member)
    if (seen.size > MEMBERS) throw new ApiError('import_large')
    if (member !== 'signature') digests.endMember(member, value)
    if (member === 'format' || member === 'actorId' || member === 'signature') members[member] = value
    const single = singles.get(member)
    if (single === false && !Array.isArray(value)) note(`${member}: must be a list`)
    if (single && Array.isArray(value)) note(`${member}: must be an object`)
    else if (single && value !== null) keep(member, 0, value, 0)
  }

  const tokenizer = new Tokenizer()
  const parser = new TokenParser({ paths: ['$.*', '$.*.*'], keepStack: true })
  tokenizer.onToken = (parsed) => {
    const { token } = parsed
    if (state.depth === 0 && token !== TokenType.LEFT_BRACE)
      throw new ApiError('import_invalid', ['The file must be an object.'])
    if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) state.depth++
    if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) state.depth--
    if (state.depth > LEVELS)
      throw new ApiError('import_invalid', [`The file is nested more than ${LEVELS} levels deep.`])
    parser.write(parsed)
  }
  parser.onValue = ({ value, key, parent, stack }) => {
    if (stack.length === 1) endMember(String(key), value)
    else if (Array.isArray(parent)) {
      addItem(String(stack[1]?.key), value)
      parent.length = 0 // Frees the item, so that memory holds no whole list.
    } else return
    state.row = 0
  }
  for (const part of [tokenizer, parser]) part.onError = broken

  return {
    write(chunk: Uint8Array) {
      state.bytes += chunk.length
      if (state.bytes > BYTES) throw new ApiError('import_large')
      for (let at = 0; at < chunk.length; at += PIECE) {
        const piece = chunk.subarray(at, at + PIECE)
        state.row += piece.length
        if (state.row > ROW) throw new ApiError('import_invalid', [`A row must not have more than ${ROW} bytes.`])
        tokenizer.write(piece)
      }
    },
    /** Returns the batches that have become complete since the last call. */
    full(): Batch[] {
      const made = batches
      batches = []
      return made
    },
    end() {
      if (!tokenizer.isEnded) tokenizer.end()
      if (!parser.isEnded) throw new ApiError('malformed_json')
      close()
      return { head: { members, digests: digests.digests() }, rest: batches }
    },
  }
}

function broken(error: unknown): never {
  throw error instanceof ApiError ? error : new ApiError('malformed_json')
}
