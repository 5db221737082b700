// npm run demo: starts a fresh instance, plays story.ts against it, and prints a transcript.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { address, ended } from '../support/process.ts'
import { play } from './story.ts'

const admin = { email: 'admin@example.org', password: 'the admin keeps a secret' }

const dataDir = mkdtempSync(join(tmpdir(), 'kith-demo-'))
const instance = spawn(process.execPath, [join(import.meta.dirname, '../../api-facade/main.ts')], {
  env: {
    ...process.env,
    DATA_DIR: dataDir,
    PORT: '0',
    ADMIN_EMAIL: admin.email,
    ADMIN_PASSWORD: admin.password,
    LOG_LEVEL: 'warn',
    RATE_LIMIT_SCALE: '100', // a scripted story makes requests faster than people do
  },
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  await play({ url: await address(instance), admin, print: (line) => process.stdout.write(`${line}\n`) })
} finally {
  await ended(instance)
  rmSync(dataDir, { recursive: true, force: true })
}
