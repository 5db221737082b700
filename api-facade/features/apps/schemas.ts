// Schemas of apps, consents, and the requests on the pages of OAuth.
import { Page, Timestamp, Uuid, z } from '../../lib/schemas.ts'

const Name = z.string().trim().min(1).max(60).openapi({ example: 'Garden notes' }).describe('The name that people see.')
const Website = z
  .string()
  .trim()
  .max(300)
  .regex(/^https:\/\/\S+$/, 'must begin with https://')
  .openapi({ example: 'https://garden.example' })
  .describe('A page about the app. Begins with `https://`.')
const Redirects = z
  .array(z.string().min(1).max(500))
  .min(1)
  .max(10)
  .openapi({ example: ['https://garden.example/kith'] })
  .describe(
    'The redirect URIs, to which the browser may return. Each begins with `https://`, or with `http://` and the host `localhost`, `127.0.0.1` or `[::1]`. An app without a secret can also use a custom scheme that contains a dot, such as `org.example.app:/done`. URIs are compared exactly, but an app without a secret can use any port of these three hosts.',
  )
const ScopeNames = z
  .array(z.string().min(1).max(40))
  .min(1)
  .max(50)
  .openapi({ example: ['posts:read', 'posts:write'] })
  .describe('The scopes for which the app may ask. `GET /scopes` lists them.')

export const NewApp = z
  .object({
    name: Name,
    redirectUris: Redirects,
    scopes: ScopeNames,
    isConfidential: z
      .boolean()
      .optional()
      .describe('Whether the app runs on its own server and can keep a secret. Default: false.'),
    website: Website.optional(),
  })
  .openapi('NewApp')
export const AppChanges = z
  .object({
    name: Name.optional(),
    redirectUris: Redirects.optional(),
    scopes: ScopeNames.optional(),
    website: Website.nullable().optional(),
  })
  .openapi('AppChanges')
export const App = z
  .object({
    id: Uuid.describe('The `client_id` of the app.'),
    name: z.string().describe('The name that people see.'),
    website: z.string().nullable().describe('A page about the app; null if there is none.'),
    redirectUris: z.array(z.string()).describe('The redirect URIs, to which the browser may return.'),
    scopes: z.array(z.string()).describe('The scopes for which the app may ask.'),
    isConfidential: z.boolean().describe('Whether the app authenticates with a secret.'),
    hasSecret: z.boolean().describe('Whether a secret was made. A confidential app works only with one.'),
    createdAt: Timestamp,
  })
  .openapi('App')
export const AppPage = Page(App)
export const AppWithSecret = z
  .object({
    app: App.describe('The app as it is now.'),
    secret: z
      .string()
      .openapi({ example: 'kith_ocs_fGdeUz6m1RwzUEvHVVWsj8kUfZBvTLWkuKTMp3wBYKA' })
      .describe('The `client_secret` of the app. It is not shown again.'),
  })
  .openapi('AppWithSecret')

export const AllowedApp = z
  .object({
    id: Uuid.describe('The id of the app.'),
    name: z.string().describe('The name of the app.'),
    website: z.string().nullable().describe('A page about the app; null if there is none.'),
    scopes: z.array(z.string()).describe('The scopes that you allowed.'),
    since: Timestamp.describe('When you first allowed the app.'),
    lastUsedAt: Timestamp.describe('When the app last got an access token.'),
  })
  .openapi('AllowedApp')
export const AllowedAppPage = Page(AllowedApp)

const RequestId = z
  .string()
  .regex(/^[\w-]{10,64}$/, 'must be the id of a request')
  .openapi({ example: 'V1StGXR8_Z5jdHi6B-myT' })
  .describe('The `request` in the address of the page.')
const UserCode = z
  .string()
  .trim()
  .min(8)
  .max(20)
  .openapi({ example: 'WDJB-MJHT' })
  .describe('The code that the device shows. Case, blanks and dashes are ignored.')
const Allow = z.boolean().describe('Whether the person allows it.')

export const WaitingQuery = z.object({ request: RequestId })
export const Decision = z.object({ request: RequestId, allow: Allow }).openapi('AppDecision')
export const Device = z.object({ userCode: UserCode }).openapi('DeviceToAllow')
export const DeviceDecision = z.object({ userCode: UserCode, allow: Allow }).openapi('DeviceDecision')
export const Next = z
  .object({
    next: z.string().describe('The address to which the browser goes next; from there it returns to the app.'),
  })
  .openapi('AppDecided')
export const Waiting = z
  .object({
    app: z
      .object({
        name: z.string().describe('The name of the app.'),
        website: z.string().nullable().describe('A page about the app; null if there is none.'),
        redirectHost: z
          .string()
          .nullable()
          .describe('The host or the scheme to which the browser returns; null for a device.'),
      })
      .describe('The app that asks.'),
    scopes: z
      .array(
        z.object({
          scope: z.string().describe('The name of the scope.'),
          description: z.string().describe('What the scope allows, as a sentence.'),
        }),
      )
      .describe('The scopes for which the app asks.'),
  })
  .openapi('AppRequest')
