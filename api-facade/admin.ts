// npm run admin -- --email=<address> [--reset | --remove-factors]: makes an admin, sets a password, or removes factors.
// docs/operation.md, Admins.
import { parseArgs } from 'node:util'
import type { Sql } from 'postgres'
import { checkMigrations, explained, newPassword } from './boot.ts'
import { readConfig } from './lib/config.ts'
import { openOwner } from './lib/database.ts'
import { environment } from './lib/environment.ts'
import { hashPassword } from './lib/passwords.ts'
import { z } from './lib/schemas.ts'
import { reachDatabase } from './reach.ts'

const usage = 'npm run admin -- --email=<address> [--reset | --remove-factors]'

const say = (line: string) => process.stdout.write(`${line}\n`)

type Result = 'created' | 'appointed' | 'unchanged' | 'banned' | 'unverified'

async function makeAdmin(sql: Sql, email: string): Promise<void> {
  const password = newPassword()
  const hash = await hashPassword(password)
  const [row] = await sql<{ result: Result }[]>`
    select private.make_admin(${email}, ${hash}) ->> 'result' as result`
  switch (row?.result) {
    case 'created':
      say(`${email} is a new admin. Their password, shown only once: ${password}`)
      break
    case 'appointed':
      say(`${email} is an admin now, and must log in again. The password is the same.`)
      break
    case 'unchanged':
      say(`${email} is an admin already. Nothing was changed. With --reset they get a new password.`)
      break
    case 'banned':
      throw new Error(`${email} is banned. End the ban first (POST /admin/users/{id}/unban).`)
    default:
      throw new Error(
        `${email} has not been verified, so it is unknown who registered it. Set a password with --reset first.`,
      )
  }
}

async function resetPassword(sql: Sql, email: string): Promise<void> {
  const password = newPassword()
  const hash = await hashPassword(password)
  const [row] = await sql<{ found: boolean }[]>`select private.set_password(${email}, ${hash}) as found`
  if (!row?.found) throw new Error(`Nobody has the address ${email}. Without --reset an admin is created.`)
  say(`${email} has a new password, shown only once: ${password}`)
  say('They are logged out everywhere.')
}

async function removeFactors(sql: Sql, email: string): Promise<void> {
  const [row] = await sql<{ found: boolean }[]>`select private.remove_factors(${email}) as found`
  if (!row?.found) throw new Error(`Nobody has the address ${email}, or they have no second factor.`)
  say(`${email} has no second factor any more, and is logged out everywhere. They were told by mail.`)
}

type Work = (sql: Sql, email: string) => Promise<void>

function parse(): { email: string; work: Work } {
  const options = {
    email: { type: 'string' },
    reset: { type: 'boolean' },
    'remove-factors': { type: 'boolean' },
  } as const
  try {
    const { email, reset, 'remove-factors': remove } = parseArgs({ options }).values
    if (reset && remove) throw new Error('Use --reset or --remove-factors, not both')
    return { email: z.email().parse(email), work: remove ? removeFactors : reset ? resetPassword : makeAdmin }
  } catch (cause) {
    throw new Error(usage, { cause })
  }
}

async function main(): Promise<void> {
  const { email, work } = parse()
  const config = readConfig(environment)
  const { databaseUrl } = await reachDatabase(config)
  const sql = openOwner(config.databaseDirectUrl ?? databaseUrl)
  try {
    await checkMigrations(sql)
    await work(sql, email)
  } finally {
    await sql.end()
  }
}

await main().catch((failure: unknown) => {
  const error = explained(failure)
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
})
