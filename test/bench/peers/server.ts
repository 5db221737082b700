// The peer's process: PostGraphile with the settings that its documentation recommends for production. PostGraphile is
// in a separate folder, which PEER_FOLDER names, because it isn't a dependency of this repository.
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { documents } from './documents.ts'

const { PEER_FOLDER = '', PEER_DATABASE_URL = '', JWT_SECRET = '' } = process.env
const load = createRequire(`${PEER_FOLDER}/`)
const { Pool } = load('pg')
const { verify } = load('jsonwebtoken')
const { postgraphile } = load('postgraphile')
const { PostGraphileAmberPreset } = load('postgraphile/presets/amber')
const { makePgService } = load('postgraphile/adaptors/pg')
const { grafserv } = load('postgraphile/grafserv/node')
const { PersistedPlugin } = load('@grafserv/persisted')

type Request = { node?: { req?: { headers: { authorization?: string } } } }

/** The person of each token. A token is verified once, as in Kith. */
const callers = new Map<string, string>()
function callerOf(token: string): string {
  const known = callers.get(token)
  if (known !== undefined) return known
  const { sub } = verify(token, JWT_SECRET, { algorithms: ['HS256'] })
  callers.set(token, sub)
  return sub
}

// As many connections as Kith has for its users
const pool = new Pool({ connectionString: PEER_DATABASE_URL, max: 10, application_name: 'peer' })
pool.on('error', () => {})

const serv = postgraphile({
  extends: [PostGraphileAmberPreset],
  plugins: [PersistedPlugin],
  pgServices: [makePgService({ pool, schemas: ['forum'], pubsub: false })],
  schema: { dontSwallowErrors: true, defaultBehavior: '+list' },
  grafserv: {
    graphqlPath: '/api/v1/graphql',
    outputDataAsString: true,
    graphiql: false,
    websockets: false,
    watch: false,
    persistedOperations: documents,
    allowUnpersistedOperation: false,
  },
  grafast: {
    explain: false,
    context: ({ node }: Request) => {
      const [, token] = node?.req?.headers.authorization?.split(' ') ?? []
      return token === undefined ? {} : { pgSettings: { 'forum.user_id': callerOf(token) } }
    },
  },
}).createServ(grafserv)

const server = createServer()
await serv.addTo(server)
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address && typeof address === 'object') process.stdout.write(`PEER http://127.0.0.1:${address.port}\n`)
})
process.once('SIGTERM', () => process.exit())
