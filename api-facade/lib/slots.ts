// Places for what takes long: so many at once in a process, and one a person.
import { ApiError } from './errors.ts'

/** Takes a place. @returns what frees it, once or more. @throws ApiError rate_limited where there is none */
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
