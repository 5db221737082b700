// The example configurations of docs/run, changed only where a test needs other ports, addresses and certificates.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loopback } from './certificate.ts'
import { until } from './until.ts'

/** Where the proxy listens, and its two facades; Caddy uses only the first. */
type Ports = { plain: number; tls: number; facade: string; second: string }
type Proxy = {
  name: string
  example: string
  /** The configuration, and the command that runs it in the foreground. `folder` has cert.pem, key.pem and both.pem. */
  prepare(example: string, ports: Ports, folder: string): { config: string; command: (file: string) => string[] }
}

/** Replaces a text that the example must contain. */
function swap(text: string, pairs: [string | RegExp, string][]): string {
  return pairs.reduce((now, [from, to]) => {
    const then = now.replaceAll(typeof from === 'string' ? from : new RegExp(from, 'g'), to)
    if (then === now) throw new Error(`the example does not contain ${from}`)
    return then
  }, text)
}

export const proxies: Proxy[] = [
  {
    name: 'nginx',
    example: 'docs/run/nginx.conf',
    prepare(example, { plain, tls, facade, second }, folder) {
      const site = swap(example, [
        ['127.0.0.1:8787', facade],
        ['127.0.0.1:8788', second],
        [/ {4}listen \[::\].*\n/, ''],
        ['listen 80;', `listen 127.0.0.1:${plain};`],
        ['listen 443 ', `listen 127.0.0.1:${tls} `],
        [/\/etc\/letsencrypt\/\S+\/fullchain.pem/, join(folder, 'cert.pem')],
        [/\/etc\/letsencrypt\/\S+\/privkey.pem/, join(folder, 'key.pem')],
      ])
      const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      const config = `daemon off; pid ${folder}/pid; error_log ${folder}/log; events {}
http { access_log off;
${paths.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n')}
${site} }`
      return { config, command: (file) => ['nginx', '-c', file, '-p', folder] }
    },
  },
  {
    name: 'Caddy',
    example: 'docs/run/Caddyfile',
    prepare(example, { plain, tls, facade }, folder) {
      const site = swap(example, [
        ['{$SITE:kith.example} {', `https://127.0.0.1:${tls} {\n\ttls ${folder}/cert.pem ${folder}/key.pem`],
        ['{$KITH:127.0.0.1:8787}', facade],
      ])
      const config = `{\n\tadmin off\n\thttp_port ${plain}\n\thttps_port ${tls}\n}\n${site}`
      return { config, command: (file) => ['caddy', 'run', '--config', file, '--adapter', 'caddyfile'] }
    },
  },
  {
    name: 'HAProxy',
    example: 'docs/run/haproxy.cfg',
    prepare(example, { plain, tls, facade, second }, folder) {
      const config = swap(example, [
        ['bind :::80 v4v6', `bind 127.0.0.1:${plain}`],
        ['bind :::443 v4v6', `bind 127.0.0.1:${tls}`],
        ['/etc/haproxy/certs/kith.example.pem', join(folder, 'both.pem')],
        ['127.0.0.1:8787', facade],
        ['127.0.0.1:8788', second],
        // /ready is 503 if the database needs half a second, as on a busy machine that runs tests
        ['uri /ready', 'uri /health'],
      ])
      return { config, command: (file) => ['haproxy', '-db', '-f', file] }
    },
  },
]

// Debian has servers in sbin, which only root's PATH contains
const PATH = `${process.env.PATH}:/usr/sbin`

/** Whether a program is installed here. */
export const isInstalled = (program: string): boolean =>
  spawnSync('sh', ['-c', `command -v ${program.toLowerCase()}`], { env: { PATH } }).status === 0

const listens = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = createConnection(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

/** Runs a proxy with its example in front of a facade. @throws Error with the output of the proxy if it ends */
export async function startProxy({ example, prepare }: Proxy, ports: Ports) {
  const folder = mkdtempSync(join(tmpdir(), 'kith-proxy-'))
  chmodSync(folder, 0o711) // as root, nginx gives its own folders in there to another account
  writeFileSync(join(folder, 'cert.pem'), `${loopback.cert}\n`)
  writeFileSync(join(folder, 'key.pem'), `${loopback.key}\n`, { mode: 0o600 })
  writeFileSync(join(folder, 'both.pem'), `${loopback.cert}\n${loopback.key}\n`, { mode: 0o600 })
  const { config, command } = prepare(readFileSync(example, 'utf8'), ports, folder)
  const file = join(folder, 'config')
  writeFileSync(file, config)
  const [program = '', ...args] = command(file)
  const env = { PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
  const running: ChildProcess = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  running.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const exit = once(running, 'exit')
  await until(() => running.exitCode !== null || listens(ports.tls))
  if (running.exitCode !== null) throw new Error(`${program} has ended: ${said}`)
  return {
    stop: async () => {
      running.kill('SIGTERM')
      await exit
      rmSync(folder, { recursive: true })
    },
  }
}
