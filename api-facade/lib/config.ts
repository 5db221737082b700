// The configuration: names, defaults and validation. environment.ts reads the variables.
// docs/configuration.md; docs/decisions.md, Limits.
import { z } from 'zod'
import { AI_TIMEOUT } from '../../edge-functions/ai/timeout.ts'
import { apnsOf, EXPO_URL, fcmOf, PUSH_ORIGINS } from '../../edge-functions/deliver/providers.ts'
import { samplers, tracingOf } from '../../edge-functions/shared/tracing.ts'
import { hostsOf } from './hosts.ts'
import { describeIssue } from './issues.ts'

/** The number of calls that are allowed in a window of `seconds`. */
export type Window = { limit: number; seconds: number }

const units = { s: 1, min: 60, h: 3600, d: 86_400 } as const

const windows = z
  .string()
  .regex(/^\d+\/(s|min|h|d)( \d+\/(s|min|h|d))*$/, 'must look like "5/min" or "10/min 100/h"')
  .transform((text): Window[] =>
    text.split(' ').map((part) => {
      const [limit, unit] = part.split('/')
      return { limit: Number(limit), seconds: units[unit as keyof typeof units] }
    }),
  )

/** The limits by name; a route names its own, `global` counts every request of a client address. */
export const defaultLimits = {
  global: '60/min',
  login: '5/min',
  // wrong passwords: per account for all unknown devices, per known device, and inside a session
  login_account: '10/min 50/h',
  login_device: '10/min 50/h',
  password: '10/min 50/h',
  // codes of a second factor after the right password: per known device, or for all unknown devices together
  login_factor: '5/min 20/h',
  // challenges of passkeys for a login
  passkey_options: '20/min',
  register: '3/min',
  // logins at the OpenID provider: the request that begins one, and the return from the provider
  oidc: '20/min',
  reserve_invite: '10/min',
  // unknown invite codes: the first three of an address within an hour; these first codes of all addresses together;
  // all other codes together
  unknown_invite: '3/h',
  unknown_invites_first: '1/s',
  unknown_invites: '300/h',
  refresh: '10/min 100/h',
  // the endpoints of OAuth, per client address: an app on a server has one address for all people
  oauth: '600/min',
  // access tokens per app; and codes of devices that people enter
  oauth_app: '600/min 10000/h',
  device_code: '10/min 50/h',
  forgot_password: '5/min 30/h',
  // links that verify an address, per person
  verify_email: '3/min 10/h',
  reflect: '20/min',
  enhance_post: '10/min',
  create_video: '5/min 30/h',
  search: '30/min',
  // generated avatars, and files of the local storage; a page of a client loads many of them
  pictures: '1200/min',
  docs: '120/min',
  // documents and files of the pages; browsers keep the files
  web: '600/min',
  // public pages of posts and people
  public_pages: '60/min',
  // joins of channels and refreshed tokens, per client address; only the embedded gateway counts them
  realtime_join: '1000/min',
} as const
export type LimitName = keyof typeof defaultLimits

const rateLimits = z
  .partialRecord(z.enum(Object.keys(defaultLimits) as LimitName[]), z.string())
  .transform((changed): Record<LimitName, string> => ({ ...defaultLimits, ...changed }))
  .pipe(z.record(z.enum(Object.keys(defaultLimits) as LimitName[]), windows))

const json = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    context.addIssue('must be JSON, for example {"login": "5/min"}')
    return z.NEVER
  }
})

const integer = (least: number, most: number) =>
  z.string().regex(/^\d+$/, 'must be a whole number').transform(Number).pipe(z.int().min(least).max(most))

/** A connection string with one or several hosts. */
const database = z.string().refine(
  (text) => {
    try {
      return hostsOf(text).every((one) => /^postgres(ql)?:$/.test(new URL(one).protocol))
    } catch {
      return false
    }
  },
  { error: 'must be a URL such as postgresql://postgres:secret@host:5432/postgres, with one host or several' },
)

