// Every operation that touches posts, and its expected answer. An operation missing here fails the build (guard.ts).
import type { Entries } from './question.ts'
import { reads } from './reads.ts'
import { writes } from './writes.ts'

export const registry: Entries = { ...reads, ...writes }
