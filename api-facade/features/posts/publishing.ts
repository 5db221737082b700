// Publishing, opening, editing and deleting posts, now or later. The rules: sql/posts/50_publishing.sql and on.
import type { z } from 'zod'
import type { Context } from '../../lib/context.ts'
import { routes } from '../../lib/routes.ts'
import { UuidId } from '../../lib/schemas.ts'
import { NewPost, Post, PostChanges, PostDetail, PostPage, Username } from './schemas.ts'

function noteView(c: Context, { id }: z.output<typeof UuidId>): void {
  const viewer = c.get('claims')?.sub
  if (viewer) c.get('services').views.note(id, viewer)
}

export default routes('posts', {
  'POST /posts': {
    summary: 'Publish a post, or schedule one',
    description: [
      'A note (the default) and a quote have a body of up to 5000 characters, a thread of up to 20000, an essay of up to 100000 and a title of up to 200, which other formats do not have. A photo has 1 to 10 pieces of media, a video exactly one, others up to 10; these two may be without a body. Each names a `url`, or an `assetId` of mine that is committed, whose `publicUrl` the post then has; it stays when the post is deleted. Text is trimmed. Whom title and body mention by `@username` is told once the post is out, up to 20 people who may see it, of the first 200 mentions in the first 10,000 characters.',
      'A quote or a repost names in `quotedPostId` what it is of: another person’s post that I see; a repost of a repost is of the original. A repost has no body, no media, no poll, no `publishAt`, no interests and no `depth`; one that stands already is answered again.',
      'Under one of my personas with `personaId`, else under the default one. With `publishAt` it waits for that moment; until then nobody but me sees it. `isJournalism` asks for the capability `canPostJournalism`, or for the role admin.',
      'With `groupId` or `guildId`, and never both, it is for the members of that group or guild, of which I am one, and stays there. Its `visibility` is `public`, and means them: others see it nowhere, whatever else they do, and nobody who leaves sees it any more, its author included. It stands in their For You and in the list of the group or guild, not in `feed:public` or the other tabs, but for `following`. A repost has no such place: it shows to those who may see the original. An archived group or guild takes nothing new (409). A scheduled post whose author has left, or whose group or guild is archived, stays scheduled; when that has changed, it goes out within a quarter of an hour.',
      'What does not exist or what I may not see is 404: an interest, a persona that is not mine, the post that is quoted, a private group.',
      'A person publishes at most 300 posts an hour, reposts and scheduled ones among them, and mentions at most 300 names an hour, in posts and replies together; an operator may set other numbers. Names count as they are written, up to 20 a text, whoever has them. What is beyond either is refused, 429 `writes_exceeded`, and `Retry-After` says until when; a scheduled post that goes out at its time is not, and tells as many people as there is room for.',
    ].join('\n\n'),
    access: 'user',
    operation: 'create_post',
    body: NewPost,
    idempotent: true,
    answers: { 201: Post },
  },
  'GET /posts/:id': {
    summary: 'A post with the first page of its replies',
    description:
      "Of a repost the replies are those to the original. Opened by anyone but its author it counts as a view, about a second later: `counters.views` of this answer is without it. What supabase-js reads by `.rpc('get_post')` is not counted.",
    access: 'user',
    operation: 'get_post',
    params: UuidId,
    after: noteView,
    answers: { 200: PostDetail },
  },
  'PATCH /posts/:id': {
    summary: 'Edit my post',
    description: [
      'What is absent stays; null clears `title`, `interestId` and `personaId` (which is the default one again). `interestIds` replaces those beside the primary one. A new title, body or media sets `editedAt` once the post is out, and what was said before is kept. Nobody is told of an edit; who may not see the post any more loses it at once.',
      '`publishAt` moves a scheduled post, null publishes it now. Format, poll, `quotedPostId`, `groupId` and `guildId` cannot be changed, and of a repost nothing but the visibility.',
      'Edits of posts that are out are at most 300 an hour and person, unless an operator sets another number: 429 `writes_exceeded`, and `Retry-After` says until when. A scheduled post may be changed as often as one likes.',
      'A post of somebody else is 403 when I see it, otherwise 404.',
    ].join('\n\n'),
    access: 'user',
    operation: 'update_post',
    params: UuidId,
    body: PostChanges,
    bodyAs: 'p_changes',
    answers: { 200: Post },
  },
  'DELETE /posts/:id': {
    summary: 'Delete my post',
    description:
      'For everyone, for good; also a hidden or a scheduled one, a repost of what I no longer see, and one in a group or guild that I have left or that is archived. A second time it is 404. A post of somebody else is 403 when I see it, otherwise 404.',
    access: 'user',
    operation: 'delete_post',
    params: UuidId,
    answers: { 204: null },
  },
  'GET /posts/by/:username': {
    summary: 'A person’s posts: the pinned ones first, then the newest',
    description:
      'Those that I may see; of reposts those whose original I may see. My own hidden ones are there for me, scheduled ones are in `/me/posts/scheduled`. A cursor holds when its post was deleted or hidden since; from a pin that was taken off since, the walk goes on at that post’s place in time.',
    access: 'user',
    operation: 'list_posts_by',
    params: Username,
    page: true,
    answers: { 200: PostPage },
  },
  'GET /me/posts/scheduled': {
    summary: 'My posts that wait for their time, the soonest first',
    description: 'What is due goes out within a minute.',
    access: 'user',
    operation: 'list_scheduled_posts',
    page: true,
    answers: { 200: PostPage },
  },
})
