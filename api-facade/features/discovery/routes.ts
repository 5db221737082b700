// Discovery: what people look for, and whom and what they find. Rules are in sql/discovery.
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

const others = 'Without myself, people across a block, the banned and the erased.'

export default routes('discovery', {
  'PUT /discovery/intent': {
    summary: 'Say what I look for',
    description:
      'In place of what I said before: an absent note is none, and an absent `isActive` is true. `createdAt` stays that of the first time.',
    access: 'user',
    operation: 'set_intent',
    body: NewIntent,
    answers: { 200: Intent },
  },
  'GET /discovery/intent': {
    summary: 'What I look for',
    description: '404 before I have said it.',
    access: 'user',
    operation: 'get_intent',
    answers: { 200: Intent },
  },
  'GET /discovery/candidates': {
    summary: 'People whose intent goes with mine',
    description: `A mentor’s with a mentee’s and the other way round, each other one with itself; only active ones. Whoever shares most interests with me comes first, then who has waited longest (\`createdAt\` of the intent). ${others} It looks at the 4000 who have waited longest over all of my interests, and shows the best 400 of them. \`cursor\` is the id of the last person. Without an intent of mine and \`intent\` it is 422.`,
    access: 'user',
    operation: 'list_candidates',
    query: CandidateQuery,
    page: true,
    answers: { 200: CandidatePage },
  },
  'GET /discovery/mentors': {
    summary: 'Mentors who know more than I do',
    description: `People with the active intent \`mentor\` whose expertise in an interest that we both chose is above mine by \`minExpertiseGap\`: the widest gap first, then who has waited longest. ${others} It looks at the 4000 who have waited longest over all of my interests. \`cursor\` is the id of the last person.`,
    access: 'user',
    operation: 'list_mentors',
    query: MentorQuery,
    page: true,
    answers: { 200: MentorPage },
  },
  'GET /discovery/people': {
    summary: 'People, and people by name',
    description: `Who joined last comes first; with \`q\` whose name is likest. ${others} Of a common name those are found who joined last. \`cursor\` is the id of the last person, or a place; a page without \`q\` looks at 400 and may be short.`,
    access: 'user',
    operation: 'list_people',
    query: PeopleQuery,
    page: true,
    answers: { 200: MatchedPersonPage },
  },
  'GET /discovery/suggested': {
    summary: 'People who write what I like',
    description:
      'Authors of the newest 400 posts for everybody that are near to those that I gave a heart, a spark or a bookmark last, the nearest first, without whom I follow or muted. One page; empty where I have marked nothing, or the instance has no model for that.',
    access: 'user',
    operation: 'list_suggested',
    query: SuggestedQuery,
    answers: { 200: MatchedPersonPage },
  },
  'GET /discovery/talent': {
    summary: 'People by their reputation',
    description: `In an interest, or where they have most of all that I chose; the highest first. ${others} It looks at the 4000 who have most over all of these interests. \`cursor\` is the id of the last person.`,
    access: 'user',
    operation: 'list_talent',
    query: TalentQuery,
    page: true,
    answers: { 200: TalentPage },
  },
  'GET /discovery/stream': {
    summary: 'Posts and contents of every kind',
    description:
      'Newest first: what is for everybody, without posts for circles and without what belongs to a group or guild. Left out is what I muted, as in the feed, and what is by people across a block, the banned and the erased. A page looks at 400 posts and 400 contents and may be short. `cursor` is the id of the last item.',
    access: 'user',
    operation: 'list_stream',
    query: StreamQuery,
    page: true,
    answers: { 200: StreamPage },
  },
  'GET /discovery/search': {
    summary: 'Find posts, people, groups, guilds, wiki entries and contents by words',
    description:
      'Whatever I may see, what belongs to my groups and guilds included, and nothing of the wiki while its flag is off. Time is cut into blocks of 500 things that were written; newer blocks come first, and in one what fits best. Of a text the first 5000 characters are looked at; a new post is found within a second or so. A page looks at 2000 matches at most and may be short. Two searches of a person run at once: a third is 429 `searches_running`. When too many run in the instance it waits up to two seconds, then it is 503 `search_busy`. `cursor` is `type:id` of the last item, or a place.',
    access: 'user',
    limit: 'search',
    operation: 'search',
    query: SearchQuery,
    page: true,
    answers: { 200: SearchPage },
  },
})
