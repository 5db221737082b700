// A line of text for each kind of notification, of pushes and digests: what happened, and never somebody's words.
// test/worker/push.test.ts holds the kinds against their registry.

const plural = (one: string, many: string) => (count: number) => (count === 1 ? one : `${count} ${many}`)

const lines: Record<string, (count: number) => string> = {
  'circle.invited': plural('You are invited into a circle.', 'invitations into circles.'),
  'circle.accepted': plural('Somebody accepted your invitation into a circle.', 'people accepted your invitations.'),
  'circle.added': plural('You were added to a circle.', 'circles have you as a member now.'),
  'co-author.invited': plural('You are invited to be a co-author.', 'invitations to be a co-author.'),
  'co-author.accepted': plural('Somebody became a co-author of your post.', 'people became co-authors of your posts.'),
  'user.followed': plural('Somebody follows you.', 'people follow you.'),
  'post.replied': plural('Somebody replied to you.', 'replies to you.'),
  'post.reacted': plural('Somebody reacted to your post.', 'reactions to your posts.'),
  'post.milestone': plural('Your post reached a milestone.', 'milestones of your posts.'),
  'post.reposted': plural('Somebody reposted your post.', 'reposts of your posts.'),
  'post.quoted': plural('Somebody quoted your post.', 'quotes of your posts.'),
  'post.mentioned': plural('Somebody mentioned you.', 'mentions of you.'),
  'poll.closed': plural('A poll has ended.', 'polls have ended.'),
  'series.updated': plural('A series or project of yours has news.', 'news of series and projects of yours.'),
  'payment.received': plural('You received mana.', 'payments of mana to you.'),
  'reputation.level-up': plural('You reached another level.', 'levels that you reached.'),
  'reputation.voted': plural('Somebody voted on your reputation.', 'votes on your reputation.'),
  'appeal.resolved': plural('Your appeal was decided.', 'appeals of yours were decided.'),
  'invite.used': plural('Somebody joined with your invite.', 'people joined with your invites.'),
  'wiki.resolved': plural('Your proposal for the wiki was decided.', 'proposals of yours for the wiki were decided.'),
  'message.received': plural('You have a new message.', 'new messages to you.'),
  'membership.decided': plural(
    'Something changed for you in a group, guild or project.',
    'changes for you in groups and the like.',
  ),
  'event.reminder': plural('News of an event that you go to.', 'news of events that you go to.'),
  'order.updated': plural('There is news of an order of yours.', 'news of orders of yours.'),
  'admin.broadcast': plural('News from those who run Kith.', 'messages from those who run Kith.'),
  'moderation.actioned': plural('Staff acted on what you published.', 'acts of staff on what you published.'),
}

export const kindsWithLines: readonly string[] = Object.keys(lines)

/** @param count of the items of this kind */
export const lineOf = (kind: string, count: number): string => (lines[kind] ?? plural('News.', 'news.'))(count)
