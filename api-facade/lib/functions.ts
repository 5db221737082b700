// Edge functions: on the stack's own runtime where FUNCTIONS_URL names it, else in this process.
import { mkdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { SignJWT } from 'jose'
import { createDeliver, type Mail } from '../../edge-functions/deliver/handler.ts'
import { contactOf } from '../../edge-functions/deliver/providers.ts'
import { pushSender } from '../../edge-functions/deliver/push.ts'
import { smtpSender } from '../../edge-functions/deliver/smtp.ts'
import { type VapidKeys, vapidKeyOf, vapidKeys } from '../../edge-functions/deliver/vapid.ts'
import type { Config } from './config.ts'
import type { Log } from './log.ts'

export type Functions = {
  /** Calls a function in the service's name; `path` begins with the function's name. */
  invoke(path: string, body: unknown): Promise<Response>
}
export type FunctionsOptions = {
  config: Config
  jwtSecret: string
  /** Where the folder for mail is made that no SMTP server takes. */
  dataDir: string
  log: Log
}

/** How long a function may take to begin its answer. Milliseconds. */
const PATIENCE = 30_000

export function openFunctions({ config, jwtSecret, dataDir, log }: FunctionsOptions): Functions {
  const key = new TextEncoder().encode(jwtSecret)
  const { functionsUrl } = config
  const here = functionsUrl ? undefined : inProcess({ config, jwtSecret, dataDir, log })

  return {
    async invoke(path, body) {
      const token = await new SignJWT({ role: 'service_role' })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setIssuedAt()
        .setExpirationTime('1m')
        .sign(key)
      const request = new Request(`${functionsUrl ?? 'http://localhost'}/${path}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(PATIENCE),
      })
      return here ? here(request) : fetch(request)
    },
  }
}

function inProcess({ config, jwtSecret, dataDir, log }: FunctionsOptions): (request: Request) => Promise<Response> {
  const { smtpUrl, mailFrom } = config
  const folder = join(dataDir, 'mail')
  const sendMail = smtpUrl ? smtpSender(smtpUrl, mailFrom) : folderSender(folder, mailFrom, log)
  const { expoUrl, expoAccessToken, webPushOrigins } = config
  const vapid = vapidOf(config, jwtSecret)
  const push = pushSender({ expoUrl, expoAccessToken, webPushOrigins, vapid, contact: contactOf(mailFrom) })
  const deliver = createDeliver({ jwtSecrets: [jwtSecret], sendMail, push })
  return async (request) => deliver.fetch(request)
}

/** The key by which push services know the instance. */
export const vapidOf = (config: Config, jwtSecret: string): VapidKeys =>
  vapidKeys(config.vapidPrivateKey ?? vapidKeyOf(jwtSecret))

/** Stands for people's mailboxes where there is no SMTP server: a text a mail, for the eyes of whoever runs this. */
function folderSender(folder: string, from: string, log: Log): (mail: Mail) => Promise<void> {
  return async ({ id, to, subject, text }) => {
    mkdirSync(dirname(folder), { recursive: true })
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const path = join(folder, `${new Date().toISOString().replace(/[:.]/g, '-')}-${id}.txt`)
    await writeFile(path, `From: ${from}\nTo: ${to}\nSubject: ${subject}\n\n${text}`, { mode: 0o600 })
    log.info({ path }, 'there is no SMTP_URL: a mail was written to a file')
  }
}
