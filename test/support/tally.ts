// Counts a test run.
import type { TestModule } from 'vitest/node'

/** The numbers in the last line. */
export type Tally = { passed: number; failed: number }

/**
 * Counts a finished run. Everything that did not pass has failed: a test that was skipped or never ran, a file or hook
 * that threw, an uncaught error, a run without a test.
 * @param selected whether the run was narrowed to some tests by name (`-t`), so that the others were skipped on purpose
 */
export function tally(modules: readonly TestModule[], uncaught: number, selected = false): Tally {
  const counts = { passed: 0, failed: uncaught }
  for (const module of modules) {
    let failed = 0
    for (const test of module.children.allTests()) {
      const { state } = test.result()
      if (state === 'passed') counts.passed++
      else if (!(selected && state === 'skipped')) failed++
    }
    counts.failed += failed === 0 && module.state() === 'failed' ? 1 : failed
  }
  if (counts.passed + counts.failed === 0) counts.failed = 1
  return counts
}
