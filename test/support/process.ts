// An instance in its own process: `node api-facade/main.ts`.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** The address that the instance prints once it listens. @throws Error with its output if it exits before */
export async function address(instance: ChildProcess): Promise<string> {
  let printed = ''
  for await (const chunk of instance.stdout ?? []) {
    printed += chunk
    const [, url] = /Kith is at (\S+),/.exec(printed) ?? []
    if (url) return url
  }
  throw new Error(`The instance did not start.\n${printed}`)
}

/** Stops the instance properly and waits for its end. */
export async function ended(instance: ChildProcess): Promise<void> {
  if (instance.exitCode !== null || instance.signalCode !== null) return
  const exit = once(instance, 'exit')
  instance.kill('SIGTERM')
  await exit
}
