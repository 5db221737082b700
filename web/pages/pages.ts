// The pages for people by their addresses. Mail links to some of them.
import type { ComponentType } from '../lib/html.ts'
import { Account } from './pages/account.ts'
import { Consent, Device } from './pages/apps.ts'
import { EndSession } from './pages/end-session.ts'
import { Join } from './pages/join.ts'
import { Notifications } from './pages/notifications.ts'
import { Privacy, Rules } from './pages/operator.ts'
import { Forgot, Reset } from './pages/reset.ts'
import { Unsubscribe } from './pages/unsubscribe.ts'
import { Verify } from './pages/verify.ts'
import type { paths } from './paths.ts'
import type { Texts } from './texts.ts'

type Page = { title: (t: Texts) => string; page: ComponentType }

export const pages: Record<(typeof paths)[number], Page> = {
  '/verify-email': { title: (t) => t.verify.title, page: Verify },
  '/reset-password': { title: (t) => t.reset.title, page: Reset },
  '/end-session': { title: (t) => t.endSession.title, page: EndSession },
  '/forgot-password': { title: (t) => t.forgot.title, page: Forgot },
  '/unsubscribe': { title: (t) => t.unsubscribe.title, page: Unsubscribe },
  '/notifications': { title: (t) => t.notifications.title, page: Notifications },
  '/join': { title: (t) => t.join.title, page: Join },
  '/account': { title: (t) => t.account.title, page: Account },
  '/oauth/consent': { title: (t) => t.allow.title, page: Consent },
  '/oauth/device': { title: (t) => t.allow.deviceTitle, page: Device },
  '/rules': { title: (t) => t.rules.title, page: Rules },
  '/privacy': { title: (t) => t.privacy.title, page: Privacy },
}
