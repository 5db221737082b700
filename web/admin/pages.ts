// The pages of the panel. Each page adds its row; the menu shows those with a section that the person may use.
import type { ComponentType } from '../lib/html.ts'
import { People } from './pages/people.ts'
import type { Texts } from './texts.ts'

export type PageProps = { params: Record<string, string> }
export type PanelPage = {
  /** The address, with `:name` for parameters. */
  path: string
  title: (t: Texts) => string
  page: ComponentType<PageProps>
  /** The heading in the menu under which the page stands; without one it has no entry. */
  section?: keyof Texts['sections']
  /** Only admins may use it. */
  admin?: true
}

export const pages: PanelPage[] = [
  { path: '/admin/people', title: (t) => t.people.title, page: People, section: 'people' },
]

/** The page that /admin opens. */
export const HOME = '/admin/people'
