// A line of text for each kind of notification, for pushes and digests: what happened, never what somebody wrote.
// test/worker/push.test.ts compares the kinds with their registry.

const plural = (one: string, many: string) => (count: number) => (count === 1 ? one : `${count} ${many}`)

const lines: Record<string, (count: number) => string> = {
  'circle.invited': plural('You are invited to a circle.', 'invitations to circles.'),
  'circle.accepted': plural('Somebody accepted your invitation to a circle.', 'people accepted your invitations.'),
  'circle.added': plural('You were added to a circle.', 'circles added you.'),
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
  'series.updated': plural(
    'A series that you follow or a project of yours has an update.',
    'updates of series and projects.',
  ),
  'payment.received': plural('You received mana.', 'payments of mana to you.'),
  'reputation.level-up': plural('You reached another level.', 'new levels.'),
  'reputation.voted': plural('Somebody voted on your reputation.', 'votes on your reputation.'),
  'appeal.resolved': plural('Your appeal was decided.', 'appeals of yours were decided.'),
  'invite.used': plural('Somebody joined with your invite.', 'people joined with your invites.'),
  'wiki.resolved': plural('Your proposal for the wiki was decided.', 'proposals of yours for the wiki were decided.'),
  'message.received': plural('You have a new message.', 'new messages to you.'),
  'membership.decided': plural(
    'Something changed for you in a group, guild or project.',
    'changes for you in groups, guilds and projects.',
  ),
  'event.reminder': plural('There is news about an event that you attend.', 'news about events that you attend.'),
  'order.updated': plural('There is news about an order of yours.', 'news about your orders.'),
  'admin.broadcast': plural('There is news from the operators of Kith.', 'messages from the operators of Kith.'),
  'moderation.actioned': plural('Staff took an action that affects you.', 'actions of staff that affect you.'),
}

export const kindsWithLines: readonly string[] = Object.keys(lines)

/** @param count the number of items of this kind */
export const lineOf = (kind: string, count: number): string => (lines[kind] ?? plural('News.', 'news.'))(count)
