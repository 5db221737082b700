// Prints failures, skipped tests with the reason, and as its last line the number of each.
import type { SerializedError } from 'vitest'
import { MinimalReporter, type TestModule } from 'vitest/node'

export default class Reporter extends MinimalReporter {
  override onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]) {
    super.onTestRunEnd(modules, errors, 'passed')
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const left = tests.filter((test) => test.result().state === 'skipped')
    for (const test of left) {
      const result = test.result()
      const reason = 'note' in result ? result.note : undefined
      this.log(`left out: ${test.module.relativeModuleId} > ${test.fullName}: ${reason ?? 'no reason given'}`)
    }
    const passed = tests.filter((test) => test.result().state === 'passed').length
    const broken = modules.filter((module) => module.state() === 'failed' && module.errors().length > 0).length
    const failed = tests.length - passed - left.length + broken + errors.length
    this.log(`${passed} passed, ${failed} failed, ${left.length} left out`)
    if (failed > 0 || passed === 0) process.exitCode = 1
  }
}
