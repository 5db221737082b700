// Whether the screen has room for a menu at its side. The styles of the panel and of the web client have the same bound.
import { type ReadonlySignal, signal } from './html.ts'

const wide = matchMedia('(min-width: 50.01rem)')
const current = signal(wide.matches)
wide.addEventListener('change', () => {
  current.value = wide.matches
})

export const isWide: ReadonlySignal<boolean> = current
