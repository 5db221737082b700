// Boot: what a start may write to a database that already has people, and when it refuses to start. Only the rejected
// starts run completely here, because a successful one sets the passwords of the pools, which all test databases
// share.
import { describe, expect, test } from 'vitest'
import {
  boot,
  checkMigrations,
  ensureFirstAdmin,
  type FirstAdmin,
  takeDomain,
  takeSecret,
  takeSetting,
} from '../../../api-facade/boot.ts'
import { type Config, readConfig } from '../../../api-facade/lib/config.ts'
import { createDatabase } from '../../support/database.ts'
import { environment, JWT_SECRET } from '../../support/settings.ts'
import { ownOnly } from '../../support/target.ts'

ownOnly('boots with its own settings')
const { url: databaseUrl, owner, superuser } = await createDatabase()
const start = (more: Record<string, string>) =>
  boot({ databaseUrl, config: readConfig(environment(databaseUrl, more)) })

describe('The instance’s domain', () => {
  const domain = async () =>
    (await owner<{ value: string }[]>`select value from app.settings where key = 'instance_domain'`)[0]?.value

  test('can change while there are no people beside the first admin', async () => {
    await takeDomain(owner, 'first.example')
    expect(await domain()).toBe('first.example')
    await takeDomain(owner, 'localhost')
    expect(await domain()).toBe('localhost')
  })

  test('can be changed only by the owner once there are people, and a start with another one fails', async () => {
    await owner`insert into app.users (username, first_name, last_name) values ('ada', 'Ada', 'Lima')`
    await expect(start({ INSTANCE_DOMAIN: 'second.example' })).rejects.toThrow(
      'INSTANCE_DOMAIN is second.example, but the people of this instance are named …@localhost.',
    )
    expect(await domain()).toBe('localhost')
    await takeDomain(owner, 'localhost')
    await owner`update app.settings set value = 'second.example' where key = 'instance_domain'`
    await takeDomain(owner, 'second.example')
    await expect(start({})).rejects.toThrow('Start with INSTANCE_DOMAIN=second.example.')
    await owner`update app.settings set value = 'localhost' where key = 'instance_domain'`
  })

  test('is in every address as soon as the setting changes, also after a restore, which runs no triggers', async () => {
    const named = async () => (await owner<{ domain: string }[]>`select private.domain() as domain`)[0]?.domain
    await superuser.begin(async (tx) => {
      await tx`set local session_replication_role = replica` // a restore calls no trigger
      await tx`update app.settings set value = 'dump.example' where key = 'instance_domain'`
    })
    expect(await named()).toBe('dump.example')
    await owner`update app.settings set value = 'localhost' where key = 'instance_domain'`
    expect(await named()).toBe('localhost')
  })
})

test.each([
  ['rate_limit_scale', '2.5', '1000000'],
  ['media_quota', '1048576', '5368709120'],
  ['media_url', 'https://media.example.org', 'http://localhost:0/api/v1/media/local'],
] as const)('A start stores %s in app.settings, where SQL reads it', async (key, value, before) => {
  const setting = async () =>
    (await owner<{ value: string }[]>`select value from app.settings where key = ${key}`)[0]?.value
  expect(await setting()).toBe(before)
  await takeSetting(owner, key, value)
  expect(await setting()).toBe(value)
  await takeSetting(owner, key, before)
})

describe('The secret', () => {
  const known = async () => (await owner`select fingerprint from private.jwt_fingerprint`).map((row) => row.fingerprint)
  const other = 'another secret, which is as long as one has to be'
  const take = (secret: string, { jwtSecretNext, jwtSecretPrevious }: Partial<Config> = {}) =>
    takeSecret(owner, secret, { jwtSecretNext, jwtSecretPrevious })

  test('of another instance is rejected at the start, and nothing is written', async () => {
    const before = await known()
    expect(before).toHaveLength(1)
    await expect(start({ JWT_SECRET: other })).rejects.toThrow('JWT_SECRET is not the secret of this instance.')
    await expect(start({ JWT_SECRET: other, JWT_SECRET_PREVIOUS: `${other}!` })).rejects.toThrow('JWT_SECRET_PREVIOUS')
    expect(await known()).toEqual(before)
  })

  test('can be replaced if the previous one is given, and changed back the same way', async () => {
    const before = await known()
    await take(other, { jwtSecretPrevious: JWT_SECRET })
    expect(await known()).not.toEqual(before)
    await take(other)
    await expect(start({})).rejects.toThrow('JWT_SECRET is not the secret of this instance.')
    await take(JWT_SECRET, { jwtSecretPrevious: other })
    expect(await known()).toEqual(before)
  })

  test('that is being replaced can start a process that has the next secret, without any change', async () => {
    const before = await known()
    await take(JWT_SECRET, { jwtSecretNext: other })
    expect(await known()).toEqual(before)
    await take(other, { jwtSecretPrevious: JWT_SECRET })
    const after = await known()
    await take(JWT_SECRET, { jwtSecretNext: other })
    expect(await known()).toEqual(after)
    await take(JWT_SECRET, { jwtSecretPrevious: other })
    expect(await known()).toEqual(before)
  })

  test('that is lost can be reset by the owner, who deletes its fingerprint', async () => {
    const before = await known()
    await owner`delete from private.jwt_fingerprint`
    await take(JWT_SECRET)
    expect(await known()).toEqual(before)
  })
})

