// An instance as a process of its own: `node api-facade/main.ts`.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** The address that the instance prints once it listens. @throws Error with what it printed when it ends before */
export async function address(instance: ChildProcess): Promise<string> {
  let printed = ''
  for await (const chunk of instance.stdout ?? []) {
    printed += chunk
    const [, url] = /Kith is at (\S+),/.exec(printed) ?? []
    if (url) return url
  }
  throw new Error(`The instance did not start.\n${printed}`)
}

/** Ends the instance in an orderly way and waits for it. */
export async function ended(instance: ChildProcess): Promise<void> {
  if (instance.exitCode !== null || instance.signalCode !== null) return
  const exit = once(instance, 'exit')
  instance.kill('SIGTERM')
  await exit
}
