// The texts of the panel in English, one group for each page, in the order of the menu.
export const en = {
  login: {
    title: 'Kith admin',
    email: 'Email address',
    password: 'Password',
    action: 'Log in',
    notStaff: 'This account is neither a moderator nor an admin.',
  },
  shell: {
    name: 'Kith admin',
    menu: 'Menu',
    skip: 'Skip to the page',
    logOut: 'Log out',
    unknown: 'No such page',
    unknownText: 'There is no page at this address, or only admins may see it.',
  },
  sections: {
    overview: 'Overview',
    moderation: 'Moderation',
    people: 'People',
    content: 'Content',
    economy: 'Economy',
    knowledge: 'Knowledge',
    instance: 'Instance',
  },

  people: {
    title: 'People',
    person: 'Person',
    email: 'Email',
    role: 'Role',
    status: 'Status',
    joined: 'Joined',
    seen: 'Last seen',
    search: 'Name, username or email',
    roles: { user: 'User', moderator: 'Moderator', admin: 'Admin' },
    active: 'Active',
    banned: 'Banned',
    suspended: (until: string) => `Suspended until ${until}`,
    limited: 'Limited',
    erased: 'Erased',
  },
}