describe('Migrations', () => {
  const versions = () => owner`select version from supabase_migrations.schema_migrations order by 1`

  test('that the database lacks prevent the start, with a message that says what to do', async () => {
    const before = await versions()
    await owner`update supabase_migrations.schema_migrations set version = 'x' || version`
    await expect(start({})).rejects.toThrow(
      / does not match .*(\n {2}The migration \d+ has not been applied: .*db push\.)+$/,
    )
    await owner`alter schema supabase_migrations rename to books`
    await expect(start({})).rejects.toThrow(
      /(has not been applied.*\n.*)+ npm run prepare-database -- <url> --migrate$/,
    )
    await owner`alter schema books rename to supabase_migrations`
    await owner`update supabase_migrations.schema_migrations set version = substr(version, 2)`
    expect(await versions()).toEqual(before)
    expect(await checkMigrations(owner)).toEqual([])
  })

  test('that were all applied do not permit the start if somebody changed a function', async () => {
    await owner`alter function private.release_reservations() set work_mem = '8MB'`
    await expect(start({})).rejects.toThrow(/ does not match .*\n.* its functions are not: .* npm run compare-schema/)
    await owner`alter function private.release_reservations() reset work_mem`
    expect(await checkMigrations(owner)).toEqual([])
  })

  test('that the code does not contain produce a warning and do not prevent the start', async () => {
    await owner`insert into supabase_migrations.schema_migrations (version) values ('29990101000000')`
    expect(await checkMigrations(owner)).toEqual([expect.stringMatching(/ 29990101000000, .* newer code\.$/)])
    await owner`delete from supabase_migrations.schema_migrations where version = '29990101000000'`
  })
})

describe('The first admin', () => {
  const admins = async () => (await owner<{ id: string }[]>`select id from app.users where role = 'admin'`).length

  test('is created only after its password was shown', async () => {
    await owner`update app.users set role = 'user' where role = 'admin'`
    const { ADMIN_PASSWORD: _, ...env } = environment(databaseUrl, { ADMIN_EMAIL: 'second@example.org' })
    const config = readConfig(env)
    const fail = () => {
      throw new Error('nobody hears')
    }
    await expect(ensureFirstAdmin(owner, config, fail)).rejects.toThrow('nobody hears')
    expect(await admins()).toBe(0)
    const told: FirstAdmin[] = []
    await ensureFirstAdmin(owner, config, (admin) => told.push(admin))
    await ensureFirstAdmin(owner, config, (admin) => told.push(admin))
    expect(told).toEqual([
      { email: 'second@example.org', password: expect.stringMatching(/^\S{16}$/), inviteCodes: expect.any(Array) },
    ])
    expect(await admins()).toBe(1)
  })

  test('is not changed by later settings, and a start says that they are ignored', async () => {
    const warnings = (more: Record<string, string>) => ensureFirstAdmin(owner, readConfig({ ...more }))
    await owner`update app.users set role = 'user' where role = 'admin'`
    const [ADMIN_EMAIL, ADMIN_PASSWORD] = ['third@example.org', 'the third one']
    expect(await warnings({ ADMIN_EMAIL, ADMIN_PASSWORD })).toEqual([])
    expect(await warnings({})).toEqual([])
    expect(await warnings({ ADMIN_EMAIL: 'Third@example.org', ADMIN_PASSWORD })).toEqual([])
    const ignored = [expect.stringMatching(/^ADMIN_EMAIL and ADMIN_PASSWORD are ignored, .* npm run admin -- --email=/)]
    expect(await warnings({ ADMIN_EMAIL: 'fourth@example.org', ADMIN_PASSWORD })).toEqual(ignored)
    expect(await warnings({ ADMIN_EMAIL, ADMIN_PASSWORD: 'another one' })).toEqual(ignored)
    expect(await warnings({ ADMIN_PASSWORD })).toEqual(ignored)
  })
})
