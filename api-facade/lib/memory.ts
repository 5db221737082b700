// How much memory a process of Kith takes, however it was started.
import { totalmem } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { getHeapStatistics } from 'node:v8'
import { environment } from './environment.ts'

const MiB = 1024 ** 2

/** The size of V8's young generation, MiB. A small one is collected more often and keeps less garbage. */
const YOUNG = 8
/** The most of V8's old generation, MiB. V8 collects before it comes near, instead of taking what the machine has. */
const OLD = 1024

/** The limit of the old generation in MiB, for `memory` bytes: half of them, since much of a process is not heap. */
export const oldSpace = (memory: number): number => Math.min(OLD, Math.floor(memory / 2 / MiB))

/** How large V8 lets the heap grow, MiB. */
export const heapLimit = (): number => Math.round(getHeapStatistics().heap_size_limit / MiB)

/**
 * Starts this program again with memory limits, in the same process, unless it has them: V8 reads them only as it
 * starts. The operator's NODE_OPTIONS and flags win over them. Call it before other imports, which the restart repeats.
 */
export function limitMemory(): void {
  const memory = Math.min(process.constrainedMemory() || Infinity, totalmem()) // 0 if unknown
  const limits = `--max-semi-space-size=${YOUNG} --max-old-space-size=${oldSpace(memory)}`
  const { NODE_OPTIONS = '', NODE_COMPILE_CACHE = join(import.meta.dirname, '../../node_modules/.cache/compiled') } =
    environment
  if (NODE_OPTIONS.startsWith(limits) || !process.execve) return // Windows has no execve
  const command = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  const { MALLOC_ARENA_MAX = '2' } = environment // glibc's default is eight a core, and each keeps memory that was freed
  const more = { NODE_OPTIONS: `${limits} ${NODE_OPTIONS}`.trim(), NODE_COMPILE_CACHE, MALLOC_ARENA_MAX }
  process.execve(process.execPath, command, { ...environment, ...more })
}
