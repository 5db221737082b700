// Pushes to this browser: the person turns them on in the settings, and they end with the logout.
import { signal } from '../lib/html.ts'
import { workers } from './install.ts'
import { kith, me } from './session.ts'

/** The storage key of the person whose pushes this browser gets. */
const KEY = 'kith.push'

/** Whether this browser can show pushes. */
export const canPush = Boolean(workers) && 'PushManager' in globalThis && 'Notification' in globalThis

/** Whether this browser gets the pushes of the person who is signed in; undefined until that is known. */
export const isPushed = signal<boolean | undefined>(undefined)

const subscribed = async (): Promise<PushSubscription | null> =>
  (await workers?.getRegistration('/app'))?.pushManager?.getSubscription() ?? null

async function register(subscription: PushSubscription): Promise<void> {
  const { endpoint: token = '', keys: { p256dh = '', auth = '' } = {} } = subscription.toJSON()
  await kith.post('/me/push-token', { body: { token, platform: 'web', keys: { p256dh, auth } } })
  localStorage.setItem(KEY, me.value?.personId ?? '')
  isPushed.value = true
}

/** Registers the browser again, so that the instance keeps the registration. Pushes to somebody else in this browser end. */
export async function keepPush(): Promise<void> {
  const subscription = canPush ? await subscribed() : null
  if (subscription && localStorage.getItem(KEY) === me.value?.personId) await register(subscription)
  else await stopPush()
}

/** @returns whether the browser gets pushes now: the person may have refused */
export async function startPush(): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted' || !workers) return false
  const { publicKey } = await kith.get('/notifications/push-key')
  const { pushManager } = await workers.ready
  await register(await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey }))
  return true
}

export async function stopPush(): Promise<void> {
  const subscription = canPush ? await subscribed() : null
  localStorage.removeItem(KEY)
  isPushed.value = false
  if (!subscription) return
  await kith.delete('/me/push-token', { params: { query: { token: subscription.endpoint } } })
  await subscription.unsubscribe()
}

/** Logs out. The next person who uses this browser gets no pushes of this person. */
export async function logOut(): Promise<void> {
  await stopPush().catch(() => undefined)
  await kith.logOut()
}
