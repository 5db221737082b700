// Texts of the dialog that asks for a fresh proof.
import { textsOf } from './texts.ts'

const en = {
  title: 'Confirm that it is you',
  text: 'This step needs it, in case somebody else is using this device. Your answer is valid for ten minutes.',
  recoveryCode: 'Recovery code',
  action: 'Confirm',
  passkey: 'Use a passkey',
  none: 'Nothing was done, because you did not confirm that it is you.',
  errors: {
    code_wrong: 'The code is wrong, or it was already used.',
    password_wrong: 'The password is wrong.',
    passkey_wrong: 'This passkey is not accepted. Try again.',
    rate_limited: 'There were too many attempts. Try again in some minutes.',
  } as Record<string, string>,
}

const de: typeof en = {
  title: 'Bestätigen Sie, dass Sie es sind',
  text: 'Dieser Schritt verlangt das, falls jemand anders dieses Gerät benutzt. Danach gilt es zehn Minuten lang.',
  recoveryCode: 'Wiederherstellungscode',
  action: 'Bestätigen',
  passkey: 'Passkey verwenden',
  none: 'Es wurde nichts getan, weil Sie nicht bestätigt haben, dass Sie es sind.',
  errors: {
    code_wrong: 'Der Code ist falsch oder wurde schon verwendet.',
    password_wrong: 'Das Passwort ist falsch.',
    passkey_wrong: 'Dieser Passkey wird nicht angenommen. Versuchen Sie es noch einmal.',
    rate_limited: 'Das waren zu viele Versuche. Versuchen Sie es in einigen Minuten noch einmal.',
  },
}

export const proofTexts = textsOf({ en, de })
