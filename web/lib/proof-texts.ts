// Texts of the dialog that asks for a fresh proof.
import { textsOf } from './texts.ts'

const en = {
  title: 'Confirm that it is you',
  text:
    'This step needs a confirmation, in case somebody else is using this device. Your answer is valid for ten ' +
    'minutes.',
  recoveryCode: 'Recovery code',
  action: 'Confirm',
  elsewhere: (name: string) => `Log in at ${name} again`,
  elsewhereText: (name: string) =>
    `This step needs a confirmation, in case somebody else is using this device. You log in at ${name} once more, ` +
    `in a separate window. The confirmation is then valid for ten minutes.`,
  noWay: 'This step needs a proof that it is you, but you have no password. Set one first: /forgot-password.',
  passkey: 'Use a passkey',
  none: 'Nothing was done, because you did not confirm that it is you.',
  errors: {
    code_wrong: 'The code is wrong, or it was already used.',
    password_wrong: 'The password is wrong.',
    passkey_wrong: 'This passkey is not accepted. Try again.',
    oidc_over: 'The login took too long. Begin again.',
    identity_unknown: 'That login is not linked with your account. Use the login that you linked.',
    rate_limited: 'There were too many attempts. Try again in a few minutes.',
  } as Record<string, string>,
}

const de: typeof en = {
  title: 'Bestätigen Sie, dass Sie es sind',
  text: 'Dieser Schritt verlangt das, falls jemand anders dieses Gerät benutzt. Danach gilt es zehn Minuten lang.',
  recoveryCode: 'Wiederherstellungscode',
  action: 'Bestätigen',
  elsewhere: (name) => `Noch einmal bei ${name} anmelden`,
  elsewhereText: (name) =>
    `Dieser Schritt verlangt das, falls jemand anders dieses Gerät benutzt. Sie melden sich in einem eigenen Fenster noch einmal bei ${name} an. Danach gilt es zehn Minuten lang.`,
  noWay:
    'Dieser Schritt verlangt eine Bestätigung, aber Sie haben kein Passwort. Legen Sie zuerst eines fest: /forgot-password.',
  passkey: 'Passkey verwenden',
  none: 'Es wurde nichts getan, weil Sie nicht bestätigt haben, dass Sie es sind.',
  errors: {
    code_wrong: 'Der Code ist falsch oder wurde schon verwendet.',
    password_wrong: 'Das Passwort ist falsch.',
    passkey_wrong: 'Dieser Passkey wird nicht angenommen. Versuchen Sie es noch einmal.',
    oidc_over: 'Die Anmeldung hat zu lange gedauert. Beginnen Sie noch einmal.',
    identity_unknown: 'Diese Anmeldung dort ist nicht mit Ihrem Konto verknüpft. Benutzen Sie die verknüpfte.',
    rate_limited: 'Das waren zu viele Versuche. Versuchen Sie es in einigen Minuten noch einmal.',
  },
}

export const proofTexts = textsOf({ en, de })
