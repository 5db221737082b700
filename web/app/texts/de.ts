// Die Texte auf Deutsch, in der Reihenfolge der englischen.
import type { en } from './en.ts'

export const de: typeof en = {
  login: {
    title: 'Bei Kith anmelden',
    email: 'E-Mail-Adresse',
    password: 'Passwort',
    stay: 'Auf diesem Gerät angemeldet bleiben',
    stayHint: 'Nur auf einem Gerät, das Ihnen allein gehört.',
    action: 'Anmelden',
    forgot: 'Passwort vergessen?',
    newHere: 'Haben Sie eine Einladung?',
    join: 'Beitreten',
  },
  shell: {
    name: 'Kith',
    menu: 'Menü',
    more: 'Mehr',
    skip: 'Zum Inhalt',
    logOut: 'Abmelden',
    profile: 'Ihr Profil',
    unread: (count: number) => `${count} neu`,
    unknown: 'Keine solche Seite',
    unknownText: 'Unter dieser Adresse gibt es keine Seite.',
  },
  feed: {
    title: 'Start',
  },
  offline: {
    title: 'Keine Verbindung',
    text: 'Kith ist nicht erreichbar. Prüfen Sie Ihre Verbindung; die Seite kommt dann von selbst zurück.',
    retry: 'Noch einmal versuchen',
    note: 'Keine Verbindung. Was Sie sehen, kann veraltet sein.',
  },
}
