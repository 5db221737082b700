// The jobs and their hours. What a job does stands in SQL (`private.job_<name>`), here is only when.
// ARCHITECTURE.md has them as a table, with why each may run twice.

export type Job = {
  /** In UTC. */
  cron: string
  /** After so many seconds a run counts as lost, as one is whose worker was killed, and the next may begin. */
  expires: number
  /** A run does one piece of the work: the worker calls again until there is none left, for half of `expires`. A piece that
   * answers less than 0 has failed: the others go on, and the run fails at its end. */
  repeats?: true
  /** Said at error level, and counted as a failure, when the job had to change anything. */
  alarm?: string
}

const minutely = { cron: '* * * * *', expires: 60 }

export const jobs = {
  'release-reservations': minutely,
  'purge-rates': minutely,
  'publish-scheduled': { ...minutely, repeats: true },
  'close-polls': { ...minutely, repeats: true },
  'inherit-contributions': { ...minutely, repeats: true },
  // each at a minute of its own: they need not all come at once
  'expire-invites': { cron: '5 * * * *', expires: 300 },
  'roll-realtime-partitions': { cron: '10 * * * *', expires: 300 },
  'purge-idempotency-keys': { cron: '15 * * * *', expires: 300 },
  'purge-revoked-tokens': { cron: '20 * * * *', expires: 300 },
  'purge-ended-follows': { cron: '25 * * * *', expires: 300 },
  'purge-ended-bookmarks': { cron: '45 * * * *', expires: 300 },
  'purge-sessions': { cron: '30 * * * *', expires: 300 },
  'purge-password-resets': { cron: '35 * * * *', expires: 300 },
  'finish-erasures': { cron: '30 * * * *', expires: 300 },
  'purge-domain-events': { cron: '10 3 * * *', expires: 300 },
  'check-audience': {
    cron: '40 3 * * *',
    expires: 300,
    alarm: 'the audience was not what circles and blocks make of it',
  },
} as const satisfies Record<string, Job>

export type JobName = keyof typeof jobs
export const jobNames = Object.keys(jobs) as JobName[]

/** The SQL function of a job. */
export const functionOf = (name: JobName): string => `private.job_${name.replaceAll('-', '_')}`
