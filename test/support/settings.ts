// The configuration of the instance under test.

/** Where supabase-js connects: for the embedded instance the same address as the facade's. */
export type Stack = { url: string; anonKey: string; serviceRoleKey: string }

/**
 * A running stack instead of an instance of the tests, as `npm run verify -- --target=<url>` describes it
 * (test/verify/main.ts).
 */
export type Target = {
  /** The facade's address, without /api/v1. */
  url: string
  stack: Stack
  jwtSecret: string
  admin: { email: string; password: string }
}

/** Undefined in `npm test`. */
export const target: Target | undefined = process.env.KITH_TARGET && JSON.parse(process.env.KITH_TARGET)

/** The database that every test file copies. */
export const TEMPLATE = 'kith_template'
/** A copy of that database that also has the people whom a world has by default. */
export const PEOPLE = 'kith_people'

export const ADMIN = { email: 'admin@example.org', password: 'first admin of the tests' }

export const JWT_SECRET = target?.jwtSecret ?? 'the secret that signs the tokens of the tests, and nothing else'

/**
 * The environment of a facade under test. Limits are high unless a test sets others.
 * `LOG_LEVEL=error npm test` shows the cause of a 500.
 */
export function environment(databaseUrl: string, more: Record<string, string> = {}): Record<string, string> {
  return {
    DATABASE_URL: target ? 'postgresql://nobody@localhost/nothing' : databaseUrl,
    JWT_SECRET,
    HOST: '127.0.0.1',
    PORT: '0',
    INSTANCE_DOMAIN: 'localhost',
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
    RATE_LIMIT_SCALE: '1000000',
    // a facade checks for a pooler only if there may be one
    DATABASE_PREPARE: process.env.POOLER ? 'auto' : 'on',
    // there are few connections, because each plans its own statements, and two are enough for races
    POOL_USER: '2',
    POOL_GATE: '2',
    // embeddings are off, because they start a process with a model, which few tests need
    EMBEDDINGS: 'off',
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'silent',
    // programs start often, and would compile for a second each time
    ...(process.env.NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
    ...more,
  }
}
