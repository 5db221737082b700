// Schemas of discovery. Rules are in sql/discovery.

import { AboutInterest, ActorId, City, Country, InterestColor, InterestName, InterestSlug } from '../../lib/fields.ts'
import { Page, PersonCard, queryInteger, Timestamp, Uuid, z } from '../../lib/schemas.ts'
import { Group } from '../groups/schemas.ts'
import { Guild } from '../guilds/schemas.ts'

const intent = z
  .enum(['networking', 'friends', 'romantic', 'mentor', 'mentee', 'collab'])
  .describe(
    'What somebody is looking for. A `mentor` is matched with a `mentee`, everybody else with people who look for the same.',
  )
const country = z
  .string()
  .trim()
  .regex(/^[A-Za-z]{2}$/, 'must be a country code of two letters')
const city = z.string().trim().min(1).max(120)
const slug = z.string().trim().min(1).max(80).openapi({ example: 'philosophy' })

export const NewIntent = z
  .object({
    intent,
    note: z.string().max(2000).nullish().describe('Up to 280 characters, shown to candidates.'),
    isActive: z.boolean().default(true).describe('While false, nobody finds you by your intent. Default: true.'),
  })
  .openapi('NewIntent')
export const Intent = z
  .object({
    userId: ActorId.describe('Your own.'),
    intent,
    note: z.string().nullable().describe('What candidates read, up to 280 characters; null if you wrote nothing.'),
    isActive: z.boolean().describe('While false, nobody finds you by your intent.'),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .openapi('Intent')

export const MatchedPerson = PersonCard.extend({
  isFollowing: z.boolean().describe('Whether you follow the person.'),
  sharedInterests: z.int().min(0).describe('How many interests you have in common.'),
}).openapi('MatchedPerson')
const place = { country: Country, city: City }

export const CandidateQuery = z.object({
  intent: intent.optional().describe('Use this instead of your own intent.'),
  interestSlug: slug.optional().describe('Only people who chose this interest, as you did.'),
  country: country.optional().describe('Only people who live in this country: an ISO 3166-1 alpha-2 code.'),
  city: city.optional().describe('Only people who live in this city. Case and accents are ignored.'),
  minShared: queryInteger(0, 1000).default(1).openapi({
    type: 'integer',
    minimum: 0,
    maximum: 1000,
    default: 1,
    description: 'How many interests you must have in common.',
  }),
})
export const Candidate = MatchedPerson.extend({
  intent,
  note: z.string().nullable().describe('What the person wrote with the intent; null if nothing.'),
  ...place,
}).openapi('Candidate')
export const CandidatePage = Page(Candidate)

export const MentorQuery = z.object({
  interestSlug: slug.optional().describe('Only people who chose this interest, as you did.'),
  minExpertiseGap: z
    .string()
    .regex(/^-?\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .default(2)
    .openapi({
      type: 'integer',
      default: 2,
      description:
        'By how much their expertise must exceed yours, from 1 to 4. A value outside this range counts as the nearest one in it.',
    }),
})
const interest = { slug: InterestSlug, name: InterestName }
export const Mentor = MatchedPerson.extend({
  note: z.string().nullable().describe('What the mentor wrote with the intent; null if nothing.'),
  expertiseGap: z.int().min(1).max(4).describe('By how much their expertise in `interest` exceeds yours.'),
  interest: z
    .object({ id: Uuid, ...interest, accentColor: InterestColor })
    .describe('The interest where their expertise exceeds yours most.'),
}).openapi('Mentor')
export const MentorPage = Page(Mentor)

export const PeopleQuery = z.object({
  q: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe('Only people with a similar name, the most similar first. Case and accents are ignored.'),
})
export const SuggestedQuery = z.object({
  limit: queryInteger(1, 50)
    .default(20)
    .openapi({ type: 'integer', minimum: 1, maximum: 50, default: 20 })
    .describe('How many authors.'),
})
export const MatchedPersonPage = Page(MatchedPerson)

export const TalentQuery = z.object({
  interestSlug: slug.optional().describe('Default: all interests that you chose.'),
  country: country.optional().describe('Only people who live in this country: an ISO 3166-1 alpha-2 code.'),
  city: city.optional().describe('Only people who live in this city. Case and accents are ignored.'),
})
export const Talent = MatchedPerson.extend({
  ...place,
  reputation: z
    .object({
      interestId: Uuid,
      ...interest,
      value: z.number().describe('Points with two decimals.'),
      level: z.string().describe('The name of the level that these points reach, such as `Adept`.'),
    })
    .describe('The highest among the interests that were searched.'),
}).openapi('Talent')
export const TalentPage = Page(Talent)

const types = ['post', 'video', 'audio', 'event', 'debate', 'problem', 'course', 'project', 'offering'] as const
export const StreamQuery = z.object({
  type: z.enum(types).optional().describe('Only items of this type.'),
  interestId: Uuid.optional().describe('Only items about this interest or one below it.'),
  country: country.optional().describe('The country of the author: an ISO 3166-1 alpha-2 code.'),
  city: city.optional().describe('The city of the author. Case and accents are ignored.'),
  trending: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .openapi({
      type: 'boolean',
      description:
        'With `true` only posts with a heart, a reply, a repost or a bookmark, and videos with a like, a repost or a comment.',
    }),
})
export const StreamItem = z
  .object({
    type: z.enum(types).describe('The type of the item, which decides the route that reads it.'),
    id: Uuid,
    actorId: ActorId,
    actor: PersonCard,
    interestId: AboutInterest,
    interest: z
      .object({ id: Uuid, ...interest, accentColor: InterestColor })
      .nullable()
      .describe('The interest from the catalog; null if the catalog does not have it.'),
    spaceName: z
      .string()
      .nullable()
      .describe('The name of the group or guild whose members see it; null if it is in none.'),
    title: z.string().nullable().describe('The title, for types that have one; null for the others.'),
    text: z
      .string()
      .max(200)
      .nullable()
      .describe('The beginning of its text, in one line of at most 200 characters; null if it has none.'),
    subBadge: z
      .string()
      .describe('For a post `journalism` or its format; for a content its status, or its kind if it has no status.'),
    mediaUrl: z
      .string()
      .nullable()
      .describe(
        'The address of the first file of a post, or of the recording of a video or audio; null if there is none.',
      ),
    engagement: z
      .object({
        reactCount: z.int().min(0).describe('Hearts of a post, likes of a video.'),
        commentCount: z.int().min(0).describe('Replies to a post, comments on a video.'),
        repostCount: z.int().min(0).describe('How often the post or video was reposted.'),
        viewerHasReacted: z.boolean().describe('Whether you gave the post a heart or a spark, or like the video.'),
        viewerHasReposted: z.boolean().describe('Whether one of the reposts is yours.'),
      })
      .nullable()
      .describe('Only for posts and videos, otherwise null.'),
    createdAt: Timestamp.describe('When the post was published, or the content was created.'),
  })
  .openapi('StreamItem')
export const StreamPage = Page(StreamItem)

export const SearchQuery = z.object({
  q: z.string().trim().min(1).max(200).openapi({
    description:
      'All words must occur. Supports `"phrases"` and `-without`; at most 32 words. Ignores accents, case and word forms, and one wrong letter in names.',
    example: 'gardens "in spring" -roses',
  }),
  type: z
    .enum(['person', 'group', 'guild', 'wiki', ...types])
    .optional()
    .describe('Only results of this type.'),
  interestId: Uuid.optional().describe(
    'Only results about this interest or one below it. Leaves out people, because a person is about no interest.',
  ),
})
const hit = {
  id: z.string().describe('The id with which the route of its type reads it; for a person the actor id.'),
  title: z.string().nullable().describe('Its title or name; null for types without one.'),
  excerpt: z
    .string()
    .describe('The text around the hits, or its beginning, as HTML: hits are in `<mark>`, everything else is escaped.'),
}
const SearchPerson = PersonCard.extend({
  ...hit,
  type: z.literal('person').describe('The other fields are those of a person’s card.'),
}).openapi('SearchPerson')
const SearchGroup = Group.extend({
  ...hit,
  type: z.literal('group').describe('The other fields are those of a group.'),
}).openapi('SearchGroup')
const SearchGuild = Guild.extend({
  ...hit,
  type: z.literal('guild').describe('The other fields are those of a guild.'),
}).openapi('SearchGuild')
const SearchWiki = z
  .object({
    ...hit,
    type: z.literal('wiki').describe('The wiki entry of an interest.'),
    interestId: Uuid.describe('The interest of the entry, which is also its `id`.'),
    slug: InterestSlug,
    version: z.int().describe('The number of the latest version of the entry.'),
    createdAt: Timestamp.describe('When that version was written.'),
  })
  .openapi('SearchWiki')
const SearchThing = StreamItem.extend(hit).openapi('SearchThing', { description: 'A post, or a content of any kind.' })
export const SearchItem = z
  .discriminatedUnion('type', [SearchPerson, SearchGroup, SearchGuild, SearchWiki, SearchThing])
  .openapi('SearchItem', { description: 'A card by `type`, with the text around the hits.' })
export const SearchPage = Page(SearchItem)
