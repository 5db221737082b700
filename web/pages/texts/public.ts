// The texts of public pages, which the facade renders: api-facade/lib/public-pages.ts.
export const publicTexts = {
  en: {
    by: 'By',
    edited: 'edited',
    join: 'Join with an invitation',
    media: 'Picture or recording',
    none: 'Nothing is public here yet.',
    posts: 'Posts',
    quoted: 'The quoted post',
    unknown: 'No such page',
    unknownText: 'There is nothing here that everybody may see.',
  },
  de: {
    by: 'Von',
    edited: 'bearbeitet',
    join: 'Mit einer Einladung beitreten',
    media: 'Bild oder Aufnahme',
    none: 'Hier ist noch nichts öffentlich.',
    posts: 'Beiträge',
    quoted: 'Der zitierte Beitrag',
    unknown: 'Diese Seite gibt es nicht',
    unknownText: 'Hier ist nichts, was alle sehen dürfen.',
  },
}
