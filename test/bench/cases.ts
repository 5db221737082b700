// All cases, by feature.
import type { Case } from './case.ts'
import { cases as admin } from './cases/admin.ts'
import { cases as courses } from './cases/courses.ts'
import { cases as debates } from './cases/debates.ts'
import { cases as discovery } from './cases/discovery.ts'
import { cases as economy } from './cases/economy.ts'
import { cases as events } from './cases/events.ts'
import { cases as feed } from './cases/feed.ts'
import { cases as groups } from './cases/groups.ts'
import { cases as guilds } from './cases/guilds.ts'
import { cases as identity } from './cases/identity.ts'
import { cases as interests } from './cases/interests.ts'
import { cases as market } from './cases/market.ts'
import { cases as media } from './cases/media.ts'
import { cases as messaging } from './cases/messaging.ts'
import { cases as notifications } from './cases/notifications.ts'
import { cases as posts } from './cases/posts.ts'
import { cases as treasury } from './cases/treasury.ts'
import { cases as videos } from './cases/videos.ts'

const features: ((posts: number) => Case[])[] = [
  feed,
  posts,
  economy,
  notifications,
  videos,
  media,
  messaging,
  groups,
  guilds,
  treasury,
  events,
  debates,
  market,
  courses,
  discovery,
  admin,
  identity,
  interests,
]

/** @param posts the number of posts in the data */
export const cases = (posts: number): Case[] => features.flatMap((feature) => feature(posts))

/** The files of data/ that these cases need, in an order in which each may refer to those before it. */
export const dataOf = (chosen: Case[]): string[] => [...new Set(chosen.flatMap(({ data = [] }) => data))]
