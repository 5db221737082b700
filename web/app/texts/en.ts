// The texts in English. Their type is the type of all languages. Each page adds its group.
export const en = {
  login: {
    title: 'Log in to Kith',
    email: 'Email address',
    password: 'Password',
    stay: 'Stay signed in on this device',
    stayHint: 'Only on a device that is yours alone.',
    action: 'Log in',
    forgot: 'Forgot your password?',
    newHere: 'Do you have an invitation?',
    join: 'Join',
  },
  shell: {
    name: 'Kith',
    menu: 'Menu',
    more: 'More',
    skip: 'Skip to the content',
    logOut: 'Log out',
    profile: 'Your profile',
    unread: (count: number) => (count === 1 ? '1 new' : `${count} new`),
    unknown: 'No such page',
    unknownText: 'There is no page at this address.',
  },
  feed: {
    title: 'Home',
  },
  offline: {
    title: 'No connection',
    text: 'Kith can’t be reached. Check your connection; the page comes back by itself.',
    retry: 'Try again',
    note: 'No connection. What you see may be old.',
  },
}
