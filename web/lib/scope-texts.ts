// Describes in words what each scope allows. The English sentences come from the instance.
import { textsOf } from './texts.ts'

const en = {
  areas: {
    profile: 'Profile',
    social: 'People and circles',
    posts: 'Posts and feeds',
    messaging: 'Messages',
    notifications: 'Notifications',
    spaces: 'Groups and guilds',
    contents: 'Videos, courses, events and other content',
    media: 'Files',
    economy: 'Mana and market',
    reputation: 'Reputation',
    discovery: 'Search and suggestions',
    ai: 'Assistant',
    staff: 'Moderation and administration',
  } as Record<string, string>,
  /** Sentences in other languages than that of the instance, by scope. */
  scopes: {} as Record<string, string>,
}

const de: typeof en = {
  areas: {
    profile: 'Profil',
    social: 'Personen und Kreise',
    posts: 'Beiträge und Feeds',
    messaging: 'Nachrichten',
    notifications: 'Mitteilungen',
    spaces: 'Gruppen und Gilden',
    contents: 'Videos, Kurse, Termine und andere Inhalte',
    media: 'Dateien',
    economy: 'Mana und Markt',
    reputation: 'Reputation',
    discovery: 'Suche und Vorschläge',
    ai: 'Assistent',
    staff: 'Moderation und Administration',
  },
  scopes: {
    'profile:read': 'Ihr Profil, Ihre Personas, Interessen und Einladungen sowie Profile anderer lesen.',
    'profile:write': 'Ihr Profil, Ihre Personas und Interessen ändern, einladen und Entscheidungen anfechten.',
    'social:read': 'Lesen, wer in Ihren Kreisen ist und wem Sie folgen, wen Sie blockieren und stummschalten.',
    'social:write': 'Ihre Kreise ändern, anderen folgen, sie blockieren, stummschalten und melden.',
    'posts:read': 'Beiträge, Antworten, Serien, Lesezeichen und Feeds lesen.',
    'posts:write': 'Beiträge und Antworten veröffentlichen, bearbeiten und löschen, reagieren, abstimmen und merken.',
    'messaging:read': 'Ihre Unterhaltungen lesen.',
    'messaging:write': 'Nachrichten senden, bearbeiten und löschen und Unterhaltungen ändern.',
    'notifications:read': 'Ihre Mitteilungen und deren Einstellungen lesen.',
    'notifications:write': 'Mitteilungen als gelesen markieren, Einstellungen ändern und Geräte anmelden.',
    'spaces:read': 'Gruppen und Gilden mit Mitgliedern, Anträgen, Abstimmungen und Kassen lesen.',
    'spaces:write':
      'Gruppen und Gilden gründen, ändern, betreten und verlassen, abstimmen und Mana der Kassen bewegen.',
    'contents:read': 'Videos, Audio, Kurse, Debatten, Termine, Probleme, Projekte und das Wiki lesen.',
    'contents:write': 'Videos, Audio, Kurse, Debatten, Termine, Probleme, Projekte und das Wiki ändern und mitmachen.',
    'media:read': 'Den Stand Ihrer Uploads lesen.',
    'media:write': 'Dateien hochladen und löschen.',
    'economy:read': 'Ihr Guthaben, Ihre Zahlungen, Angebote und Bestellungen lesen.',
    'economy:write': 'Mit Ihrem Mana bezahlen, Beiträge hervorheben, verkaufen und kaufen.',
    'reputation:read': 'Reputationen und Stimmen lesen und was Sie dürfen.',
    'reputation:write': 'Über Reputationen abstimmen und Einspruch erheben.',
    'discovery:read': 'Suchen und Vorschläge lesen.',
    'discovery:write': 'Ändern, wonach Sie suchen.',
    'ai:read': 'Ihre Sitzungen mit dem Assistenten lesen.',
    'ai:write': 'Den Assistenten benutzen.',
    'staff:read': 'Lesen, was Moderation und Administration lesen dürfen.',
    'staff:write': 'Tun, was Moderation und Administration tun dürfen.',
  },
}

export const scopeTexts = textsOf({ en, de })