const url = (protocol: RegExp, example: string) => z.url({ protocol, error: `must be a URL such as ${example}` })
const webUrl = url(/^https?$/, 'https://example.org')
const list = z.string().transform((text) => text.split(',').flatMap((item) => item.trim() || []))

/**
 * Whether a text is an origin, in which one `*` may replace labels of the host. It must have the form that browsers
 * send, because origins are compared as texts.
 */
const isOrigin = (text: string): boolean => {
  const example = text.replace('*', 'x')
  return /^https?:[^*]+$/.test(example) && URL.parse(example)?.origin === example
}

const label = '[a-z0-9]([a-z0-9-]*[a-z0-9])?'
const hostName = new RegExp(`^${label}(\\.${label})*$`)

/**
 * An address, or a name and an address. An unquoted name must not contain a comma, which would separate two senders.
 */
const sender = /^([^\s<>@,;:"]+@[^\s<>@,;:"]+|("[^"\r\n]+"|[^<>@,;:"\r\n]+) <[^\s<>@,;:"]+@[^\s<>@,;:"]+>)$/

/** The settings of the embedded PostgreSQL that an operator may change. Kith relies on its own values of all others. */
const databaseSettings =
  /^(shared_buffers|effective_cache_size|work_mem|maintenance_work_mem|huge_pages|max_connections|(min|max)_wal_size|max_slot_wal_keep_size|wal_(buffers|compression)|checkpoint_(timeout|completion_target)|(seq|random)_page_cost|effective_io_concurrency|max_(worker_processes|parallel_\w+)|log_min_duration_statement|autovacuum_\w+)$/

const assignments = list.transform((items, context) =>
  Object.fromEntries(
    items.map((item) => {
      const [, name = '', value = ''] = /^(\w+) *= *([\w.-]+)$/.exec(item) ?? []
      if (!databaseSettings.test(name))
        context.addIssue(`must be settings such as shared_buffers=1GB, separated by commas; not ${name || 'others'}`)
      return [name, value]
    }),
  ),
)

const bucket = z.string().regex(/^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/, 'must be the name of a bucket')

/** Names and values in the form that OpenTelemetry uses: name=value,other=value. */
const attributes = z
  .string()
  .regex(
    /^[^=,]+=([^,%]|%[0-9A-Fa-f]{2})*(,[^=,]+=([^,%]|%[0-9A-Fa-f]{2})*)*$/,
    'must look like name=value,other=value',
  )

/** Names and addresses: `Android=https://…, iPhone=https://…`. */
const namedUrls = list.transform((items, context) =>
  items.flatMap((item) => {
    const [, name = '', address = ''] = /^([^=]{1,40})=(https?:\/\/\S+)$/.exec(item) ?? []
    const url = URL.parse(address)?.href
    if (url) return { name: name.trim(), url }
    context.addIssue('must be names and addresses such as Android=https://example.org/app, separated by commas')
    return []
  }),
)

const signingKey = z.string().regex(/^[\w-]{43}$/, 'must be 32 random bytes in base64url')

