// Texts about second factors.
import { textsOf } from './texts.ts'

const en = {
  title: 'Second factor',
  text: 'With a second factor, nobody can log in with your password alone.',
  required: 'Your role requires a second factor on this instance.',
  app: 'Authenticator app',
  appText: 'An app on your phone shows a code, which you enter after your password.',
  since: (time: string) => `Added: ${time}.`,
  used: (time: string) => `Last used: ${time}.`,
  unused: 'Not used yet.',
  addApp: 'Add an app',
  scan: 'Scan this code with the app, open the link on your phone, or type in the key. They are shown only now.',
  qr: 'QR code with the key',
  link: 'Open in an app on this device',
  key: 'Key',
  code: 'Code that the app shows now',
  confirm: 'Confirm',
  appAdded: 'The app is added. Your other devices are logged out.',
  removeApp: 'Remove the app',
  removeText:
    'The codes of the app are no longer accepted. If you have no other factor, your recovery codes are deleted ' +
    'too, and your password is enough.',
  appRemoved: 'The app is removed.',
  passkeys: 'Passkeys',
  passkeysText:
    'You log in with your device or a security key, which checks your fingerprint, your face or a PIN. You need no password then.',
  noPasskeys: 'This browser cannot use passkeys on this page.',
  addPasskey: 'Add a passkey',
  addPasskeyText:
    'Give the passkey a name by which you recognize it. Then your browser asks where to keep the passkey.',
  name: 'Name',
  continue: 'Continue',
  passkeyAdded: 'The passkey is added.',
  rename: 'Rename',
  renamed: 'The name is changed.',
  remove: 'Remove',
  removePasskey: 'Remove the passkey',
  passkeyRemoved: 'The passkey is removed.',
  recovery: 'Recovery codes',
  recoveryText: (left: number) =>
    left === 1
      ? 'One code is left. You can use it once instead of your app or passkey.'
      : `${left} codes are left. You can use each one once instead of your app or passkey.`,
  renew: 'Make new codes',
  renewText: 'You get ten new codes, and the earlier ones no longer work.',
  newCodes: 'Your recovery codes',
  newCodesText: 'Keep them in a safe place, away from this device. They are not shown again.',
  kept: 'I have kept them',
  errors: {
    code_wrong: 'The code is wrong, or it was already used. Enter the one that the app shows now.',
    factor_unknown: 'It is no longer there. Load the page again.',
    factor_needed: 'Your role requires a second factor, and this is your last one.',
    totp_already: 'You already have an app. Load the page again.',
    passkey_wrong: 'The passkey was not accepted. Try again.',
    passkeys_full: 'You have ten passkeys, which is the maximum. Remove one first.',
    rate_limited: 'There were too many attempts. Try again in a few minutes.',
  } as Record<string, string>,
}

const de: typeof en = {
  title: 'Zweiter Faktor',
  text: 'Mit einem zweiten Faktor kommt niemand allein mit Ihrem Passwort in Ihr Konto.',
  required: 'Ihre Rolle verlangt auf dieser Instanz einen.',
  app: 'Authenticator-App',
  appText: 'Eine App auf Ihrem Telefon zeigt einen Code, den Sie nach dem Passwort eingeben.',
  since: (time: string) => `Hinzugefügt: ${time}.`,
  used: (time: string) => `Zuletzt verwendet: ${time}.`,
  unused: 'Noch nicht verwendet.',
  addApp: 'App hinzufügen',
  scan: 'Scannen Sie diesen Code mit der App, öffnen Sie den Link auf Ihrem Telefon, oder tippen Sie den Schlüssel ein. Beides sehen Sie nur jetzt.',
  qr: 'QR-Code mit dem Schlüssel',
  link: 'In einer App auf diesem Gerät öffnen',
  key: 'Schlüssel',
  code: 'Code, den die App jetzt zeigt',
  confirm: 'Bestätigen',
  appAdded: 'Die App ist hinzugefügt. Ihre anderen Geräte sind abgemeldet.',
  removeApp: 'App entfernen',
  removeText:
    'Die Codes der App gelten dann nicht mehr. Wenn Sie keinen anderen Faktor haben, werden auch Ihre Wiederherstellungscodes gelöscht, und Ihr Passwort genügt.',
  appRemoved: 'Die App ist entfernt.',
  passkeys: 'Passkeys',
  passkeysText:
    'Sie melden sich mit Ihrem Gerät oder einem Sicherheitsschlüssel an, die Ihren Fingerabdruck, Ihr Gesicht oder eine PIN prüfen. Ein Passwort brauchen Sie dann nicht.',
  noPasskeys: 'Dieser Browser kann auf dieser Seite keine Passkeys verwenden.',
  addPasskey: 'Passkey hinzufügen',
  addPasskeyText:
    'Geben Sie ihm einen Namen, an dem Sie ihn erkennen. Dann fragt Ihr Browser, wo er ihn aufbewahren soll.',
  name: 'Name',
  continue: 'Weiter',
  passkeyAdded: 'Der Passkey ist hinzugefügt.',
  rename: 'Umbenennen',
  renamed: 'Der Name ist geändert.',
  remove: 'Entfernen',
  removePasskey: 'Passkey entfernen',
  passkeyRemoved: 'Der Passkey ist entfernt.',
  recovery: 'Wiederherstellungscodes',
  recoveryText: (left: number) =>
    left === 1
      ? 'Ein Code ist übrig. Er ersetzt einmal Ihre App oder Ihren Passkey.'
      : `${left} Codes sind übrig. Jeder ersetzt einmal Ihre App oder Ihren Passkey.`,
  renew: 'Neue Codes erzeugen',
  renewText: 'Sie bekommen zehn neue Codes. Die bisherigen gelten dann nicht mehr.',
  newCodes: 'Ihre Wiederherstellungscodes',
  newCodesText: 'Bewahren Sie sie sicher auf, nicht auf diesem Gerät. Sie werden nicht noch einmal gezeigt.',
  kept: 'Ich habe sie aufbewahrt',
  errors: {
    code_wrong: 'Der Code ist falsch oder wurde schon verwendet. Geben Sie den ein, den die App jetzt zeigt.',
    factor_unknown: 'Das gibt es nicht mehr. Laden Sie die Seite neu.',
    factor_needed: 'Ihre Rolle verlangt einen zweiten Faktor, und dies ist Ihr letzter.',
    totp_already: 'Sie haben schon eine App. Laden Sie die Seite neu.',
    passkey_wrong: 'Der Passkey wurde nicht angenommen. Versuchen Sie es noch einmal.',
    passkeys_full: 'Sie haben zehn Passkeys; mehr sind nicht möglich. Entfernen Sie zuerst einen.',
    rate_limited: 'Das waren zu viele Versuche. Versuchen Sie es in einigen Minuten noch einmal.',
  },
}

export const factorTexts = textsOf({ en, de })
