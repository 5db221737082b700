// Registering as people do, through the API: code, reservation, registration.
import { known } from './names.ts'
import { Person } from './person.ts'

/** A registered person: what a Person consists of besides the address. */
export type Known = Pick<Person, 'token' | 'email' | 'password' | 'username' | 'actorId'>

type Codes = { items: { code: string }[] }
type Reserved = { sessionId: string }
type Registered = { accessToken: string }
type Me = { username: string; actorId: string }

/** The registration form without the reservation. It results in the username `name`. */
export function applicant(name: string) {
  return {
    email: `${known(name)}@example.org`,
    password: `${name} has a password`,
    firstName: name,
    lastName: '例', // a script that adds nothing to the username
    dateOfBirth: '1990-01-31',
    country: 'DE',
    city: 'Berlin',
  }
}

/** The body of an answer that must be a success: otherwise the world differs from what the tests expect. */
function must<Body>(answer: { status: number; text: string; body: Body }): Body {
  if (answer.status >= 300) throw new Error(`could not make the world: ${answer.status} ${answer.text}`)
  return answer.body
}

async function register(door: Person, name: string, code: string): Promise<Person> {
  const form = applicant(name)
  const { sessionId } = must(await door.post<Reserved>('/auth/reserve-invite', { code }))
  const { accessToken } = must(await door.post<Registered>('/auth/register', { sessionId, ...form }))
  return Object.assign(door.withToken(accessToken), { email: form.email, password: form.password })
}

/** Reads the person's username and ids, and returns a client of `url` for them. */
export async function settle(person: Person, url: string): Promise<Person> {
  const { username, actorId } = must(await person.get<Me>('/me'))
  const { email, password, suffix } = person
  return Object.assign(new Person(url, person.token), { email, password, username, actorId, suffix })
}

/** Registers people invited by `doorkeeper`, an admin, and returns them as clients of `url`. */
export async function letIn(doorkeeper: Person, names: readonly string[], url = doorkeeper.base): Promise<Person[]> {
  const { items } = must(await doorkeeper.post<Codes>('/admin/invite-codes/generate', { count: names.length }))
  const door = doorkeeper.withToken(undefined)
  return Promise.all(names.map(async (name, at) => settle(await register(door, name, items[at]?.code ?? ''), url)))
}
