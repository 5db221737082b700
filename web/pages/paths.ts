// The addresses of the pages for people. Mail links to the first five. The facade serves the document there.
export const paths = [
  '/verify-email',
  '/reset-password',
  '/end-session',
  '/unsubscribe',
  '/notifications',
  '/forgot-password',
  '/join',
  '/account',
  '/rules',
  '/privacy',
  '/oauth/consent',
  '/oauth/device',
] as const
