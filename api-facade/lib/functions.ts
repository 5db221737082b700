// Edge functions: in the runtime of FUNCTIONS_URL if it is set, otherwise in this process.
import { mkdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { SignJWT } from 'jose'
import type { MailSender } from '../../edge-functions/deliver/messages.ts'
import { contactOf } from '../../edge-functions/deliver/providers.ts'
import { type VapidKeys, vapidKeyOf, vapidKeys } from '../../edge-functions/deliver/vapid.ts'
import { type Tracing, traced, traceparent } from '../../edge-functions/shared/tracing.ts'
import { type Config, secretsOf } from './config.ts'
import type { Log } from './log.ts'

export type Functions = {
  /**
   * Calls a function; `path` begins with its name. The body of the answer is a stream that can be cancelled.
   * @throws Error if there is no answer in time, or if `signal` aborts
   */
  invoke(path: string, body: unknown, options?: InvokeOptions): Promise<Response>
}
type InvokeOptions = {
  /** The token that is sent; by default the token of the service. */
  token?: string
  /** Aborts the call and the body of its answer. */
  signal?: AbortSignal
}
type FunctionsOptions = {
  config: Config
  jwtSecret: string
  log: Log
  tracing: Tracing
  /** The functions that can run in this process; by default all. */
  functions?: Registry
}

/** What a function in this process gets: settings, secrets, a folder and the log. */
type Site = {
  config: Config
  jwtSecret: string
  /** The secrets that may have signed a caller's token. */
  jwtSecrets: readonly string[]
  /** The folder for data that has no external storage. */
  dataDir: string
  log: Log
}
type App = { fetch(request: Request): Response | Promise<Response> }
type Registry = Readonly<Record<string, (site: Site) => Promise<App>>>

/**
 * One row per function: how it is made in this process, as edge-functions/<name>/index.ts makes it in Deno. It is
 * imported at its first call, because some functions have large packages.
 */
export const registry: Registry = {
  async ai({ config, jwtSecrets }) {
    const { createAi } = await import('../../edge-functions/ai/handler.ts')
    const { aiModel: name, anthropicApiKey: apiKey, anthropicBaseUrl: baseUrl, aiTimeout: patience } = config
    if (!name || !apiKey) return createAi({ jwtSecrets, model: undefined })
    const { anthropic } = await import('../../edge-functions/ai/model.ts')
    return createAi({ jwtSecrets, model: anthropic({ apiKey, model: name, patience, baseUrl }) })
  },
  async deliver({ config, jwtSecret, jwtSecrets, dataDir, log }) {
    const [{ createDeliver }, { pushSender }, { smtpSender }, { webhookSender }, { outside }] = await Promise.all([
      import('../../edge-functions/deliver/handler.ts'),
      import('../../edge-functions/deliver/push.ts'),
      import('../../edge-functions/deliver/smtp.ts'),
      import('../../edge-functions/deliver/webhooks.ts'),
      import('../../edge-functions/shared/outside.ts'),
    ])
    const { smtpUrl, mailFrom, expoUrl, expoAccessToken, webPushOrigins, fcm, apns, webhookExempt } = config
    const sendMail = smtpUrl ? smtpSender(smtpUrl, mailFrom) : folderSender(join(dataDir, 'mail'), mailFrom, log)
    const vapid = vapidOf(config, jwtSecret)
    const contact = contactOf(mailFrom)
    const push = pushSender({ expoUrl, expoAccessToken, webPushOrigins, vapid, contact, fcm, apns })
    const sendWebhook = webhookSender(outside({ ports: [443], withoutTls: false, exempt: webhookExempt }))
    return createDeliver({ jwtSecrets, sendMail, push, sendWebhook })
  },
  async embed({ jwtSecrets }) {
    const { createEmbed } = await import('../../edge-functions/embed/handler.ts')
    return createEmbed({ jwtSecrets }) // It gets no model, because the model is part of Supabase's runtime.
  },
  async media({ config, jwtSecret, jwtSecrets }) {
    const [{ createMedia }, { s3Storage }, { sha256 }, { sinkStorage }, { createSeals }] = await Promise.all([
      import('../../edge-functions/media/handler.ts'),
      import('../../edge-functions/media/storage.ts'),
      import('../../edge-functions/media/digest.ts'),
      import('./sink.ts'),
      import('./seals.ts'),
    ])
    const storage = config.storage
      ? s3Storage(config.storage)
      : sinkStorage(config, createSeals(secretsOf(config, jwtSecret)))
    return createMedia({ jwtSecrets, storage, sha256 })
  },
  async 'link-preview'({ jwtSecrets }) {
    const [{ createLinkPreview }, { outside }] = await Promise.all([
      import('../../edge-functions/link-preview/handler.ts'),
      import('../../edge-functions/shared/outside.ts'),
    ])
    return createLinkPreview({ jwtSecrets, open: outside() })
  },
}

/** How long a function may take until its answer begins. Milliseconds. */
const PATIENCE = 30_000

export function openFunctions({ config, jwtSecret, log, tracing, functions = registry }: FunctionsOptions): Functions {
  const key = new TextEncoder().encode(jwtSecret)
  const { functionsUrl } = config
  const dataDir = resolve(config.dataDir ?? join(import.meta.dirname, '../../.data'))
  const site: Site = { config, jwtSecret, jwtSecrets: secretsOf(config, jwtSecret), dataDir, log }
  const ask = functionsUrl ? fetch : here(functions, site, tracing)
  const serviceToken = () =>
    new SignJWT({ role: 'service_role' })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuedAt()
      .setExpirationTime('1m')
      .sign(key)

  return {
    invoke(path, body, { token, signal } = {}) {
      return tracing.run(`call ${path}`, { kind: 'client' }, async () => {
        // The time limit ends when the answer begins, because an answer can stream for longer.
        const late = new AbortController()
        const clock = setTimeout(() => late.abort(new Error(`${path} did not answer in time.`)), PATIENCE)
        const trace = traceparent()
        const request = new Request(`${functionsUrl ?? 'http://localhost'}/${path}`, {
          method: 'POST',
          headers: {
            Authorization: `Bearer ${token ?? (await serviceToken())}`,
            'Content-Type': 'application/json',
            ...(trace && { traceparent: trace }),
          },
          body: JSON.stringify(body),
          signal: signal ? AbortSignal.any([late.signal, signal]) : late.signal,
        })
        return ask(request).finally(() => clearTimeout(clock))
      })
    },
  }
}

/** Why an answer is an error, for the log, in the function's own codes. Reads the body, which frees the connection. */
export async function failureOf(name: string, answer: Response): Promise<Error> {
  const told: unknown = await answer.json().catch(() => undefined)
  const codes = Object(told).failure
  return new Error(`${name} answered ${answer.status}${typeof codes === 'string' ? ` (${codes.slice(0, 200)})` : ''}`)
}

/** Answers in this process, and aborts with the request's signal as fetch does. */
function here(functions: Registry, site: Site, tracing: Tracing): (request: Request) => Promise<Response> {
  const made = new Map<string, Promise<App>>()
  return async (request) => {
    const { signal } = request
    const name = new URL(request.url).pathname.split('/')[1] ?? ''
    const make = Object.hasOwn(functions, name) ? functions[name] : undefined
    if (!make) return new Response(null, { status: 404 })
    const app = made.get(name) ?? make(site)
    made.set(name, app)
    const answer = await unlessAborted(
      app.then((one) => traced(one, tracing)(request)),
      signal,
    )
    const body = answer.body?.pipeThrough(new TransformStream(), { signal }) ?? null
    return new Response(body, answer)
  }
}

/** @throws the reason of the signal once it is aborted */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((done, fail) => {
    const end = () => fail(signal.reason)
    if (signal.aborted) end()
    signal.addEventListener('abort', end)
    work.then(done, fail).finally(() => signal.removeEventListener('abort', end))
  })
}

/** The key by which push services identify the instance. */
export const vapidOf = (config: Config, jwtSecret: string): VapidKeys =>
  vapidKeys(config.vapidPrivateKey ?? vapidKeyOf(jwtSecret))

/**
 * Replaces SMTP in development: writes each mail to a text file, and its HTML version to a page, for the developer.
 */
function folderSender(folder: string, from: string, log: Log): MailSender {
  return async ({ id, to, subject, text, html, headers }) => {
    mkdirSync(dirname(folder), { recursive: true })
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const name = join(folder, `${new Date().toISOString().replace(/[:.]/g, '-')}-${id}`)
    const path = `${name}.txt`
    const head = Object.entries({ From: from, To: to, Subject: subject, ...headers }).map((line) => line.join(': '))
    await writeFile(path, `${head.join('\n')}\n\n${text}`, { mode: 0o600 })
    if (html) await writeFile(`${name}.html`, html, { mode: 0o600 })
    log.info({ path }, 'there is no SMTP_URL: a mail was written to a file')
    return 'sent'
  }
}
