// The names of interests, for lists whose answers have only their ids and slugs. They are read when the first of these
// lists is shown, and once more after a change of an interest or a failure.
import { notifyError } from '../lib/errors.ts'
import { signal } from '../lib/html.ts'
import { kith } from './session.ts'

type Branch = { id: string; name: string; children: Branch[] }

const names = signal<Record<string, string>>({})
let isAsked = false

const flat = (branches: Branch[]): [string, string][] =>
  branches.flatMap(({ id, name, children }) => [[id, name] as [string, string], ...flat(children)])

async function read(): Promise<void> {
  try {
    const { items } = await kith.get('/interests/catalog')
    names.value = Object.fromEntries(flat(items as Branch[]))
  } catch (error) {
    forgetNames()
    notifyError(error)
  }
}

/** Makes the next use of a name load the names again. The old names are shown until the new ones are loaded. */
export function forgetNames(): void {
  isAsked = false
}

/** The name of an interest; its slug until the names are loaded. */
export function interestText(id: string, slug: string): string {
  if (!isAsked) {
    isAsked = true
    void read()
  }
  return names.value[id] ?? slug
}