const Variables = z.object({
  PORT: integer(0, 65_535).default(8787),
  // The default is every interface: the facade usually runs in a container, where localhost cannot be reached from
  // outside.
  HOST: z.string().default('0.0.0.0'),
  DRAIN_SECONDS: integer(0, 300).default(0),
  DATABASE_URL: database.optional(),
  DATABASE_DIRECT_URL: database.optional(),
  DATABASE_REPLICA_URLS: list
    .pipe(z.array(url(/^postgres(ql)?$/, 'postgresql://postgres:secret@host:5432/postgres')).min(1))
    .optional(),
  REPLICA_MAX_LAG: integer(1, 60).default(2),
  DATABASE_PREPARE: z.enum(['auto', 'on', 'off']).default('auto'),
  REALTIME: z.enum(['stack', 'embedded']).optional(),
  FUNCTIONS_URL: webUrl.optional(),
  PUBLIC_URL: webUrl.optional(),
  FACADE_URL: webUrl.optional(),
  ABOUT_FILE: z.string().min(1).optional(),
  RULES_FILE: z.string().min(1).optional(),
  PRIVACY_FILE: z.string().min(1).optional(),
  GET_APP: namedUrls.default([]),
  PUBLIC_PAGES: z.enum(['off', 'on', 'indexed']).default('off'),
  STORAGE_URL: webUrl.optional(),
  STORAGE_BUCKET: bucket.optional(),
  STORAGE_UPLOAD_BUCKET: bucket.optional(),
  STORAGE_REGION: z
    .string()
    .regex(/^[a-z0-9-]+$/)
    .default('us-east-1'),
  STORAGE_ACCESS_KEY: z.string().regex(/^\S+$/).optional(),
  STORAGE_SECRET_KEY: z.string().regex(/^\S+$/).optional(),
  STORAGE_PUBLIC_URL: webUrl.optional(),
  MEDIA_HOSTS: list
    .pipe(
      z.array(
        z
          .string()
          .toLowerCase()
          .regex(
            /^(\*|(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*(:\d+)?)$/,
            'must be hosts such as example.org or *.example.org',
          ),
      ),
    )
    .default(['*']),
  MEDIA_QUOTA: integer(1, 1_000_000_000).default(5120),
  SMTP_URL: url(/^smtps?$/, 'smtp://user:secret@mail.example.org:587').optional(),
  MAIL_FROM: z
    .string()
    .regex(sender, 'must be an address, or a name and an address: Kith <no-reply@example.org>')
    .max(320)
    .optional(),
  VAPID_PRIVATE_KEY: z
    .string()
    .regex(/^[\w-]{43}$/, 'must be 32 bytes in base64url, as npx web-push generate-vapid-keys prints them')
    .optional(),
  SIGNING_KEY: signingKey.optional(),
  SIGNING_KEY_PREVIOUS: signingKey.optional(),
  AUDIT_KEY: signingKey.optional(),
  EXPO_URL: webUrl.default(EXPO_URL),
  EXPO_ACCESS_TOKEN: z.string().regex(/^\S+$/).optional(),
  PUSH_ORIGINS: list
    .pipe(z.array(z.string().refine(isOrigin, 'must be origins such as https://*.push.example.org')))
    .default(PUSH_ORIGINS),
  FCM_SERVICE_ACCOUNT: z
    .string()
    .refine((text) => fcmOf(text), 'must be the JSON file of a service account')
    .optional(),
  FCM_URL: webUrl.optional(),
  APNS_KEY: z
    .string()
    .regex(/^-----BEGIN PRIVATE KEY-----/, 'must be the content of a file AuthKey_….p8')
    .optional(),
  APNS_KEY_ID: z
    .string()
    .regex(/^[A-Z0-9]{10}$/, 'must be the 10 characters of a key id')
    .optional(),
  APNS_TEAM_ID: z
    .string()
    .regex(/^[A-Z0-9]{10}$/, 'must be the 10 characters of a team id')
    .optional(),
  APNS_TOPIC: z
    .string()
    .regex(/^[\w.-]{1,155}$/, 'must be the bundle id of the app')
    .optional(),
  APNS_URL: webUrl.optional(),
  ANDROID_APP: z
    .string()
    .regex(/^[A-Za-z]\w*(\.[A-Za-z]\w*)+$/, 'must be the name of a package such as org.example.kith')
    .optional(),
  ANDROID_CERTIFICATES: list
    .pipe(
      z
        .array(z.string().regex(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/, 'must be SHA-256 fingerprints such as 14:6D:E9:…'))
        .min(1),
    )
    .optional(),
  APPLE_APP_IDS: list
    .pipe(
      z
        .array(z.string().regex(/^[A-Z0-9]{10}\.[\w.-]{1,155}$/, 'must be app ids such as ABCDE12345.org.example.kith'))
        .min(1),
    )
    .optional(),
  WEBHOOK_EXEMPT: list
    .pipe(z.array(z.string().regex(/^\d+(\.\d+){3}:\d+$/, 'must be addresses such as 10.0.0.7:8080')))
    .default([]),
  REGISTER_APPS: z.enum(['admins', 'everyone']).default('admins'),
  REQUIRE_FACTOR: list.pipe(z.array(z.enum(['user', 'moderator', 'admin']))).optional(),
  GUESSABLE_PASSWORDS: z.enum(['accept', 'refuse']).optional(),
  PASSKEY_DOMAIN: z.string().toLowerCase().max(253).regex(hostName, 'must be a host name without a port').optional(),
  PASSKEY_ORIGINS: list
    .pipe(
      z.array(
        z
          .string()
          .refine(
            (text) => /^android:apk-key-hash:[\w-]{43}$/.test(text) || (!text.includes('*') && isOrigin(text)),
            'must be origins such as https://kith.example.org',
          ),
      ),
    )
    .optional(),
  PROOF_TIER: integer(0, 5).optional(),
  OIDC_ISSUER: webUrl
    .refine((text) => /^https:|^http:\/\/(localhost|127\.0\.0\.1)(:|\/|$)/.test(text), 'must be an https URL')
    .optional(),
  OIDC_CLIENT_ID: z.string().min(1).max(500).optional(),
  OIDC_CLIENT_SECRET: z.string().min(1).optional(),
  OIDC_NAME: z.string().min(1).max(40).optional(),
  OIDC_RETURN: list
    .pipe(
      z.array(
        z
          .string()
          .max(300)
          .regex(/^[a-z][a-z0-9+.-]*:[^#\s]+$/i, 'must be addresses such as https://app.example/back'),
      ),
    )
    .default([]),
  OIDC_AUTHORIZATION_URL: webUrl.optional(),
  OIDC_TOKEN_URL: webUrl.optional(),
  OIDC_JWKS_URL: webUrl.optional(),
  OIDC_USERINFO_URL: webUrl.optional(),
  AI_MODEL: z
    .string()
    .regex(/^[\w.:@/-]{1,200}$/, 'must be the name of a model')
    .optional(),
  ANTHROPIC_API_KEY: z.string().regex(/^\S+$/).optional(),
  ANTHROPIC_BASE_URL: webUrl.optional(),
  // A whole answer can take three times as long. That must be less than the lease of an answer, which is a minute.
  AI_TIMEOUT: z.coerce.number().positive('must be above 0').max(15).default(AI_TIMEOUT),
  EMBEDDINGS: z.enum(['offline', 'edge', 'off']).default('offline'),
  AI_DAILY_TOKENS: integer(0, 1_000_000_000).default(100_000),
  JWT_SECRET: z.string().min(32).optional(),
  JWT_SECRET_NEXT: z.string().min(32).optional(),
  JWT_SECRET_PREVIOUS: z.string().min(32).optional(),
  INSTANCE_DOMAIN: z
    .string()
    .toLowerCase()
    .max(253)
    .regex(hostName, 'must be a host name without a port, such as kith.example.org')
    .default('localhost'),
  ADMIN_EMAIL: z.email().optional(),
  ADMIN_PASSWORD: z.string().min(8).optional(),
  DATA_DIR: z.string().optional(),
  DB_PORT: integer(1024, 65_535).optional(),
  DB_SETTINGS: assignments.optional(),
  REPLICAS: integer(0, 4).default(0),
  REPLICAS_SYNC: z.enum(['on', 'off']).default('on'),
  BACKUP_TO: z
    .string()
    .regex(/^(?!s3:)|^s3:\/\/[a-z0-9][a-z0-9.-]+(\/[\w./-]*)?$/, 'must be a folder, or s3://bucket/prefix')
    .optional(),
  BACKUP_PASSPHRASE: z.string().min(12).optional(),
  BACKUP_DAYS: integer(1, 3650).default(7),
  BACKUP_SECONDS: integer(1, 3600).default(10),
  BACKUP_URL: webUrl.optional(),
  BACKUP_REGION: z
    .string()
    .regex(/^[a-z0-9-]+$/)
    .default('us-east-1'),
  BACKUP_ACCESS_KEY: z.string().regex(/^\S+$/).optional(),
  BACKUP_SECRET_KEY: z.string().regex(/^\S+$/).optional(),
  RATE_LIMIT_SCALE: z.coerce.number().positive('must be above 0').default(1),
  RATE_LIMITS: json.default({}).pipe(rateLimits),
  RATE_LIMIT_STORE: z.enum(['memory', 'database']).optional(),
  TRUSTED_PROXY_HOPS: integer(0, 10).default(0),
  CORS_ORIGINS: list.pipe(z.array(z.union([z.literal('*'), webUrl]))).default([]),
  BODY_LIMIT: integer(1024, 64 * 1024 * 1024).default(1024 * 1024),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).optional(),
  METRICS_TOKEN: z
    .string()
    .regex(/^\S{16,}$/, 'must have at least 16 characters and no spaces')
    .optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: webUrl.optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: z.literal('http/json', 'must be http/json, the only protocol of Kith').optional(),
  OTEL_EXPORTER_OTLP_HEADERS: attributes.optional(),
  OTEL_RESOURCE_ATTRIBUTES: attributes.optional(),
  OTEL_SERVICE_NAME: z.string().optional(),
  OTEL_TRACES_SAMPLER: z.enum(samplers).optional(),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d+)?|1(\.0+)?)$/, 'must be a number from 0 to 1')
    .optional(),
  WORKER: z.enum(['inline', 'off']).default('inline'),
  NODE_ENV: z.enum(['development', 'production', 'test']).default('development'),
  POOL_ANON: integer(1, 200).default(2),
  POOL_GATE: integer(1, 200).default(4),
  POOL_USER: integer(1, 200).default(10),
  POOL_SERVICE: integer(1, 200).default(3),
})

