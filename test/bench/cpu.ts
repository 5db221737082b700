// The cost of a side: its WAL, and its CPU from /proc, which varies much less on a busy machine than rates do.
import { readdirSync, readFileSync } from 'node:fs'
import { OURS, type Side } from './side.ts'

/** Milliseconds of a core: the facade's process, its backends, and the worker with its backends. */
export type Cpu = { node: number; backend: number; worker: number }
export type Meter = { read(): Promise<Cpu>; stop(): void }

const none: Cpu = { node: 0, backend: 0, worker: 0 }
export const minus = (one: Cpu, other: Cpu): Cpu => ({
  node: one.node - other.node,
  backend: one.backend - other.backend,
  worker: one.worker - other.worker,
})

const threads = (pid: number): number[] => readdirSync(`/proc/${pid}/task`).map(Number)

/** The CPU of a thread until now. Milliseconds. @throws Error if it has ended */
export const cpuOf = (id: number): number => Number(readFileSync(`/proc/${id}/schedstat`, 'utf8').split(' ')[0]) / 1e6

/**
 * The meter reads repeatedly, and sums what each process has used since the last time, because backends start and end,
 * especially those of the worker.
 */
export function startMeter({ superuser, facade, worker }: Side): Meter {
  const total = { ...none }
  const seen = new Map<number, number>()
  let first = true

  const add = (kind: keyof Cpu, id: number) => {
    try {
      const now = cpuOf(id)
      total[kind] += first ? 0 : now - (seen.get(id) ?? 0)
      seen.set(id, now)
    } catch {} // the process has ended
  }
  const look = async () => {
    const backends = await superuser<{ pid: number; name: string }[]>`
      select pid, application_name as name from pg_stat_activity
      where backend_type in ('client backend', 'parallel worker') and application_name <> ${OURS}`
    for (const { pid, name } of backends) add(name === 'kith_worker' ? 'worker' : 'backend', pid)
    for (const thread of threads(facade)) add('node', thread)
    for (const thread of worker ? threads(worker) : []) add('worker', thread)
    first = false
    return { ...total }
  }
  let looking: Promise<Cpu> = look()
  const read = () => {
    looking = looking.then(look)
    return looking
  }
  const timer = setInterval(() => read().catch(() => {}), 300)
  return { read, stop: () => clearInterval(timer) }
}

/** Records and bytes of WAL, without the page images after a checkpoint. */
export type Wal = { records: number; bytes: number }

export const walPlace = async ({ superuser }: Side): Promise<string> => {
  const [row] = await superuser<{ lsn: string }[]>`select pg_current_wal_insert_lsn()::text as lsn`
  return row?.lsn ?? ''
}

export async function walSince({ superuser }: Side, place: string): Promise<Wal> {
  const [row] = await superuser<Wal[]>`
    select coalesce(sum(count), 0)::float8 as records, coalesce(sum(record_size), 0)::float8 as bytes
    from pg_get_wal_stats(${place}::pg_lsn, pg_current_wal_flush_lsn())`
  return row ?? { records: 0, bytes: 0 }
}
