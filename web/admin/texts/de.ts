// Die Texte auf Deutsch, in der Reihenfolge der englischen.
import type { en } from './en.ts'

export const de: typeof en = {
  login: {
    title: 'Kith-Verwaltung',
    email: 'E-Mail-Adresse',
    password: 'Passwort',
    action: 'Anmelden',
    notStaff: 'Dieses Konto gehört weder zur Moderation noch zur Verwaltung.',
  },
  shell: {
    name: 'Kith-Verwaltung',
    menu: 'Menü',
    skip: 'Zum Inhalt',
    logOut: 'Abmelden',
    unknown: 'Keine solche Seite',
    unknownText: 'Unter dieser Adresse gibt es keine Seite, oder nur die Verwaltung darf sie sehen.',
  },
  sections: {
    overview: 'Übersicht',
    moderation: 'Moderation',
    people: 'Menschen',
    content: 'Inhalte',
    economy: 'Wirtschaft',
    knowledge: 'Wissen',
    instance: 'Instanz',
  },

  people: {
    title: 'Menschen',
    person: 'Person',
    email: 'E-Mail',
    role: 'Rolle',
    status: 'Zustand',
    joined: 'Beigetreten',
    seen: 'Zuletzt gesehen',
    search: 'Name, Benutzername oder E-Mail',
    roles: { user: 'Mitglied', moderator: 'Moderation', admin: 'Verwaltung' },
    active: 'Aktiv',
    banned: 'Gesperrt',
    suspended: (until: string) => `Gesperrt bis ${until}`,
    limited: 'Eingeschränkt',
    erased: 'Gelöscht',
  },
}
