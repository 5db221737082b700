// Handlers of routes that need the OAuth provider or make a secret.
import { randomBytes } from 'node:crypto'
import type { z } from 'zod'
import { callFor } from '../../lib/call.ts'
import type { Context } from '../../lib/context.ts'
import { bytea, hashOf } from '../../lib/seals.ts'
import { App, type Decision, type Device, type DeviceDecision, type WaitingQuery } from './schemas.ts'

export async function renewSecret(c: Context, { id }: { id: string }) {
  const secret = `kith_ocs_${randomBytes(32).toString('base64url')}`
  const app = await callFor(c, 'renew_app_secret', { p_id: id, p_secret_hash: bytea(hashOf(secret)) }, App, 'gate')
  return { app, secret }
}

export const findWaiting = (c: Context, { request }: z.output<typeof WaitingQuery>) =>
  c.get('services').oauth.waiting(c, request)

export const decide = async (c: Context, { request, allow }: z.output<typeof Decision>) => ({
  next: await c.get('services').oauth.decide(c, request, allow),
})

export const findDevice = (c: Context, { userCode }: z.output<typeof Device>) =>
  c.get('services').oauth.waitingDevice(c, userCode)

export const decideDevice = (c: Context, { userCode, allow }: z.output<typeof DeviceDecision>) =>
  c.get('services').oauth.decideDevice(c, userCode, allow)
