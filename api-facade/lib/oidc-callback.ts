// The address to which the OpenID provider sends the browser. It is outside /api/v1, because no program calls it.
// docs/decisions.md, Logins at an OpenID provider.
import type { Hono } from 'hono'
import type { Context, Env } from './context.ts'
import { ApiError, toApiError } from './errors.ts'
import { send } from './headers.ts'
import { otherMethods } from './methods.ts'
import { type Begun, CALLBACK } from './oidc.ts'
import { hashOf } from './seals.ts'

const FINISH = `
  select api.finish_oidc($1::uuid, decode($2::text, 'hex'), $3::text, $4::text, $5::text, $6::text, $7::boolean)`

/**
 * Serves the address to which the provider sends the browser. Redirects to the client, with a one-time code or the
 * code of an error behind the #, never with a token.
 */
export function mountOidc(app: Hono<Env>): void {
  app.get(CALLBACK, async (c) => {
    const { oidc, limits } = c.get('services')
    const over = await limits.route(c, 'oidc', undefined)
    if (over) throw over
    const answer = new URL(c.req.url).searchParams
    const login = oidc.resume(answer.get('state') ?? '')
    const behind = await finish(c, login, answer)
    return send(c, null, 303, { Location: `${login.returnTo}#${new URLSearchParams(behind)}` })
  })
  app.all(CALLBACK, otherMethods(['GET']))
}

/** Asks the provider who the person is, and records the login. @returns the one-time code, or the code of an error */
async function finish(
  c: Context,
  login: Begun & { id: string },
  answer: URLSearchParams,
): Promise<Record<string, string>> {
  const { oidc, seals, pools, log } = c.get('services')
  const found = await oidc.finish(login, answer).catch((error: unknown) => {
    if (error instanceof ApiError) return error.code
    log.warn({ cause: causeOf(error) }, 'a login at the OpenID provider failed')
    return 'oidc_refused'
  })
  if (typeof found === 'string') return { error: found }
  const { id, challenge, fresh } = login
  const code = seals.seal('oidc', { id, generation: 0 }, 'code')
  const given = [id, hashOf(code), challenge, oidc.issuer, found.subject, found.email, fresh]
  try {
    await pools.gate.run((sql) => sql.unsafe(FINISH, given))
  } catch (error) {
    const { code: refused } = toApiError(error)
    if (refused !== 'oidc_over') throw error
    return { error: refused }
  }
  return { oidc: code }
}

/**
 * Why a login failed, for the log: the error codes of openid-client and of the provider. Answers are not logged,
 * because they may contain secrets.
 */
function causeOf(error: unknown): string {
  const { code, error: said } = (error ?? {}) as { code?: unknown; error?: unknown }
  return [code, said].filter((one) => typeof one === 'string').join(' ') || 'unknown'
}
