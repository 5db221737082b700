// Texts about logging in with the OpenID provider.
import { textsOf } from './texts.ts'

const en = {
  logIn: (name: string) => `Log in with ${name}`,
  register: (name: string) => `Join with ${name}, without a password`,
  registerText: (name: string) => `You have logged in at ${name}. Your address there will be your address here.`,
  busy: 'You are being logged in…',
  join: 'Join with an invite code',
  title: 'Other ways to log in',
  text: (name: string) => `You can log in with ${name} once you have linked your login there.`,
  link: (name: string) => `Link a login at ${name}`,
  finish: 'You have logged in there. Link this login to your account here?',
  finishAction: 'Link the login',
  first: 'Log in here with your password to link the login.',
  linked: 'The login is linked.',
  since: (time: string) => `Linked on ${time}`,
  unlink: 'Unlink',
  unlinkText: 'You can then no longer log in with it. Open sessions continue.',
  unlinked: 'The login is unlinked.',
  blocked: 'The browser opened no window. Allow windows for this page, then try again.',
  closeWindow: 'You can close this window, and go on in the other one.',
  errors: {
    oidc_refused: 'Logging in there failed. Try again.',
    oidc_unverified: 'Your address there is not verified. Verify it there, then try again.',
    oidc_over: 'This login has expired. Begin again.',
    identity_unlinked:
      'No account here is linked to this login. If you have an account, log in with your password and link it at /account.',
    identity_taken: 'This login is already linked to an account.',
    identity_needed: 'This is your only way to log in. Set a password first.',
    identities_exhausted: 'You have linked five logins, which is the maximum.',
    code_wrong: 'The code is wrong, or it was already used.',
    password_wrong: 'The password is wrong.',
    person_banned: 'This account is banned.',
  } as Record<string, string>,
}

const de: typeof en = {
  logIn: (name: string) => `Mit ${name} anmelden`,
  register: (name: string) => `Mit ${name} beitreten, ohne Passwort`,
  registerText: (name: string) =>
    `Sie haben sich bei ${name} angemeldet. Ihre Adresse dort wird auch Ihre Adresse hier.`,
  busy: 'Sie werden angemeldet …',
  join: 'Mit einem Einladungscode beitreten',
  title: 'Andere Anmeldungen',
  text: (name: string) => `Sie können sich mit ${name} anmelden, sobald Sie Ihre Anmeldung dort verknüpft haben.`,
  link: (name: string) => `Anmeldung bei ${name} verknüpfen`,
  finish: 'Sie haben sich dort angemeldet. Möchten Sie diese Anmeldung mit Ihrem Konto verknüpfen?',
  finishAction: 'Anmeldung verknüpfen',
  first: 'Melden Sie sich hier mit Ihrem Passwort an, um die Anmeldung zu verknüpfen.',
  linked: 'Die Anmeldung ist verknüpft.',
  since: (time: string) => `Verknüpft am ${time}`,
  unlink: 'Verknüpfung lösen',
  unlinkText: 'Sie können sich dann nicht mehr damit anmelden. Offene Sitzungen laufen weiter.',
  unlinked: 'Die Verknüpfung ist gelöst.',
  blocked:
    'Der Browser hat kein Fenster geöffnet. Erlauben Sie Fenster für diese Seite und versuchen Sie es noch einmal.',
  closeWindow: 'Sie können dieses Fenster schließen und im anderen weitermachen.',
  errors: {
    oidc_refused: 'Die Anmeldung dort ist nicht gelungen. Versuchen Sie es noch einmal.',
    oidc_unverified: 'Ihre Adresse dort ist nicht bestätigt. Bestätigen Sie sie dort und versuchen Sie es noch einmal.',
    oidc_over: 'Diese Anmeldung ist abgelaufen. Beginnen Sie noch einmal.',
    identity_unlinked:
      'Mit dieser Anmeldung ist hier kein Konto verknüpft. Wenn Sie ein Konto haben, melden Sie sich mit Ihrem Passwort an und verknüpfen Sie sie unter /account.',
    identity_taken: 'Diese Anmeldung ist schon mit einem Konto verknüpft.',
    identity_needed: 'Sie können sich nur damit anmelden. Legen Sie zuerst ein Passwort fest.',
    identities_exhausted: 'Sie haben fünf Anmeldungen verknüpft; mehr sind nicht möglich.',
    code_wrong: 'Der Code ist falsch oder wurde schon verwendet.',
    password_wrong: 'Das Passwort ist falsch.',
    person_banned: 'Dieses Konto ist gesperrt.',
  },
}

export const oidcTexts = textsOf({ en, de })