const apnsParts = ['APNS_KEY', 'APNS_KEY_ID', 'APNS_TEAM_ID', 'APNS_TOPIC']
const storageParts = ['STORAGE_URL', 'STORAGE_BUCKET', 'STORAGE_ACCESS_KEY', 'STORAGE_SECRET_KEY', 'STORAGE_PUBLIC_URL']

const oidcParts = ['OIDC_ISSUER', 'OIDC_CLIENT_ID']
const oidcUrls = ['OIDC_AUTHORIZATION_URL', 'OIDC_TOKEN_URL', 'OIDC_JWKS_URL']
const backupParts = ['BACKUP_URL', 'BACKUP_ACCESS_KEY', 'BACKUP_SECRET_KEY']

/** The settings of backups; undefined without a place for them. */
function backupOf(s: z.output<typeof Variables>) {
  const { BACKUP_TO: to, BACKUP_URL: url, BACKUP_ACCESS_KEY: accessKey, BACKUP_SECRET_KEY: secretKey } = s
  if (!to) return undefined
  const s3 =
    url && accessKey && secretKey
      ? { url: withoutSlash(url), region: s.BACKUP_REGION, accessKey, secretKey }
      : undefined
  return { to, s3, passphrase: s.BACKUP_PASSPHRASE, days: s.BACKUP_DAYS, seconds: s.BACKUP_SECONDS }
}

