// The names of interests, for lists whose answers have only their ids and slugs. They are read once, when the first of
// these lists is shown.
import { attempt } from '../lib/errors.ts'
import { signal } from '../lib/html.ts'
import { kith } from './session.ts'

type Branch = { id: string; name: string; children: Branch[] }

const names = signal<Record<string, string>>({})
let isAsked = false

const flat = (branches: Branch[]): [string, string][] =>
  branches.flatMap(({ id, name, children }) => [[id, name] as [string, string], ...flat(children)])

/** The name of an interest; its slug while the names are not there. */
export function interestText(id: string, slug: string): string {
  if (!isAsked) {
    isAsked = true
    void attempt(async () => {
      const { items } = await kith.get('/interests/catalog')
      names.value = Object.fromEntries(flat(items as Branch[]))
    })
  }
  return names.value[id] ?? slug
}
