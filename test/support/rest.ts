// `/rest/v1/rpc` called with supabase-js, and without it.
import { createClient } from '@supabase/supabase-js'
import { SignJWT } from 'jose'
import type { Database } from '../../api-facade/generated/database.types.ts'
import { oddTime } from './crawler.ts'
import { inward, outward } from './names.ts'
import type { Person } from './person.ts'
import { JWT_SECRET, type Stack } from './settings.ts'

/** The text of an answer. @throws Error if a time in it has another format than all answers have */
function timely(text: string): string {
  const odd = oddTime(text)
  if (odd) throw new Error(`the time ${odd} in an answer`)
  return text
}

/** Both ways to call a stack. `person` is the caller unless another person is given. */
export function rest(stack: Stack, person: Person) {
  /**
   * supabase-js as a person uses it, or without a token, or with another key. `last` has the headers of the last
   * answer.
   */
  function client(token?: string, key = stack.anonKey) {
    const last = { headers: new Headers() }
    const supabase = createClient<Database, 'api'>(stack.url, key, {
      db: { schema: 'api' },
      ...(token ? { accessToken: async () => token } : { auth: { persistSession: false, autoRefreshToken: false } }),
      global: {
        fetch: async (url, init) => {
          const sent = init?.body ? { body: outward(String(init.body), person.suffix) } : {}
          const answer = await fetch(url, { ...init, ...sent })
          last.headers = answer.headers
          return new Response(inward(timely(await answer.text()), person.suffix) || null, answer)
        },
      },
    })
    return Object.assign(supabase, { last })
  }

  /** A request without supabase-js. `headers` replace those of that person. */
  async function ask(path: string, init: RequestInit = {}) {
    const headers = {
      apikey: stack.anonKey,
      authorization: `Bearer ${person.token}`,
      'content-type': 'application/json',
    }
    const answer = await fetch(`${stack.url}/rest/v1${path}`, { method: 'POST', headers, ...init })
    const text = timely(await answer.text())
    return { status: answer.status, headers: answer.headers, body: text && JSON.parse(text) }
  }

  const bearer = (token: string) => ({ headers: { apikey: stack.anonKey, authorization: `Bearer ${token}` } })

  return { client, ask, bearer }
}

/** A token with any claims, signed with the instance's secret unless another one is given. */
export function signed(claims: Record<string, unknown>, secret = JWT_SECRET): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).sign(new TextEncoder().encode(secret))
}