/** The settings of the object storage; undefined unless all of them are set. */
function storageOf(s: z.output<typeof Variables>) {
  const { STORAGE_URL: url, STORAGE_BUCKET: bucket, STORAGE_REGION: region, STORAGE_PUBLIC_URL: publicUrl } = s
  const { STORAGE_ACCESS_KEY: accessKey, STORAGE_SECRET_KEY: secretKey, STORAGE_UPLOAD_BUCKET: uploadBucket } = s
  if (!url || !bucket || !accessKey || !secretKey || !publicUrl) return undefined
  const addresses = { url: withoutSlash(url), publicUrl: withoutSlash(publicUrl) }
  return { ...addresses, bucket, uploadBucket, region, accessKey, secretKey }
}

/** The settings of the OpenID provider; undefined if there is none. */
function oidcOf(s: z.output<typeof Variables>) {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = s
  if (!issuer || !clientId) return undefined
  const { OIDC_AUTHORIZATION_URL: authorization, OIDC_TOKEN_URL: token, OIDC_JWKS_URL: keys } = s
  const endpoints =
    authorization && token && keys ? { authorization, token, keys, userinfo: s.OIDC_USERINFO_URL } : undefined
  const name = s.OIDC_NAME ?? new URL(issuer).hostname
  return { issuer, clientId, clientSecret, name, returns: s.OIDC_RETURN, endpoints }
}

