// The one test run: pgTAP, HTTP, models and guards. `npm test` runs it from the root of the repository.
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import Order from './support/sequence.ts'

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global.ts'],
    setupFiles: ['test/support/matchers.ts', 'test/support/forget.ts'],
    reporters: ['./test/support/reporter.ts'],
    // Node itself loads the tested code, as in production, not Vite
    server: { deps: { external: [/\/(api-facade|edge-functions|supabase)\/.*\.ts$/] } },
    pool: 'forks',
    // a process runs one file after another, because loading the facade anew for each file took a third of the run
    isolate: false,
    sequence: { sequencer: Order },
    // this is one more than the usual machine has cores, because many tests wait for a worker or a timer
    maxWorkers: 3,
    // this is long enough for a slow machine, so only a test that hangs reaches it
    testTimeout: process.env.SOAK ? 3_600_000 : 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
    // this is as long as a test may take, because pages are slow on a busy machine
    expect: { poll: { timeout: 60_000 } },
  },
})
