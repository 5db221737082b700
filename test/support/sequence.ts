// The order of the test files. The longest files begin first, because at the end of a run they would keep one process
// busy while the others are idle. The other files run in Vitest's order, by last duration or by size.
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const longest = [
  'test/start.test.ts',
  'test/new.test.ts',
  'test/frozen.test.ts',
  'test/backup.test.ts',
  'test/db.test.ts',
  'test/upgrade-postgres.test.ts',
  'test/prepare.test.ts',
  'test/run.test.ts',
  'test/rotation.test.ts',
  'test/generated.test.ts',
  'test/api/base/docs.test.ts',
  'test/model/crash.test.ts',
  'test/model/consistency/consistency.test.ts',
  'test/api/identity/devices.test.ts',
  'test/upgrade.test.ts',
  'test/api/base/pools.test.ts',
  'test/model/visibility.test.ts',
  'test/model/audience.test.ts',
  'test/model/bans.test.ts',
  'test/worker/embeddings.test.ts',
  'test/realtime/revoked.test.ts',
  'test/worker/batches.test.ts',
  'test/model/feed.test.ts',
  'test/worker/schedule.test.ts',
  'test/worker/inheritance.test.ts',
  'test/platform.test.ts',
  'test/model/effects.test.ts',
  'test/model/reputation.test.ts',
  'test/model/locks.test.ts',
  'test/api/base/ready.test.ts',
  'test/edge/link-preview.test.ts',
  'test/api/identity/logins.test.ts',
  'test/api/base/ddl.test.ts',
  'test/model/notified.test.ts',
  'test/data-folder.test.ts',
  'test/api/identity/export.test.ts',
  'test/api/base/facades.test.ts',
  'test/api/import/import.test.ts',
  'test/api/base/slow-clients.test.ts',
  'test/api/moderation/checkpoints.test.ts',
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
