// What the operator says about the instance: /web/instance.json of the facade.
import { signal } from '../lib/html.ts'

type Instance = {
  domain: string
  /** What the instance is; empty if the operator wrote nothing. */
  about: string
  hasRules: boolean
  hasPrivacy: boolean
  apps: { name: string; url: string }[]
  /** The codes of the countries that a person may name. */
  countries: string[]
}

export const instance = signal<Instance | undefined>(undefined)

async function read(): Promise<void> {
  const answer = await fetch('/web/instance.json')
  if (answer.ok) instance.value = await answer.json()
}
// without it the pages lack the name of the instance, and the form for joining waits
void read().catch(() => undefined)

/** A text of the operator; empty if there is none. */
export async function textOf(name: 'rules' | 'privacy'): Promise<string> {
  const answer = await fetch(`/web/${name}.txt`)
  if (!answer.ok) throw new Error(String(answer.status))
  return answer.text()
}
