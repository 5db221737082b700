// node test/attacks/lockout.ts shows what strangers can prevent a victim from doing by using up the victim's limits,
// and how many invite codes they can guess. It starts its own instance with the limits of production, behind a proxy
// that supplies the addresses.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { address, ended } from '../support/process.ts'

const admin = { email: 'admin@example.org', password: 'the admin keeps a secret' }
const PASSWORDS = 45
const REFRESHES = 45
const GUESSERS = 100

type Answer = { status: number; headers: Headers; body: Record<string, string> }
const say = (line: string) => process.stdout.write(`${line}\n`)
const figure = (count: number | undefined, tries: number) => (count === undefined ? `never in ${tries}` : `${count}`)

let addresses = 0
const somewhere = () => `198.18.${addresses >> 8}.${addresses++ & 255}`

async function attack(url: string): Promise<void> {
  async function ask(method: string, path: string, from: string, body: object, token?: string): Promise<Answer> {
    const headers = {
      'Content-Type': 'application/json',
      'X-Forwarded-For': from,
      ...(token && { Authorization: `Bearer ${token}` }),
    }
    const response = await fetch(`${url}/api/v1${path}`, { method, headers, body: JSON.stringify(body) })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : {} }
  }
  const logIn = (more: object = {}) => ask('POST', '/auth/login', somewhere(), { ...admin, ...more })

  /** Repeats a stranger's request. @returns after how many requests the victim is rejected */
  async function until(tries: number, stranger: () => Promise<Answer>, victim: () => Promise<Answer>) {
    for (let n = 1; n <= tries; n++) {
      await stranger()
      if ((await victim()).status === 429) return n
    }
    return undefined
  }

  const { accessToken, deviceToken, refreshToken } = (await logIn({ session: 'rotating' })).body
  const wrong = () => logIn({ password: 'wrong' })
  const login = await until(PASSWORDS, wrong, () => logIn({ deviceToken }))
  say(`wrong passwords by strangers until the victim is rejected at login: ${figure(login, PASSWORDS)}`)

  const shared = somewhere()
  const bogus = () => ask('POST', '/identity/refresh', shared, { refreshToken: 'x' })
  for (let n = 0; n < REFRESHES; n++) await bogus()
  const refreshed = await ask('POST', '/identity/refresh', shared, { refreshToken })
  say(`after ${REFRESHES} refreshes with a bogus token, a session at the same address gets: ${refreshed.status}`)

  for (let n = 0; n < 12; n++) await wrong()
  const change = { currentPassword: admin.password, newPassword: `${admin.password} better` }
  const changed = await ask('PATCH', '/identity/me/password', somewhere(), change, accessToken)
  say(`after 12 wrong passwords by strangers, changing the password in a session gets: ${changed.status}`)

  const staff = changed.body.accessToken ?? accessToken
  const made = await ask('POST', '/admin/invite-codes/generate', somewhere(), { count: 1 }, staff)
  const [{ code }] = made.body.items as unknown as [{ code: string }]
  const guessed = await Promise.all(
    Array.from({ length: GUESSERS }, async () => {
      const from = somewhere()
      let answered = 0
      for (let n = 0; n < 10; n++)
        if ((await ask('POST', '/auth/reserve-invite', from, { code: 'INV-ZZZZZZ' })).status === 404) answered++
      return answered
    }),
  )
  const guesses = guessed.reduce((sum, one) => sum + one)
  const start = Date.now()
  const guest = somewhere()
  let reserved = await ask('POST', '/auth/reserve-invite', guest, { code })
  while (reserved.status === 429) {
    await sleep(Number(reserved.headers.get('retry-after')) * 1000)
    reserved = await ask('POST', '/auth/reserve-invite', guest, { code })
  }
  const waited = Math.round((Date.now() - start) / 1000)
  say(`guesses of invite codes that ${GUESSERS} addresses get answered in a minute: ${guesses} of ${GUESSERS * 10};`)
  say(`then a new address with a valid code gets ${reserved.status} after ${waited} s`)
}

const dataDir = mkdtempSync(join(tmpdir(), 'kith-attack-'))
const instance = spawn(process.execPath, [join(import.meta.dirname, '../../api-facade/main.ts')], {
  env: {
    ...process.env,
    DATA_DIR: dataDir,
    PORT: '0',
    ADMIN_EMAIL: admin.email,
    ADMIN_PASSWORD: admin.password,
    TRUSTED_PROXY_HOPS: '1',
    LOG_LEVEL: 'fatal',
  },
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  await attack(await address(instance))
} finally {
  await ended(instance)
  rmSync(dataDir, { recursive: true, force: true })
}
