// The data of a page: whether it is loading, what was loaded, or why that failed.
import { type ReadonlySignal, type Signal, useEffect, useSignal } from './html.ts'

export type Loaded<T> = {
  data: ReadonlySignal<T | undefined>
  error: ReadonlySignal<unknown>
  isLoading: ReadonlySignal<boolean>
  /** Reads again. The page shows the old data until the answer arrives. */
  reload(): Promise<void>
  /** Changes what is shown without reading it again, for example after an action that answered with the new state. */
  set(data: T): void
}

/** Reads when the component appears, and again when one of `keys` changes. Only the answer to the last read is used. */
export function useLoad<T>(read: () => Promise<T>, keys: readonly unknown[]): Loaded<T> {
  const data: Signal<T | undefined> = useSignal<T | undefined>(undefined)
  const error = useSignal<unknown>(undefined)
  const isLoading = useSignal(true)
  const turn = useSignal(0)
  const reload = async () => {
    const mine = turn.peek() + 1
    turn.value = mine
    isLoading.value = true
    try {
      const found = await read()
      if (turn.peek() !== mine) return
      data.value = found
      error.value = undefined
    } catch (failure) {
      if (turn.peek() !== mine) return
      error.value = failure
    }
    isLoading.value = false
  }
  useEffect(() => {
    data.value = undefined
    void reload()
  }, keys)
  return {
    data,
    error,
    isLoading,
    reload,
    set: (found) => {
      data.value = found
    },
  }
}
