// The peer: PostGraphile 5 on its own Postgres with Kith's settings, and with data copied from a side of Kith.
// PostGraphile is installed on demand, into a folder that npm ci empties.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { loginPassword } from '../../../api-facade/lib/database.ts'
import { startPostgres } from '../../../supabase/embedded/postgres.ts'
import { ended } from '../../support/process.ts'
import { until } from '../../support/until.ts'
import { jwtSecret, OURS, type Side, settings } from '../side.ts'

export const VERSION = '5.1.5'
/** The packages of PostGraphile 5.1.5, each pinned to this version. */
const packages = {
  postgraphile: VERSION,
  '@dataplan/json': '1.0.1',
  '@dataplan/pg': '1.1.2',
  '@graphile/lru': '5.0.0',
  '@grafserv/persisted': '1.0.0',
  grafast: '1.1.3',
  grafserv: '1.0.2',
  'graphile-build': '5.1.1',
  'graphile-build-pg': '5.1.4',
  'graphile-config': '1.1.1',
  'graphile-utils': '5.0.3',
  graphql: '16.15.0',
  jsonwebtoken: '9.0.3',
  pg: '8.23.1',
  'pg-sql2': '5.0.1',
  tamedevil: '0.1.1',
}

/** Installs the missing packages of the peer. @returns the folder */
function install(root: string): string {
  const folder = join(root, 'node_modules/.cache/peers')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: packages }))
  const options = [
    '--prefix',
    folder,
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--prefer-offline',
    '--loglevel=error',
  ]
  execFileSync('npm', ['install', ...options], { stdio: ['ignore', 'ignore', 'inherit'] })
  return folder
}

/** The peer's tables, each with the query that reads its rows from the database of Kith. */
const copies = {
  'users (id, username, first_name, last_name, profile_pic_url)':
    'select id, username, first_name, last_name, profile_pic_url from app.users where username is not null',
  'follows (follower_id, following_id, created_at)': 'select follower_id, following_id, created_at from app.follows',
  'circles (id, owner_id, name)': 'select id, owner_id, name from app.circles',
  'members (circle_id, owner_id, member_id, is_inner)': `
    select circle_id, owner_id, member_id, bond_level = 'inner-circle' from app.circle_members`,
  'blocks (blocker_id, blocked_id)': 'select blocker_id, blocked_id from app.blocks',
  'posts (id, author_id, body, audience, depth, reaction_count, comment_count, published_at)': `
    select p.id, p.author_id, p.body, case p.visibility when 'public' then 'everyone' else p.visibility end, p.depth,
           c.reactions, c.replies, p.published_at
    from app.posts p join app.post_counters c on c.post_id = p.id`,
  'reactions (post_id, user_id, kind)': 'select post_id, user_id, kind from app.reactions',
  'comments (id, post_id, author_id, body, created_at)':
    'select id, post_id, author_id, body, created_at from app.replies',
}

export async function startPeer(root: string, kith: Side): Promise<Side> {
  const home = install(root)
  const folder = mkdtempSync(join(tmpdir(), 'kith-peer-'))
  const server = await startPostgres({ dataDir: folder })
  const superuser = postgres(server.superuserUrl(), {
    max: 1,
    onnotice: () => {},
    connection: { application_name: OURS },
  })
  const log = join(folder, 'peer.log')
  const password = loginPassword(jwtSecret, 'forum_user')
  const userUrl = new URL(server.url())
  userUrl.username = 'forum_user'
  userUrl.password = password
  let child: ReturnType<typeof spawn> | undefined
  const stop = async () => {
    if (child) await ended(child)
    await superuser.end()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    for (const setting of settings) await superuser.unsafe(`alter system set ${setting}`)
    await superuser.unsafe('select pg_reload_conf()')
    const schema = readFileSync(join(import.meta.dirname, 'schema.sql'), 'utf8')
    await superuser.unsafe(schema.replace(':password', password))
    await superuser.unsafe('set session_replication_role = replica')
    // Copies by a file, because both servers run as the same user of this machine
    const [place] = await kith.superuser<{ folder: string }[]>`select current_setting('data_directory') as folder`
    for (const [table, query] of Object.entries(copies)) {
      const file = `${place?.folder}/peers.copy`
      await kith.superuser.unsafe(`copy (${query}) to '${file}'`)
      await superuser.unsafe(`copy forum.${table} from '${file}'`)
    }
    await superuser.unsafe('set session_replication_role = origin')
    await superuser.unsafe('vacuum analyze')
    const output = openSync(log, 'w') // the log also has the errors that the checks provoke
    child = spawn(process.execPath, [join(import.meta.dirname, 'server.ts')], {
      cwd: home,
      env: {
        ...process.env,
        ...{ NODE_ENV: 'production', GRAPHILE_ENV: 'production' },
        ...{ PEER_FOLDER: home, PEER_DATABASE_URL: userUrl.href, JWT_SECRET: jwtSecret },
      },
      stdio: ['ignore', output, output],
    })
    const started = child
    const found = await until(() => {
      if (started.exitCode !== null) throw new Error(`the peer ended: ${readFileSync(log, 'utf8')}`)
      return /PEER (\S+)/.exec(readFileSync(log, 'utf8'))
    })
    return {
      ...{
        name: 'peer',
        url: found[1] ?? '',
        databaseUrl: server.url(),
        userUrl: async () => userUrl.href,
        superuser,
        stop,
      },
      ...{ facade: child.pid ?? 0, worker: undefined, fill: async () => {} },
    }
  } catch (error) {
    await stop()
    throw error
  }
}
