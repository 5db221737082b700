import { among, type Case, interest, read } from '../case.ts'

/** How many people have each viewer of data.sql in a circle. */
const relations = { 1: 0, 2: 50, 3: 5000 } as const
const viewers = [1, 2, 3] as const

const feed = (viewer: (typeof viewers)[number], tab?: 'following' | 'trending' | 'circles'): Case =>
  read(
    `${tab ?? 'home'}-${relations[viewer]}`,
    viewer,
    'list_feed',
    tab ? `/feed?tab=${tab}` : '/feed',
    tab ? { p_tab: tab } : {},
  )

export const cases = (): Case[] => {
  const history = interest('history')
  return among(
    ['posts', 'vectors'],
    [
      ...viewers.map((viewer) => feed(viewer)),
      read('home-50-near', 9, 'list_feed', '/feed'), // the same as home-50 for a person with a centroid
      ...viewers.map((viewer) => feed(viewer, 'following')),
      ...viewers.map((viewer) => feed(viewer, 'trending')),
      ...viewers.map((viewer) => feed(viewer, 'circles')),
      read('interest', 2, 'list_feed', `/feed?interestId=${history}`, { p_interest_id: history }),
      read('format', 2, 'list_feed', '/feed?format=note', { p_format: 'note' }),
    ],
  )
}
