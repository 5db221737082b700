// A facade with its gateway in its own process, for realtime.ts.
import { readConfig } from '../../api-facade/lib/config.ts'
import { startServer } from '../../api-facade/server.ts'
import { startGateway } from '../../supabase/embedded/realtime/gateway.ts'

/** `most`: how many sockets it accepts, all of which have the same address. */
export type Setup = { databaseUrl: string; jwtSecret: string; most: number }

process.once('message', async ({ databaseUrl, jwtSecret, most }: Setup) => {
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    JWT_SECRET: jwtSecret,
    PORT: '0',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'silent',
    RATE_LIMIT_SCALE: '1000000000',
  })
  const server = await startServer({
    config,
    databaseUrl,
    // the sockets send no heartbeats
    gateway: (site) => startGateway({ ...site, mostSockets: most, mostSocketsOfClient: most, idle: 3_600_000 }),
    patience: { connections: most + 10 },
  })
  process.once('disconnect', async () => {
    await server.stop()
    process.exit()
  })
  process.send?.(server.url)
})
