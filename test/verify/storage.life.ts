// Runs the media tests against the storage that npm run verify:storage got.
import { describe } from 'vitest'
import { mediaLife } from '../support/media-life.ts'
import type { StorageSettings } from '../support/storage-settings.ts'
import { world } from '../support/world.ts'

const settings: StorageSettings = JSON.parse(process.env.KITH_STORAGE ?? '')
const { alice, bob, database } = await world({ people: ['alice', 'bob'] })

describe(`With the storage at ${settings.STORAGE_URL}`, async () => {
  await mediaLife({ settings, database, alice, bob })
})
