// Publishing and scheduling posts, opening, editing and deleting them. The rules: sql/posts/50_publishing.sql and
// later files.
import type { z } from 'zod'
import type { Context } from '../../lib/context.ts'
import { routes } from '../../lib/routes.ts'
import { idsQuery, Uuid, UuidId } from '../../lib/schemas.ts'
import { NewPost, Post, PostChanges, PostDetail, PostPage, Posts, Username } from './schemas.ts'

function noteView(c: Context, { id }: z.output<typeof UuidId>): void {
  const viewer = c.get('claims')?.sub
  if (viewer) c.get('services').views.note(id, viewer)
}

export default routes('posts', {
  'POST /posts': {
    summary: 'Publish a post, or schedule one',
    description: [
      'A note (the default) and a quote have a body of up to 5000 characters, a thread of up to 20,000, an essay of up to 100,000. An essay also has a title of up to 200 characters; other formats have no title. A photo has 1 to 10 media items, a video exactly one, other formats up to 10; the body of a photo or a video can be empty. Each media item has a `url`, or the `assetId` of a committed asset of yours, whose `publicUrl` the post then has; the asset stays when the post is deleted. Text is trimmed. The title and the body can mention people by `@username`. These people are notified when the post is published: up to 20 people who can see it, among the first 200 mentions in the first 10,000 characters.',
      'A quote or a repost has the original in `quotedPostId`: a post of another person that you can see; a repost of a repost refers to its original. A repost has no body, media, poll, `publishAt`, interests or `depth`; if you have already reposted the post, that repost is returned.',
      '`personaId` selects one of your personas; default: your default persona. With `publishAt` the post is published at that time; until then only you see it. `isJournalism` requires the capability `canPostJournalism` or the role admin.',
      'With `groupId` or `guildId` (not both) the post is only for members of that group or guild, of which you must be a member; this cannot be changed. The `visibility` of such a post is `public`, which then means the members. Nobody else sees the post anywhere, and a person who leaves no longer sees it, even if it is their own. It appears in For You and `following` of the members and in the list of the group or guild, but not in `feed:public` or the other tabs. A repost cannot be in a group or guild; only people who can see the original see it. An archived group or guild accepts nothing new (409). A scheduled post whose author has left, or whose group or guild is archived, stays scheduled; when that changes, it is published within a quarter of an hour.',
      '404 for anything that does not exist or that you cannot see: an interest, a persona that is not yours, the quoted post, a private group.',
      'Limits per person and hour, unless the operator sets others: 300 posts, including reposts and scheduled posts, and 300 mentioned names in posts and replies together. Every name that is written counts, up to 20 per text, whether the person exists or not. Beyond these limits the answer is 429 `writes_exceeded`; `Retry-After` says when to try again. A scheduled post is always published at its time, and notifies as many people as the limit still allows.',
    ].join('\n\n'),
    access: 'user',
    operation: 'create_post',
    body: NewPost,
    answers: { 201: Post },
    outcome: 'The new post; with `publishAt` it is not published yet.',
  },
  'GET /posts': {
    summary: 'Get several posts by their ids',
    description:
      'Returns the posts in the order of the ids, each once, without those that you cannot see or that do not exist. `items` ends when its texts reach half a megabyte; `remaining` has the ids of the posts to get with another request. These reads are not counted as views.',
    access: 'user',
    operation: 'get_posts',
    query: idsQuery(Uuid, '3f1c8e52-7a0b-4d6e-9c1f-2b5a8d7e6f10'),
    answers: { 200: Posts },
    outcome: 'The posts that you can see, and the ids that did not fit into this answer.',
  },
  'GET /posts/:id': {
    summary: 'Get a post with the first page of its replies',
    description:
      'The replies of a repost are those of the original. Reading the post counts as a view about a second later, unless its author reads it, so `counters.views` in this answer does not include it. A post that supabase-js reads by `.rpc("get_post")` is not counted.',
    access: 'user',
    operation: 'get_post',
    params: UuidId,
    after: noteView,
    answers: { 200: PostDetail },
    outcome: 'The post with its first replies.',
  },
  'PATCH /posts/:id': {
    summary: 'Edit a post',
    description: [
      'Absent fields do not change. Null clears `title`, `interestId` and `personaId` (back to the default persona). `interestIds` replaces the interests other than the primary one. A new title, body or media of a published post sets `editedAt`, and the previous version is kept. Nobody is notified of an edit. People who may no longer see the post lose access immediately.',
      '`publishAt` reschedules a scheduled post; null publishes it now. Format, poll, `quotedPostId`, `groupId` and `guildId` cannot be changed; of a repost only the visibility can be changed.',
      'Limit: 300 edits of published posts per person and hour, unless the operator sets another one (429 `writes_exceeded`). `Retry-After` says when to try again. Edits of scheduled posts are not limited.',
      'Somebody else’s post is 403 if you can see it, otherwise 404.',
    ].join('\n\n'),
    access: 'user',
    operation: 'update_post',
    params: UuidId,
    body: PostChanges,
    bodyAs: 'p_changes',
    answers: { 200: Post },
    outcome: 'The post after the edit.',
  },
  'DELETE /posts/:id': {
    summary: 'Delete a post',
    description:
      'Deletes the post for everyone and permanently. Also works for a hidden or scheduled post, for a repost ' +
      'whose original you can no longer see, and in a group or guild that you have left or that is archived. ' +
      'Deleting it again is 404. Somebody else’s post is 403 if you can see it, otherwise 404.',
    access: 'user',
    operation: 'delete_post',
    params: UuidId,
    answers: { 204: null },
    outcome: 'The post is deleted.',
  },
  'GET /posts/by/:username': {
    summary: 'List a person’s posts: pinned posts first, then the newest',
    description:
      'Lists posts that you can see, and reposts whose original you can see. Your own hidden posts are included; scheduled ones are in `/me/posts/scheduled`. A cursor stays valid when its post is deleted or hidden; if its post was unpinned, the list continues at the time of that post.',
    access: 'user',
    id: 'listPostsByAuthor',
    operation: 'list_posts_by',
    params: Username,
    page: true,
    answers: { 200: PostPage },
    outcome: 'A page of the person’s posts that you can see.',
  },
  'GET /me/posts/scheduled': {
    summary: 'List your scheduled posts, the earliest first',
    description: 'A post is published within a minute of its time.',
    access: 'user',
    operation: 'list_scheduled_posts',
    page: true,
    answers: { 200: PostPage },
    outcome: 'A page of posts that are not published yet.',
  },
})