const withoutSlash = (url: string): string => url.replace(/\/$/, '')

const Settings = Variables.refine((s) => !s.DATABASE_URL || s.JWT_SECRET, {
  path: ['JWT_SECRET'],
  error: 'must be set together with DATABASE_URL: the tokens of that stack are signed with it',
})
  .refine((s) => !s.AI_MODEL || s.ANTHROPIC_API_KEY || s.FUNCTIONS_URL, {
    path: ['ANTHROPIC_API_KEY'],
    error: 'must be set together with AI_MODEL, unless the functions of FUNCTIONS_URL have it',
  })
  .refine((s) => s.EMBEDDINGS !== 'edge' || s.FUNCTIONS_URL, {
    path: ['EMBEDDINGS'],
    error: 'must not be edge without FUNCTIONS_URL, because the model is part of the edge runtime',
  })
  .refine((s) => s.DATABASE_URL || !s.DATABASE_DIRECT_URL, {
    path: ['DATABASE_DIRECT_URL'],
    error: 'must be set together with DATABASE_URL, which leads to the same database through a pooler',
  })
  .refine((s) => s.DATABASE_URL || !s.DATABASE_REPLICA_URLS, {
    path: ['DATABASE_REPLICA_URLS'],
    error: 'must be set together with DATABASE_URL, the primary of these replicas',
  })
  .refine((s) => !s.DATABASE_URL || !s.DB_PORT, {
    path: ['DB_PORT'],
    error: 'is only for the embedded database, but DATABASE_URL is set',
  })
  .refine((s) => !s.DATABASE_URL || !s.DB_SETTINGS, {
    path: ['DB_SETTINGS'],
    error: 'is only for the embedded database, but DATABASE_URL is set',
  })
  .refine((s) => !s.DATABASE_URL || s.REPLICAS === 0, {
    path: ['REPLICAS'],
    error: 'is only for the embedded database, but DATABASE_URL is set',
  })
  .refine((s) => !s.DATABASE_URL || !s.BACKUP_TO, {
    path: ['BACKUP_TO'],
    error: 'is only for the embedded database. docs/operation.md, Backup and restore, says how to back up another one',
  })
  .refine((s) => !s.BACKUP_TO?.startsWith('s3:') || s.BACKUP_URL, {
    path: ['BACKUP_URL'],
    error: 'must be set together with BACKUP_ACCESS_KEY and BACKUP_SECRET_KEY, because BACKUP_TO is in a bucket',
  })
  .refine((s) => !s.STORAGE_UPLOAD_BUCKET || (s.STORAGE_BUCKET && s.STORAGE_UPLOAD_BUCKET !== s.STORAGE_BUCKET), {
    path: ['STORAGE_UPLOAD_BUCKET'],
    error: 'must be another bucket than STORAGE_BUCKET, which is public',
  })
  .refine((s) => s.DATABASE_URL || !s.REALTIME, {
    path: ['REALTIME'],
    error: 'is only for the database of DATABASE_URL; the embedded one always has its own',
  })
  .refine((s) => !s.ANDROID_APP === !s.ANDROID_CERTIFICATES, {
    path: ['ANDROID_APP'],
    error: 'must be set together with ANDROID_CERTIFICATES',
  })
  .superRefine((s, context) => {
    const given: Record<string, unknown> = s
    for (const [parts, others] of [
      [storageParts, 'STORAGE_…'],
      [apnsParts, 'APNS_…'],
      [oidcParts, 'of OIDC_ISSUER and OIDC_CLIENT_ID'],
      [oidcUrls, 'of OIDC_AUTHORIZATION_URL, OIDC_TOKEN_URL and OIDC_JWKS_URL'],
      [backupParts, 'of BACKUP_URL, BACKUP_ACCESS_KEY and BACKUP_SECRET_KEY'],
    ] as const) {
      const missing = parts.filter((name) => given[name] === undefined)
      if (missing.length === parts.length) continue
      for (const name of missing)
        context.addIssue({ code: 'custom', path: [name], message: `must be set together with the other ${others}` })
    }
  })
  .transform((s) => ({ ...s, PUBLIC_URL: s.PUBLIC_URL ?? `http://localhost:${s.PORT}` }))
  .transform((s) => ({
    port: s.PORT,
    isProduction: s.NODE_ENV === 'production',
    host: s.HOST,
    drainSeconds: s.DRAIN_SECONDS,
    databaseUrl: s.DATABASE_URL,
    databaseDirectUrl: s.DATABASE_DIRECT_URL,
    replicaUrls: s.DATABASE_REPLICA_URLS,
    replicaMaxLag: s.REPLICA_MAX_LAG,
    // The embedded database has no pooler.
    databasePrepare: s.DATABASE_URL ? s.DATABASE_PREPARE : 'on',
    realtime: s.REALTIME ?? (s.DATABASE_URL ? 'stack' : 'embedded'),
    functionsUrl: s.FUNCTIONS_URL && withoutSlash(s.FUNCTIONS_URL),
    publicUrl: withoutSlash(s.PUBLIC_URL),
    facadeUrl: withoutSlash(s.FACADE_URL ?? new URL(s.PUBLIC_URL).origin),
    // The operator's texts for people, as files, and the addresses of apps.
    texts: { about: s.ABOUT_FILE, rules: s.RULES_FILE, privacy: s.PRIVACY_FILE },
    apps: s.GET_APP,
    publicPages: s.PUBLIC_PAGES,
    storage: storageOf(s),
    mediaQuota: s.MEDIA_QUOTA,
    // Generated avatars are at the facade's own address.
    mediaHosts: [...s.MEDIA_HOSTS, new URL(s.FACADE_URL ?? s.PUBLIC_URL).host],
    // Without a storage the facade stores media itself, but only in development.
    mediaSink: !storageOf(s) && s.NODE_ENV !== 'production' && !s.FUNCTIONS_URL,
    smtpUrl: s.SMTP_URL,
    mailFrom: s.MAIL_FROM ?? `Kith <no-reply@${s.INSTANCE_DOMAIN}>`,
    vapidPrivateKey: s.VAPID_PRIVATE_KEY,
    signingKey: s.SIGNING_KEY,
    signingKeyPrevious: s.SIGNING_KEY_PREVIOUS,
    auditKey: s.AUDIT_KEY,
    expoUrl: s.EXPO_URL.replace(/\/$/, ''),
    expoAccessToken: s.EXPO_ACCESS_TOKEN,
    webPushOrigins: s.PUSH_ORIGINS,
    fcm: fcmOf(s.FCM_SERVICE_ACCOUNT, s.FCM_URL),
    apns: apnsOf({
      key: s.APNS_KEY,
      keyId: s.APNS_KEY_ID,
      teamId: s.APNS_TEAM_ID,
      topic: s.APNS_TOPIC,
      url: s.APNS_URL,
    }),
    androidApp: s.ANDROID_APP ? { name: s.ANDROID_APP, certificates: s.ANDROID_CERTIFICATES ?? [] } : undefined,
    appleAppIds: s.APPLE_APP_IDS,
    registerApps: s.REGISTER_APPS,
    webhookExempt: s.WEBHOOK_EXEMPT,
    refusesGuessable: (s.GUESSABLE_PASSWORDS ?? (s.NODE_ENV === 'production' ? 'refuse' : 'accept')) === 'refuse',
    requireFactor: s.REQUIRE_FACTOR ?? (s.NODE_ENV === 'production' ? (['admin', 'moderator'] as const) : []),
    // Passkeys are bound to this domain, and pages of these origins use them.
    passkeys: {
      domain: s.PASSKEY_DOMAIN ?? new URL(s.PUBLIC_URL).hostname,
      origins: s.PASSKEY_ORIGINS ?? [
        ...new Set([s.PUBLIC_URL, s.FACADE_URL ?? s.PUBLIC_URL].map((url) => new URL(url).origin)),
      ],
    },
    proofTier: s.PROOF_TIER,
    oidc: oidcOf(s),
    aiModel: s.AI_MODEL,
    anthropicApiKey: s.ANTHROPIC_API_KEY,
    anthropicBaseUrl: s.ANTHROPIC_BASE_URL?.replace(/\/$/, ''),
    aiTimeout: s.AI_TIMEOUT,
    embeddings: s.EMBEDDINGS,
    aiDailyTokens: s.AI_DAILY_TOKENS,
    jwtSecret: s.JWT_SECRET,
    jwtSecretNext: s.JWT_SECRET_NEXT,
    jwtSecretPrevious: s.JWT_SECRET_PREVIOUS,
    instanceDomain: s.INSTANCE_DOMAIN,
    adminEmail: s.ADMIN_EMAIL,
    adminPassword: s.ADMIN_PASSWORD,
    dataDir: s.DATA_DIR,
    databasePort: s.DB_PORT,
    databaseSettings: s.DB_SETTINGS,
    replicas: { count: s.REPLICAS, synchronous: s.REPLICAS_SYNC === 'on' },
    backup: backupOf(s),
    rateLimitScale: s.RATE_LIMIT_SCALE,
    rateLimits: s.RATE_LIMITS,
    // Several facades may share an external database; the embedded database has only one facade.
    rateLimitStore: s.RATE_LIMIT_STORE ?? (s.DATABASE_URL ? 'database' : 'memory'),
    trustedProxyHops: s.TRUSTED_PROXY_HOPS,
    corsOrigins: s.CORS_ORIGINS,
    bodyLimit: s.BODY_LIMIT,
    logLevel: s.LOG_LEVEL ?? (s.NODE_ENV === 'test' ? 'silent' : 'info'),
    metricsToken: s.METRICS_TOKEN,
    tracing: tracingOf((name) => s[name]),
    worker: s.WORKER,
    poolSizes: { anon: s.POOL_ANON, gate: s.POOL_GATE, user: s.POOL_USER, service: s.POOL_SERVICE },
  }))

