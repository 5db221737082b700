// A real browser, Chromium from its npm package, driven by the DevTools protocol.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import chromium, { inflate } from '@sparticuz/chromium'
import { afterAll } from 'vitest'
import { WebSocket } from 'ws'
import { until } from './until.ts'

type Reply = { id?: number; result?: unknown; error?: { message: string } }
type Send = <Result>(method: string, params?: object) => Promise<Result>

const switches = ['--headless=shell', '--no-sandbox', '--no-zygote', '--disable-gpu', '--remote-debugging-port=0']

export type Page = {
  /** Opens an address in the same tab. */
  open(address: string): Promise<void>
  /** The value of an expression in the page. */
  read<Value>(expression: string): Promise<Value>
  /** Waits until an expression in the page is true, and returns its value. */
  wait<Value>(expression: string): Promise<Value>
}

/** Starts a browser with one tab. It ends after the last test of the file. */
export async function startBrowser(): Promise<Page> {
  const profile = mkdtempSync(join(tmpdir(), 'kith-browser-'))
  const path = await chromium.executablePath()
  // libraries that the machine may lack
  const packed = new URL('../bin/al2023.tar.br', import.meta.resolve('@sparticuz/chromium'))
  const libraries = join(await inflate(fileURLToPath(packed)), 'lib')
  const child = spawn(path, [...switches, `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, LD_LIBRARY_PATH: libraries },
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  let said = ''
  child.stderr.on('data', (chunk) => {
    said += chunk
  })
  process.once('exit', () => child.kill()) // if the file fails before its tests, nothing after them runs
  afterAll(async () => {
    child.kill()
    await ended
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  })
  const address = await until(() => /ws:\/\/\S+/.exec(said)?.[0])
  const socket = new WebSocket(address)
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  const send = talkOver(socket)
  const { targetId } = await send<{ targetId: string }>('Target.createTarget', { url: 'about:blank' })
  const { sessionId } = await send<{ sessionId: string }>('Target.attachToTarget', { targetId, flatten: true })
  return pageOf((method, params) => send(method, params, sessionId))
}

function talkOver(socket: WebSocket) {
  const waiting = new Map<number, (reply: Reply) => void>()
  let last = 0
  socket.on('message', (data) => {
    const reply: Reply = JSON.parse(String(data))
    if (reply.id !== undefined) waiting.get(reply.id)?.(reply)
  })
  return async <Result>(method: string, params: object = {}, sessionId?: string): Promise<Result> => {
    const id = ++last
    const { result, error } = await new Promise<Reply>((resolve) => {
      waiting.set(id, resolve)
      socket.send(JSON.stringify({ id, method, params, sessionId }))
    })
    waiting.delete(id)
    if (error) throw new Error(`${method}: ${error.message}`)
    return result as Result
  }
}

type Evaluated = { result: { value?: unknown }; exceptionDetails?: { exception?: { description?: string } } }

function pageOf(send: Send): Page {
  const read = async <Value>(expression: string): Promise<Value> => {
    const { result, exceptionDetails } = await send<Evaluated>('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    })
    if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description}`)
    return result.value as Value
  }
  return {
    read,
    async open(url) {
      // the same page with another fragment would not load again
      await send('Page.navigate', { url: 'about:blank' })
      await send('Page.navigate', { url })
    },
    wait: <Value>(expression: string) => until(() => read<Value>(expression)),
  }
}
