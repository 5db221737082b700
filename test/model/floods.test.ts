// Nobody empties the first page of others with rows that these may not see: each list meets floods that are hidden in
// every way, and still has the honest row behind them. docs/limits.md; docs/decisions.md, Lists.
import { describe, expect, test } from 'vitest'
import { createDatabase } from '../support/database.ts'
import { openGround } from '../support/floods.ts'
import { contentFloods, contentKinds } from './floods/contents.ts'

const database = await createDatabase()
const { owner } = database
const ground = await openGround(database)
const floods = [...contentFloods]

test.each(floods)(
  '$operation has its first page against $against',
  async ({ operation, scene }) => {
    const { asked, honest, viewer = ground.stranger } = await scene(ground)
    const empty = []
    for (const parameters of asked)
      if (!(await ground.ask(viewer, operation, parameters)).includes(honest)) empty.push(parameters)
    expect(empty).toEqual([])
  },
  20_000,
)

describe('no list is missing', () => {
  test('every kind of contents takes part', async () => {
    const kinds = await owner<{ kind: string }[]>`select kind from private.content_kinds order by kind collate "C"`
    expect([...contentKinds].sort()).toEqual(kinds.map(({ kind }) => kind))
  })
})