export type Config = z.output<typeof Settings>

/** The name of the bucket if media are in a folder. */
export const SINK = 'local'

/** The URL and the bucket of media objects, from which SQL makes public URLs. */
export const mediaPlace = ({ storage, facadeUrl }: Config): { url: string; bucket: string } =>
  storage
    ? { url: storage.publicUrl, bucket: storage.bucket }
    : { url: `${facadeUrl}/api/v1/media/local`, bucket: SINK }

/**
 * The secret that signs, then those that only verify: the next one, which other processes may already sign with, and
 * the previous one, until its tokens have expired.
 */
export const secretsOf = (config: Config, secret: string): [string, ...string[]] => [
  secret,
  ...[config.jwtSecretNext, config.jwtSecretPrevious].flatMap((one) => one ?? []),
]

/** @throws Error that names every wrong variable, but never its value, because some are secrets */
export function readConfig(env: Record<string, string | undefined>): Config {
  const settings = Settings.safeParse(env, { error: describeIssue })
  if (settings.success) return settings.data
  const lines = settings.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`)
  throw new Error(`The configuration is not valid.\n${lines.join('\n')}`)
}

/** The edit distance of two names. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, n) => n)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const replaced = (row[j - 1] ?? 0) + Number(one[i - 1] !== other[j - 1])
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}

/** The environment variables that `readConfig` reads. */
export const variableNames: readonly string[] = Object.keys(Variables.shape)

/** A warning for every unknown variable that looks like one of ours, because it would be ignored silently. */
export function nearMisses(env: Record<string, string | undefined>): string[] {
  return Object.keys(env).flatMap((name) => {
    if (variableNames.includes(name)) return []
    // In a short name only one letter may differ; otherwise HOME would look like PORT or HOST.
    const meant = variableNames.find((one) => distance(name, one) <= (one.length > 6 ? 2 : 1))
    return meant ? `${name} is not a setting of Kith and is ignored. Did you mean ${meant}?` : []
  })
}
