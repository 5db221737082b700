// A real OpenID provider in this process, and a browser without a screen that logs in there.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import { afterAll } from 'vitest'

export const CLIENT = { id: 'kith', secret: 'what Kith and the provider know' }

export type OpenIdProvider = {
  issuer: string
  /** The address and whether it is verified, by account. */
  accounts: Record<string, { email: string; email_verified: boolean }>
  /** The account that logs in next. With undefined, the person refuses. */
  account: string | undefined
  /** The secrets that the provider and Kith sent each other: verifiers, access tokens and ID tokens. */
  confided: string[]
  /**
   * Opens an address of the provider as a new browser, and follows redirects until one leaves the provider. @returns that address, which is the callback with the provider's answer
   */
  visit(url: string): Promise<URL>
}

/** Starts a provider at which the facade at `facadeUrl` is registered. It stops after the last test of the file. */
export async function startProvider(facadeUrl: string): Promise<OpenIdProvider> {
  const server = createServer()
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle))
  afterAll(() => new Promise((settle) => server.close(settle)))
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`
  const accounts: OpenIdProvider['accounts'] = {}
  const provider = new Provider(issuer, {
    clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [`${facadeUrl}/oidc/callback`] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    cookies: { keys: ['a key of the tests'] },
    features: { devInteractions: { enabled: false } },
    findAccount: (_, accountId) => ({
      accountId,
      claims: async (_use, _scope) => ({ sub: accountId, ...accounts[accountId] }),
    }),
    interactions: { url: (_, { uid }) => `/log-in/${uid}` },
    // everybody who logs in agrees
    async loadExistingGrant({ oidc }) {
      const { client, session } = oidc
      const grant = new provider.Grant({ clientId: client?.clientId ?? '', accountId: session?.accountId ?? '' })
      grant.addOIDCScope('openid email')
      await grant.save()
      return grant
    },
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
  })
  provider.on('grant.success', ({ body, oidc }) => {
    const { access_token, id_token } = body as Record<string, string>
    made.confided.push(...[oidc.params?.code_verifier, access_token, id_token].map(String))
  })
  const answer = provider.callback()
  server.on('request', async (request, response) => {
    if (!request.url?.startsWith('/log-in/')) return answer(request, response)
    const { account } = made
    await provider.interactionFinished(
      request,
      response,
      account ? { login: { accountId: account } } : { error: 'access_denied' },
    )
  })

  async function visit(url: string): Promise<URL> {
    const cookies = new Map<string, string>()
    for (let next = new URL(url); ; ) {
      if (next.origin !== issuer) return next
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const { headers, status } = await fetch(next, { redirect: 'manual', headers: { cookie } })
      for (const line of headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        cookies.set(name, value)
      }
      const location = headers.get('location')
      if (!location) throw new Error(`the provider answered ${status} at ${next.pathname}`)
      next = new URL(location, next)
    }
  }

  const made: OpenIdProvider = { issuer, accounts, account: undefined, confided: [], visit }
  return made
}
