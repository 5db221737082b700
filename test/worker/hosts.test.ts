// A worker with several hosts and a check of certificates: the certificate must name the host to which it connects.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../api-facade/lib/config.ts'
import { startWorker } from '../../api-facade/worker/worker.ts'
import { giveToServer } from '../../supabase/embedded/cluster.ts'
import { localhost } from '../support/certificate.ts'
import { ownPrimary } from '../support/replicated.ts'
import { environment } from '../support/settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'kith-hosts-'))
chmodSync(folder, 0o711)
afterAll(() => rmSync(folder, { recursive: true }))
/** A file that only the server's account can read. */
function serverFile(name: string, text: string): string {
  const file = join(folder, name)
  writeFileSync(file, text, { mode: 0o600 })
  giveToServer(file)
  return file
}
const primary = await ownPrimary({
  ...{ ssl: 'on', ssl_cert_file: serverFile('cert', localhost.cert), ssl_key_file: serverFile('key', localhost.key) },
})
const before = getCACertificates()
setDefaultCACertificates([...before, localhost.cert])
afterAll(() => setDefaultCACertificates(before))

const NOBODY = '127.0.0.1:1'
describe.each(['sslmode=verify-full', 'ssl=true'])('With %s', (check) => {
  const start = (host: string) => {
    const hosts = `${NOBODY},${host}:${primary.port}`
    const databaseUrl = `${primary.url().replace(`127.0.0.1:${primary.port}`, hosts)}?${check}`
    return startWorker({ config: readConfig(environment(databaseUrl)), databaseUrl })
  }

  test('a worker connects to a host that its certificate names', async () => {
    await (await start('localhost')).stop()
  })

  test('a worker does not connect to a host that its certificate does not name', async () => {
    await expect(start('127.0.0.1')).rejects.toThrow(/127\.0\.0\.1/)
  })
})
