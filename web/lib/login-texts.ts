// Texts about logging in, which all parts share.
import { textsOf } from './texts.ts'

const en = {
  email: 'Email address',
  password: 'Password',
  code: 'Code of the app, or a recovery code',
  codeNeeded: 'This account has a second factor. Enter the code too.',
  codeWrong: 'The code is wrong, or it was already used.',
  action: 'Log in',
  passkey: 'Sign in with a passkey',
  passkeyUnused: 'No passkey was used. Try again, or choose another way.',
  passkeyWrong: 'This passkey is not accepted here. It may have been removed, or the request has expired.',
}

const de: typeof en = {
  email: 'E-Mail-Adresse',
  password: 'Passwort',
  code: 'Code aus der App oder Wiederherstellungscode',
  codeNeeded: 'Dieses Konto hat einen zweiten Faktor. Geben Sie auch den Code ein.',
  codeWrong: 'Der Code ist falsch oder wurde schon verwendet.',
  action: 'Anmelden',
  passkey: 'Mit Passkey anmelden',
  passkeyUnused: 'Es wurde kein Passkey verwendet. Versuchen Sie es noch einmal, oder wählen Sie einen anderen Weg.',
  passkeyWrong:
    'Dieser Passkey wird hier nicht angenommen. Vielleicht wurde er entfernt, oder die Anfrage ist abgelaufen.',
}

export const loginTexts = textsOf({ en, de })
