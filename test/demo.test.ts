// Tests the story of `npm run demo`.
import { test } from 'vitest'
import { play } from './demo/story.ts'
import { ADMIN } from './support/settings.ts'
import { world } from './support/world.ts'

const { url } = await world({ people: [] })

test('The demo story works from an invite code to a payment', async () => {
  await play({ url, admin: ADMIN, print: () => {} })
})
