// Coming in as people do, through the API: code, reservation, registration.
import { known } from './names.ts'
import { Person } from './person.ts'

/** Somebody who is there: what a Person is made of besides an address. */
export type Known = Pick<Person, 'token' | 'email' | 'password' | 'username' | 'actorId'>

type Codes = { items: { code: string }[] }
type Reserved = { sessionId: string }
type Registered = { accessToken: string }
type Me = { username: string; actorId: string }

/** What registering needs besides the reservation. The username that it makes is the name. */
export function applicant(name: string) {
  return {
    email: `${known(name)}@example.org`,
    password: `${name} has a password`,
    firstName: name,
    lastName: '例', // of a script that leaves nothing for the username
    dateOfBirth: '1990-01-31',
    country: 'DE',
    city: 'Berlin',
  }
}

/** The body of an answer that has to be a success: without it the world is not what its tests believe. */
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

/** Fills in what the person is called, and gives them as a client of `url`. */
export async function settle(person: Person, url: string): Promise<Person> {
  const { username, actorId } = must(await person.get<Me>('/me'))
  const { email, password, suffix } = person
  return Object.assign(new Person(url, person.token), { email, password, username, actorId, suffix })
}

/** Lets people in where the doorkeeper, an admin, is, and gives them as clients of `url`. */
export async function letIn(doorkeeper: Person, names: readonly string[], url = doorkeeper.base): Promise<Person[]> {
  const { items } = must(await doorkeeper.post<Codes>('/admin/invite-codes/generate', { count: names.length }))
  const door = doorkeeper.withToken(undefined)
  return Promise.all(names.map(async (name, at) => settle(await register(door, name, items[at]?.code ?? ''), url)))
}
