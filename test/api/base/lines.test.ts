// Log lines are buffered before they are written: all of them arrive complete and in order, however the process ends.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../../support/until.ts'

const lib = join(import.meta.dirname, '../../../api-facade/lib')

/** Runs a program that has a `log`, and collects what it prints. */
function run(program: string) {
  const text = `
    import { readConfig } from '${lib}/config.ts'
    import { createLog } from '${lib}/log.ts'
    const log = createLog(readConfig({}))
    ${program}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', text], { stdio: ['ignore', 'pipe', 'pipe'] })
  const seen = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    seen.out += part
  })
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    seen.err += part
  })
  return { child, seen, closed: once(child, 'close') }
}

const numbers = (out: string) => out.split('\n').flatMap((line) => (line ? [JSON.parse(line).n] : []))
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n)

test.each([
  ['has nothing more to do', '', 0],
  ['calls process.exit', 'process.exit(3)', 3],
  ['had an uncaught error', "setTimeout(() => { throw new Error('uncaught') })", 1],
  ['had an unhandled rejection', "Promise.reject(new Error('uncaught'))", 1],
])(
  'All lines are written when the process ends because it %s',
  async (_why, end, code) => {
    const { seen, closed } = run(`for (let n = 0; n < 320; n++) log.info({ n, long: 'é'.repeat(n * 20) })\n${end}`)
    expect(await closed).toEqual([code, null])
    expect(numbers(seen.out)).toEqual(upTo(320))
    expect(seen.err.includes('Error: uncaught')).toBe(code === 1)
  },
  60_000,
)

test('A line is written while the process keeps running', async () => {
  const { child, seen, closed } = run('log.info({ n: 0 })\nsetTimeout(() => {}, 120_000)')
  await until(() => seen.out.endsWith('\n'), { timeout: 60_000 })
  expect(numbers(seen.out)).toEqual([0])
  child.kill('SIGKILL')
  await closed
}, 70_000)
