// The pages of the web client. Each page adds its row; the menu shows the pages with an icon.
import type { ComponentType, ReadonlySignal } from '../lib/html.ts'
import { later } from '../lib/later.ts'
import type { PageProps } from '../lib/router.ts'
import type { Icon } from './icons.ts'
import { CirclePage, Circles } from './pages/circles.ts'
import { Bookmarks, Feed, Scheduled } from './pages/feed.ts'
import { ConversationPage, Conversations } from './pages/messages.ts'
import { Notifications, OpenPath } from './pages/notifications.ts'
import { PersonPage } from './pages/person.ts'
import { PostPage } from './pages/post.ts'
import { Search } from './pages/search.ts'
import { Wallet } from './pages/wallet.ts'
import { Write } from './pages/write.ts'
import type { Texts } from './texts.ts'
import { unreadConversations, unreadNotifications } from './unread.ts'

export type AppPage = {
  /** The address, with `:name` for parameters. */
  path: string
  title: (t: Texts) => string
  page: ComponentType<PageProps>
  /** The icon before the title in the menu; a page without one has no entry. */
  icon?: Icon
  /** The page is in the bar at the bottom of a narrow screen, which has room for four; the others are under "More". */
  isMain?: true
  /** The number of new things on the page. */
  count?: ReadonlySignal<number>
  /** The page has a heading of its own, such as a person's name. */
  hasHeading?: true
}

const settings = () => import('./pages/settings.ts')
const groups = () => import('./pages/groups.ts')
const records = () => import('./pages/guild-records.ts')
const proposals = () => import('./pages/proposals.ts')

export const pages: AppPage[] = [
  { path: '/app', title: (t) => t.feed.title, page: Feed, icon: 'home', isMain: true },
  { path: '/app/search', title: (t) => t.search.title, page: Search, icon: 'search' },
  { path: '/app/write', title: (t) => t.write.title, page: Write, icon: 'write', isMain: true },
  { path: '/app/posts/:id', title: (t) => t.post.title, page: PostPage },
  { path: '/app/people/:username', title: (t) => t.person.title, page: PersonPage, hasHeading: true },
  {
    path: '/app/interests',
    title: (t) => t.interests.title,
    page: later(() => import('./pages/interests.ts'), 'Interests'),
    icon: 'tag',
  },
  { path: '/app/bookmarks', title: (t) => t.bookmarks.title, page: Bookmarks, icon: 'bookmark' },
  { path: '/app/scheduled', title: (t) => t.scheduled.title, page: Scheduled },
  { path: '/app/wallet', title: (t) => t.wallet.title, page: Wallet, icon: 'wallet' },

  {
    path: '/app/messages',
    title: (t) => t.messages.title,
    page: Conversations,
    icon: 'message',
    isMain: true,
    count: unreadConversations,
  },
  { path: '/app/messages/:id', title: (t) => t.messages.one, page: ConversationPage, hasHeading: true },
  {
    path: '/app/notifications',
    title: (t) => t.notifications.title,
    page: Notifications,
    icon: 'bell',
    isMain: true,
    count: unreadNotifications,
  },
  { path: '/app/circles', title: (t) => t.circles.title, page: Circles, icon: 'circles' },
  { path: '/app/circles/:id', title: (t) => t.circles.one, page: CirclePage, hasHeading: true },
  { path: '/app/groups', title: (t) => t.groups.title, page: later(groups, 'Groups'), icon: 'groups' },
  { path: '/app/groups/:id', title: (t) => t.groups.one, page: later(groups, 'GroupPage'), hasHeading: true },
  { path: '/app/guilds', title: (t) => t.guilds.title, page: later(groups, 'Guilds') },
  { path: '/app/guilds/:id', title: (t) => t.guilds.one, page: later(groups, 'GuildPage'), hasHeading: true },
  {
    path: '/app/guilds/:id/proposals/:pid',
    title: (t) => t.guilds.proposal,
    page: later<'ProposalPage', PageProps>(proposals, 'ProposalPage'),
    hasHeading: true,
  },
  {
    path: '/app/guilds/:id/treasury',
    title: (t) => t.guilds.treasuryTitle,
    page: later<'TreasuryPage', PageProps>(records, 'TreasuryPage'),
  },
  {
    path: '/app/guilds/:id/charters',
    title: (t) => t.guilds.charters,
    page: later<'ChartersPage', PageProps>(records, 'ChartersPage'),
  },
  { path: '/app/settings', title: (t) => t.settings.title, page: later(settings, 'ProfileSettings'), icon: 'settings' },
  {
    path: '/app/settings/notifications',
    title: (t) => t.settings.title,
    page: later(settings, 'NotificationSettings'),
  },
  { path: '/app/settings/privacy', title: (t) => t.settings.title, page: later(settings, 'PrivacySettings') },
  { path: '/app/settings/account', title: (t) => t.settings.title, page: later(settings, 'AccountSettings') },
  {
    path: '/app/settings/programs',
    title: (t) => t.settings.title,
    page: later(() => import('./pages/programs.ts'), 'Programs'),
  },
  { path: '/app/open', title: (t) => t.notifications.title, page: OpenPath },
]
