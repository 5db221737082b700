// The pages of the panel. Each page adds its row; the menu shows the pages that have a section and that the person may
// use.
import type { ComponentType } from '../lib/html.ts'
import { later } from '../lib/later.ts'
import type { PageProps } from '../lib/router.ts'
import { AccessPage } from './pages/access.ts'
import { Appeals } from './pages/appeals.ts'
import { Apps } from './pages/apps.ts'
import { AuditLog } from './pages/audit.ts'
import { Books } from './pages/books.ts'
import { Broadcast } from './pages/broadcast.ts'
import { CasePage } from './pages/case.ts'
import { Cases } from './pages/cases.ts'
import { Circles, Contents, MediaPage, SeriesPage } from './pages/contents.ts'
import { Flags } from './pages/flags.ts'
import { AssistantSessions, Conversations, Intents } from './pages/glances.ts'
import { Interests } from './pages/interests.ts'
import { Invites } from './pages/invites.ts'
import { FailedJobs, Jobs, StuckEffects } from './pages/jobs.ts'
import { Orders } from './pages/orders.ts'
import { Overview } from './pages/overview.ts'
import { Payments } from './pages/payments.ts'
import { People } from './pages/people.ts'
import { PersonPage } from './pages/person.ts'
import { Posts, Replies } from './pages/posts.ts'
import { Contribution, ReputationAppeals, ReputationEntries, Votes } from './pages/reputation.ts'
import { Signals } from './pages/signals.ts'
import { GroupPage, Groups, GuildPage, Guilds } from './pages/spaces.ts'
import { Transparency } from './pages/transparency.ts'
import { Wallets } from './pages/wallets.ts'
import { EventLog, WebhookPage, Webhooks } from './pages/webhooks.ts'
import { WikiProposal, WikiProposals } from './pages/wiki.ts'
import type { Texts } from './texts.ts'

export type PanelPage = {
  /** The address, with `:name` for parameters. */
  path: string
  title: (t: Texts) => string
  page: ComponentType<PageProps>
  /** The heading in the menu above the page's entry; a page without one has no entry. */
  section?: keyof Texts['sections']
  /** Whether only admins may use it. */
  admin?: true
}

const rules = () => import('./pages/rules.ts')

export const pages: PanelPage[] = [
  { path: '/admin/overview', title: (t) => t.overview.title, page: Overview, section: 'overview' },

  { path: '/admin/cases', title: (t) => t.cases.title, page: Cases, section: 'moderation' },
  { path: '/admin/cases/:id', title: (t) => t.case.title, page: CasePage },
  { path: '/admin/appeals', title: (t) => t.appeals.title, page: Appeals, section: 'moderation' },
  { path: '/admin/access', title: (t) => t.access.title, page: AccessPage, section: 'moderation' },
  { path: '/admin/rules', title: (t) => t.rules.title, page: later(rules, 'Rules'), section: 'moderation' },
  { path: '/admin/new-rule', title: (t) => t.rules.newTitle, page: later(rules, 'NewRulePage'), admin: true },
  { path: '/admin/rules/:id', title: (t) => t.rules.rule, page: later<'RulePage', PageProps>(rules, 'RulePage') },

  { path: '/admin/people', title: (t) => t.people.title, page: People, section: 'people' },
  { path: '/admin/people/:id', title: (t) => t.person.title, page: PersonPage },
  { path: '/admin/apps', title: (t) => t.apps.title, page: Apps, section: 'people' },

  { path: '/admin/posts', title: (t) => t.posts.title, page: Posts, section: 'content' },
  { path: '/admin/replies', title: (t) => t.replies.title, page: Replies, section: 'content' },
  { path: '/admin/content', title: (t) => t.contents.title, page: Contents, section: 'content' },
  { path: '/admin/media', title: (t) => t.media.title, page: MediaPage, section: 'content' },
  { path: '/admin/series', title: (t) => t.series.title, page: SeriesPage, section: 'content' },
  { path: '/admin/circles', title: (t) => t.circles.title, page: Circles, section: 'content' },
  { path: '/admin/groups', title: (t) => t.spaces.groups, page: Groups, section: 'content' },
  { path: '/admin/groups/:id', title: (t) => t.spaces.group, page: GroupPage },
  { path: '/admin/guilds', title: (t) => t.spaces.guilds, page: Guilds, section: 'content' },
  { path: '/admin/guilds/:id', title: (t) => t.spaces.guild, page: GuildPage },

  { path: '/admin/wallets', title: (t) => t.wallets.title, page: Wallets, section: 'economy' },
  { path: '/admin/payments', title: (t) => t.payments.title, page: Payments, section: 'economy' },
  { path: '/admin/orders', title: (t) => t.orders.title, page: Orders, section: 'economy' },
  { path: '/admin/books', title: (t) => t.books.title, page: Books, section: 'economy' },
  { path: '/admin/signals', title: (t) => t.signals.title, page: Signals, section: 'economy' },

  { path: '/admin/interests', title: (t) => t.interests.title, page: Interests, section: 'knowledge' },
  { path: '/admin/wiki', title: (t) => t.wiki.title, page: WikiProposals, section: 'knowledge' },
  { path: '/admin/wiki/:id', title: (t) => t.wiki.one, page: WikiProposal },
  {
    path: '/admin/reputation/entries',
    title: (t) => t.reputation.title,
    page: ReputationEntries,
    section: 'knowledge',
  },
  { path: '/admin/reputation/votes', title: (t) => t.votes.title, page: Votes, section: 'knowledge' },
  {
    path: '/admin/reputation/appeals',
    title: (t) => t.reputationAppeals.title,
    page: ReputationAppeals,
    section: 'knowledge',
  },
  { path: '/admin/contribution', title: (t) => t.contribution.title, page: Contribution, section: 'knowledge' },

  { path: '/admin/flags', title: (t) => t.flags.title, page: Flags, section: 'instance' },
  { path: '/admin/broadcast', title: (t) => t.broadcast.title, page: Broadcast, section: 'instance', admin: true },
  { path: '/admin/invites', title: (t) => t.invites.title, page: Invites, section: 'instance' },
  { path: '/admin/jobs', title: (t) => t.jobs.title, page: Jobs, section: 'instance' },
  { path: '/admin/failed-jobs', title: (t) => t.failedJobs.title, page: FailedJobs, section: 'instance' },
  { path: '/admin/effects', title: (t) => t.effects.title, page: StuckEffects, section: 'instance' },
  { path: '/admin/webhooks', title: (t) => t.webhooks.title, page: Webhooks, section: 'instance', admin: true },
  { path: '/admin/webhooks/:id', title: (t) => t.webhooks.one, page: WebhookPage, admin: true },
  { path: '/admin/events', title: (t) => t.eventLog.title, page: EventLog, section: 'instance', admin: true },
  { path: '/admin/audit', title: (t) => t.audit.title, page: AuditLog, section: 'instance', admin: true },
  {
    path: '/admin/transparency',
    title: (t) => t.transparency.title,
    page: Transparency,
    section: 'instance',
    admin: true,
  },
  { path: '/admin/intents', title: (t) => t.intents.title, page: Intents, section: 'instance' },
  { path: '/admin/assistant', title: (t) => t.assistant.title, page: AssistantSessions, section: 'instance' },
  { path: '/admin/conversations', title: (t) => t.conversations.title, page: Conversations, section: 'instance' },
]

/** The page that /admin opens. */
export const HOME = '/admin/overview'
