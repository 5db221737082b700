// Serves /.well-known/kith, which tells other instances the public keys of this one. The path is outside /api/v1 and
// open to everyone.
import type { Hono } from 'hono'
import type { Env } from './context.ts'
import { send } from './headers.ts'
import { otherMethods } from './methods.ts'
import { z } from './schemas.ts'
import { PublicKey } from './signing.ts'
import { version } from './version.ts'

export const Instance = z
  .object({
    software: z
      .object({
        name: z.literal('kith').describe('Always `kith`.'),
        version: z.string().describe('The version of the release.'),
      })
      .describe('The software of the instance.'),
    domain: z.string().describe('The domain in the actor ids of its people.'),
    url: z.string().describe('The address of its API, without `/api/v1`.'),
    oidc: z
      .object({ name: z.string().describe('The name that people see.') })
      .nullable()
      .describe('The OpenID provider with which people can also log in; null if there is none.'),
    keys: z
      .array(PublicKey)
      .describe('The keys that verify its exports, as JWK: the one that signs, then former ones.'),
  })
  .openapi('Instance')

export function mountInstance(app: Hono<Env>): void {
  app.get('/.well-known/kith', (c) => {
    const { config, oidc, signing } = c.get('services')
    const instance: z.infer<typeof Instance> = {
      software: { name: 'kith', version },
      domain: config.instanceDomain,
      url: signing.issuer,
      oidc: oidc.name === undefined ? null : { name: oidc.name },
      keys: [...signing.keys],
    }
    const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'public, max-age=3600' }
    return send(c, JSON.stringify(instance), 200, headers)
  })
  app.all('/.well-known/kith', otherMethods(['GET']))
}
