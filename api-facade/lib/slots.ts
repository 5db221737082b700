// Slots for long work: a process has a limited number, and a person holds one of them at a time.
import { ApiError } from './errors.ts'

/**
 * Takes a slot. @returns a function that frees it and can be called repeatedly. @throws ApiError rate_limited if none is
 * free
 */
export type Slots = (person: string) => () => void

export function createSlots(most: number): Slots {
  const taken = new Set<string>()
  return (person) => {
    if (taken.size >= most || taken.has(person)) {
      throw new ApiError('rate_limited', undefined, { headers: { 'Retry-After': '30' } })
    }
    taken.add(person)
    let held = true
    return () => {
      if (held) taken.delete(person)
      held = false
    }
  }
}
