// Discovery: intents, and finding people and content. Rules are in sql/discovery.
import { routes } from '../../lib/routes.ts'
import {
  CandidatePage,
  CandidateQuery,
  Intent,
  MatchedPersonPage,
  MentorPage,
  MentorQuery,
  NewIntent,
  PeopleQuery,
  SearchPage,
  SearchQuery,
  StreamPage,
  StreamQuery,
  SuggestedQuery,
  TalentPage,
  TalentQuery,
} from './schemas.ts'

const others = 'Leaves out yourself, people with a block between you, and banned and erased people.'

/** What the feature offers, for the API's description. */
export const about =
  'Finding people and what they publish: search, suggestions, mentors, intents, and the stream of public content.'

export default routes('discovery', {
  'PUT /discovery/intent': {
    summary: 'Set your intent',
    description:
      'Replaces the previous intent. Without `note` the previous note is removed, and an absent `isActive` means true. `createdAt` keeps the time of the first intent.',
    access: 'user',
    operation: 'set_intent',
    body: NewIntent,
    answers: { 200: Intent },
    outcome: 'Your intent as it is stored now.',
  },
  'GET /discovery/intent': {
    summary: 'Get your intent',
    description: '404 if you have never set an intent.',
    access: 'user',
    operation: 'get_intent',
    answers: { 200: Intent },
    outcome: 'Your intent, active or not.',
  },
  'GET /discovery/candidates': {
    summary: 'List people whose intent matches yours',
    description: `A mentor matches a mentee and vice versa; every other intent matches itself. Only active intents count. People who share the most interests with you come first, then those who have waited longest (\`createdAt\` of the intent). ${others} Scans the 4000 people who have waited longest across all your interests and returns the best 400. \`cursor\` is the id of the last person. 422 if you have no intent and \`intent\` is absent.`,
    access: 'user',
    operation: 'list_candidates',
    query: CandidateQuery,
    page: true,
    answers: { 200: CandidatePage },
    outcome: 'A page of people, with the reasons why they match.',
  },
  'GET /discovery/mentors': {
    summary: 'List mentors who know more than you do',
    description: `Lists people with the active intent \`mentor\` whose expertise exceeds yours by at least \`minExpertiseGap\` in an interest that you both chose. The widest gap comes first, then those who have waited longest. ${others} Scans the 4000 people who have waited longest across all your interests. \`cursor\` is the id of the last person.`,
    access: 'user',
    operation: 'list_mentors',
    query: MentorQuery,
    page: true,
    answers: { 200: MentorPage },
    outcome: 'A page of mentors, with the interests in which they know more.',
  },
  'GET /discovery/people': {
    summary: 'List people, or find them by name',
    description: `Lists the newest people first, or with \`q\` the best match by name first. ${others} If a name is common, only the people who joined last are found. \`cursor\` is the id of the last person, or an opaque position. Without \`q\` a page scans at most 400 rows, so it may be shorter than \`limit\` and still have a next page.`,
    access: 'user',
    operation: 'list_people',
    query: PeopleQuery,
    page: true,
    answers: { 200: MatchedPersonPage },
    outcome: 'A page of people.',
  },
  'GET /discovery/suggested': {
    summary: 'List authors you may like',
    description:
      'Lists authors whose posts resemble those to which you last gave a heart, a spark or a bookmark, the most similar first. Considers the newest 400 public posts. Leaves out people whom you follow or muted. The list has one page. It is empty if you have given none of these, or if the instance has no model for this.',
    access: 'user',
    operation: 'list_suggested',
    query: SuggestedQuery,
    answers: { 200: MatchedPersonPage },
    outcome: 'A page of authors, with the reasons for each.',
  },
  'GET /discovery/talent': {
    summary: 'List people by reputation',
    description: `Lists the highest reputation first: in the given interest or, without one, in any interest that you chose. ${others} Scans the 4000 people with the highest reputation across these interests. \`cursor\` is the id of the last person.`,
    access: 'user',
    operation: 'list_talent',
    query: TalentQuery,
    page: true,
    answers: { 200: TalentPage },
    outcome: 'A page of people with their reputation.',
  },
  'GET /discovery/stream': {
    summary: 'List public posts and contents of every kind',
    description:
      'Lists only what is public, newest first: no posts for circles, and nothing of a group or guild. Leaves out what you muted (as in the feed), and everything by people who are banned or erased or have a block with you. A page scans at most 400 posts and 400 contents, so it may be shorter than `limit` and still have a next page. `cursor` is the id of the last item.',
    access: 'user',
    operation: 'list_stream',
    query: StreamQuery,
    page: true,
    answers: { 200: StreamPage },
    outcome: 'A page of posts and contents of all kinds, newest first.',
  },
  'GET /discovery/search': {
    summary: 'Search posts, people, groups, guilds, wiki entries and contents',
    description:
      'Finds everything that you can see, including your groups and guilds, but nothing of the wiki while its flag is off. Results are ordered by blocks of 500 documents: newer blocks first, and the best match first within a block. Only the first 5000 characters of a text are searched. A new post is found within about a second. A page scans at most 2000 matches, so it may be shorter than `limit` and still have a next page. You can run two searches at once: a third is 429 `searches_running`. If too many run in the instance, the search waits for up to two seconds and is then 503 `search_busy`. `cursor` is `type:id` of the last item, or an opaque position.',
    access: 'user',
    fresh: 'limited',
    limit: 'search',
    operation: 'search',
    query: SearchQuery,
    page: true,
    answers: { 200: SearchPage },
    outcome: 'A page of results of all types; `type` says what each result is.',
  },
})
