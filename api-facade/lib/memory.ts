// Limits the memory of a process of Kith, however it is started.
import { totalmem } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { getHeapStatistics } from 'node:v8'
import { environment } from './environment.ts'

const MiB = 1024 ** 2

/** The size of V8's young generation, MiB. A small one is collected more often and keeps less garbage. */
const YOUNG = 8
/** The limit of V8's old generation, MiB. V8 then collects earlier instead of using all memory of the machine. */
const OLD = 1024

/** The limit of the old generation in MiB for `memory` bytes: half of them, because much of a process is not heap. */
export const oldSpace = (memory: number): number => Math.min(OLD, Math.floor(memory / 2 / MiB))

/** The heap limit of V8, MiB. */
export const heapLimit = (): number => Math.round(getHeapStatistics().heap_size_limit / MiB)

/**
 * Restarts this program in the same process with memory limits, unless it has them, because V8 only reads them at
 * start. The operator's NODE_OPTIONS and flags override them. Call it before other imports, which the restart repeats.
 */
export function limitMemory(): void {
  const memory = Math.min(process.constrainedMemory() || Infinity, totalmem()) // 0 if unknown
  const limits = `--max-semi-space-size=${YOUNG} --max-old-space-size=${oldSpace(memory)}`
  const { NODE_OPTIONS = '', NODE_COMPILE_CACHE = join(import.meta.dirname, '../../node_modules/.cache/compiled') } =
    environment
  if (NODE_OPTIONS.startsWith(limits) || !process.execve) return // Windows has no execve.
  const command = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  const { MALLOC_ARENA_MAX = '2' } = environment // The default of glibc, 8 per core, keeps more freed memory.
  const more = { NODE_OPTIONS: `${limits} ${NODE_OPTIONS}`.trim(), NODE_COMPILE_CACHE, MALLOC_ARENA_MAX }
  process.execve(process.execPath, command, { ...environment, ...more })
}
