// The order of the test files. What takes longest begins first: at the end of a run it would keep one process busy and
// the others idle. The rest goes as Vitest has it, by its last run or by size.
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const longest = [
  'test/model/crash.test.ts',
  'test/db.test.ts',
  'test/start.test.ts',
  'test/api/identity/email.test.ts',
  'test/model/bounds.test.ts',
  'test/model/audience.test.ts',
  'test/api/base/ddl.test.ts',
  'test/model/visibility.test.ts',
]

export default class Order extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId, project }: TestSpecification) => {
      const found = longest.indexOf(relative(project.config.root, moduleId))
      return found < 0 ? longest.length : found
    }
    return (await super.sort(files)).sort((one, other) => place(one) - place(other))
  }
}
