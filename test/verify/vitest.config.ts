// The tests that `npm run verify` runs against a running stack. test/support/target.ts skips tests that cannot work
// there.
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: ['test/api/*/*.test.ts', 'test/realtime/*.test.ts'],
    // these files start their own facades, or write rows that no request writes, before their first test
    exclude: [
      'test/api/admin/lists.test.ts',
      'test/api/base/facades.test.ts',
      'test/api/base/log.test.ts',
      'test/api/base/rates.test.ts',
      'test/api/identity/erasure-proof.test.ts',
      'test/api/import/import.test.ts',
      'test/api/posts/views.test.ts',
    ],
    setupFiles: ['test/support/matchers.ts'],
    reporters: ['./test/verify/reporter.ts'],
    server: { deps: { external: [/\/(api-facade|supabase)\/.*\.ts$/] } },
    pool: 'forks',
    maxWorkers: 1,
    fileParallelism: false,
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
})
