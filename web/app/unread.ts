// Counts unread notifications and conversations for the menu, at the login and after each event.
import { computed, effect, signal } from '../lib/html.ts'
import { onUser } from './live.ts'
import { keepPush } from './push.ts'
import { kith, me } from './session.ts'
import { spaced } from './spaced.ts'

export const unreadNotifications = signal(0)
export const unreadConversations = signal(0)

/** If counting fails, the menu shows the previous number. */
const quietly = (count: () => Promise<void>) => spaced(() => count().catch(() => undefined))

export const countNotifications = quietly(async () => {
  unreadNotifications.value = (await kith.get('/notifications/unread-count')).count
})
export const countConversations = quietly(async () => {
  unreadConversations.value = (await kith.get('/conversations/unread-count')).count
})

/** Counts while somebody is signed in, and renews the registration for their pushes. */
export function startCounting(): void {
  let stop: (() => void) | undefined
  const personId = computed(() => me.value?.personId)
  effect(() => {
    stop?.()
    stop = undefined
    if (!personId.value) return
    void keepPush().catch(() => undefined)
    countNotifications()
    countConversations()
    stop = onUser(({ event }) => {
      if (event === 'notification') countNotifications()
      else countConversations()
    })
  })
}
