// The areas of the API. The scopes of access tokens are named after them. docs/decisions.md, Access tokens.

/** The areas of the API. The scopes are their names with `:read` and `:write`. */
export const areas = {
  profile: {
    features: ['identity', 'interests', 'moderation'],
    read: 'Read your profile, personas, interests, invite codes and standing, and the profiles of others.',
    write: 'Change your profile, personas and interests, make invite codes, and appeal decisions.',
  },
  social: {
    features: ['social'],
    read: 'Read your circles, follows, blocks and mutes.',
    write: 'Change your circles, follow, block and mute people, and report.',
  },
  posts: {
    features: ['posts', 'feed'],
    read: 'Read posts, replies, series, bookmarks and feeds.',
    write: 'Publish, edit and delete posts and replies, react, vote and bookmark.',
  },
  messaging: {
    features: ['messaging'],
    read: 'Read your conversations.',
    write: 'Send, edit and delete messages, and change conversations.',
  },
  notifications: {
    features: ['notifications'],
    read: 'Read your notifications and their settings.',
    write: 'Mark notifications as read, change their settings, and register devices.',
  },
  spaces: {
    features: ['groups', 'guilds', 'treasury'],
    read: 'Read groups and guilds: members, requests, proposals, treasuries and reports.',
    write: 'Create, change, join and leave groups and guilds, vote in them, and move the mana of treasuries.',
  },
  contents: {
    features: ['courses', 'debates', 'events', 'problems', 'projects', 'videos', 'wiki'],
    read: 'Read videos, audio, courses, debates, events, problems, projects and the wiki.',
    write:
      'Publish and change videos, audio, courses, debates, events, problems, projects and the wiki, and take part in them.',
  },
  media: {
    features: ['media'],
    read: 'Read the state of your uploads.',
    write: 'Upload and delete files.',
  },
  economy: {
    features: ['economy', 'market'],
    read: 'Read your wallet, payments, offerings and orders.',
    write: 'Pay with your mana, boost posts, sell and buy.',
  },
  reputation: {
    features: ['reputation'],
    read: 'Read reputations, votes and what you may do.',
    write: 'Vote on reputations, and appeal.',
  },
  discovery: {
    features: ['discovery'],
    read: 'Search, and read suggestions.',
    write: 'Change what you are looking for.',
  },
  ai: {
    features: ['ai'],
    read: 'Read your sessions with the assistant.',
    write: 'Use the assistant.',
  },
  staff: {
    features: ['admin', 'oversight', 'webhooks'],
    read: 'Read what moderators and admins may read.',
    write: 'Do what moderators and admins may do.',
  },
} as const satisfies Record<string, { features: readonly string[]; read: string; write: string }>
export type Area = keyof typeof areas

export type Scope = `${Area}:${'read' | 'write'}`
