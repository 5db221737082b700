// What `npm run verify:storage` runs: one file, as `npm test` would run it.
import { defineConfig } from 'vitest/config'
import tests from '../vitest.config.ts'

const { test } = tests
export default defineConfig({
  ...tests,
  test: { ...test, include: ['test/verify/storage.life.ts'], reporters: ['verbose'], maxWorkers: 1 },
})
