// How much memory a process of Kith takes, however it was started.
import { totalmem } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { getHeapStatistics } from 'node:v8'
import { environment } from './environment.ts'

const MiB = 1024 ** 2

/** Of V8's space for what is young: it collects there more often, and less of it is left behind as garbage. MiB. */
const YOUNG = 8
/** Of what lives on: V8 collects before it comes near, instead of taking what the machine has. MiB. */
const OLD = 1024

/** The limit of what lives on, where a machine or container has so many bytes: half is for what lies beside the heap. MiB. */
export const oldSpace = (memory: number): number => Math.min(OLD, Math.floor(memory / 2 / MiB))

/** What V8 may take for the heap now. MiB. */
export const heapLimit = (): number => Math.round(getHeapStatistics().heap_size_limit / MiB)

/**
 * Starts this process anew with limits, unless it has them: V8 takes none for a heap that is there already. It stays the
 * same process to whoever started it. What an operator says in NODE_OPTIONS, or by flags, goes before this. Call it
 * before much is imported: that is imported twice.
 */
export function limitMemory(): void {
  const memory = Math.min(process.constrainedMemory() || Infinity, totalmem()) // 0 where nobody knows
  const limits = `--max-semi-space-size=${YOUNG} --max-old-space-size=${oldSpace(memory)}`
  const { NODE_OPTIONS = '', NODE_COMPILE_CACHE = join(import.meta.dirname, '../../node_modules/.cache/compiled') } =
    environment
  if (NODE_OPTIONS.startsWith(limits) || !process.execve) return // Windows has no execve
  const command = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  const { MALLOC_ARENA_MAX = '2' } = environment // glibc would keep up to eight a core, each with what was freed in it
  const more = { NODE_OPTIONS: `${limits} ${NODE_OPTIONS}`.trim(), NODE_COMPILE_CACHE, MALLOC_ARENA_MAX }
  process.execve(process.execPath, command, { ...environment, ...more })
}
