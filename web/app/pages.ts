// The pages of the web client. Each page adds its row; the menu shows those with an icon.
import type { ComponentType, ReadonlySignal } from '../lib/html.ts'
import type { Icon } from './icons.ts'
import { Feed } from './pages/feed.ts'
import type { Texts } from './texts.ts'

export type PageProps = { params: Record<string, string> }
export type AppPage = {
  /** The address, with `:name` for parameters. */
  path: string
  title: (t: Texts) => string
  page: ComponentType<PageProps>
  /** What the menu shows before the title; without one it has no entry. */
  icon?: Icon
  /** Stands in the bar at the bottom of a narrow screen, which has room for four; the others are under "More". */
  isMain?: true
  /** How much is new there. */
  count?: ReadonlySignal<number>
  /** The page has a heading of its own, such as a person's name. */
  hasHeading?: true
}

export const pages: AppPage[] = [{ path: '/app', title: (t) => t.feed.title, page: Feed, icon: 'home', isMain: true }]
