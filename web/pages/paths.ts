// The addresses of the pages for people. Mails have links to the first five. The facade serves the HTML document at all
// of them.
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
