// Prints only failures and what tests annotate, with SLOWEST=10 the ten slowest files, and as its very last line
// `N passed, N failed`.
import { writeSync } from 'node:fs'
import type { SerializedError } from 'vitest'
import { MinimalReporter, type TestModule, type TestRunEndReason, type Vitest } from 'vitest/node'
import { type Tally, tally } from './tally.ts'

/** The seconds that a file took: to load it, with what it starts at its top, and to run its tests. */
function secondsOf(module: TestModule): number {
  const { collectDuration, duration } = module.diagnostic()
  return (collectDuration + duration) / 1000
}

export default class Reporter extends MinimalReporter {
  #tally: Tally = { passed: 0, failed: 1 }

  override onInit(vitest: Vitest) {
    super.onInit(vitest)
    // This line is printed at exit rather than at the end of the run, because neither the teardown nor a run that never
    // began may print below it.
    process.once('exit', (code) => {
      const { passed, failed } = this.#tally
      if (failed > 0) process.exitCode = 1
      writeSync(1, `${passed} passed, ${failed || (code === 0 ? 0 : 1)} failed\n`)
    })
  }

  override onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[], reason: TestRunEndReason) {
    super.onTestRunEnd(modules, errors, reason)
    const selected = this.ctx.config.testNamePattern !== undefined
    this.#tally = tally(modules, errors.length, selected)
    if (reason === 'interrupted' && this.#tally.failed === 0) this.#tally.failed = 1
    for (const test of modules.flatMap((module) => [...module.children.allTests()])) {
      for (const { message } of test.annotations()) this.log(`${test.module.relativeModuleId}: ${message}`)
    }
    const slowest = [...modules].sort((one, other) => secondsOf(other) - secondsOf(one))
    for (const module of slowest.slice(0, Number(process.env.SLOWEST ?? 0)))
      this.log(`${secondsOf(module).toFixed(1)} s: ${module.relativeModuleId}`)
    if (selected) return
    for (const test of modules.flatMap((module) => [...module.children.allTests('skipped')])) {
      this.log(`skipped, so failed: ${test.module.relativeModuleId} > ${test.fullName}`)
    }
  }
}
