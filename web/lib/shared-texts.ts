// Texts of web/lib itself.
import { germanErrors } from './error-texts.ts'
import { textsOf } from './texts.ts'

const en = {
  addFactor: 'Add a second factor',
  all: 'All',
  asTable: 'As a table',
  cancel: 'Cancel',
  close: 'Close',
  copied: 'Copied',
  copy: 'Copy',
  csv: 'Download as CSV',
  day: 'Day',
  empty: 'Nothing here.',
  /** Sentences that replace those of the API, by error code. */
  errors: {
    factor_missing: 'Your role requires a second factor on this instance.',
  } as Record<string, string>,
  faults: {
    required: 'This field is required.',
    choice: 'Choose at least one.',
    format: 'The format of this value is not right.',
    least: (least: number) => `The least value is ${least}.`,
    most: (most: number) => `The greatest value is ${most}.`,
    short: (least: number) => `At least ${least} characters.`,
    value: 'This value is not accepted.',
  },
  first: 'First page',
  keys: 'Keys',
  keysOn: 'Keys are on',
  language: 'Language',
  loading: 'Loading…',
  next: 'Next page',
  noMatch: 'Nothing matches these filters.',
  optional: '(optional)',
  request: 'Request',
  retry: 'Try again',
  unreachable: 'The server does not answer. Check your connection and try again.',
}

const de: typeof en = {
  addFactor: 'Zweiten Faktor hinzufügen',
  all: 'Alle',
  asTable: 'Als Tabelle',
  cancel: 'Abbrechen',
  close: 'Schließen',
  copied: 'Kopiert',
  copy: 'Kopieren',
  csv: 'Als CSV herunterladen',
  day: 'Tag',
  empty: 'Hier ist nichts.',
  errors: {
    ...germanErrors,
    factor_missing: 'Ihre Rolle verlangt auf dieser Instanz einen zweiten Faktor.',
  },
  faults: {
    required: 'Dieses Feld muss ausgefüllt werden.',
    choice: 'Wählen Sie mindestens eines.',
    format: 'Diese Angabe hat nicht die richtige Form.',
    least: (least: number) => `Der kleinste Wert ist ${least}.`,
    most: (most: number) => `Der größte Wert ist ${most}.`,
    short: (least: number) => `Mindestens ${least} Zeichen.`,
    value: 'Diese Angabe wird nicht angenommen.',
  },
  first: 'Erste Seite',
  keys: 'Tasten',
  keysOn: 'Tasten sind an',
  language: 'Sprache',
  loading: 'Wird geladen …',
  next: 'Nächste Seite',
  noMatch: 'Nichts passt zu diesen Filtern.',
  optional: '(freiwillig)',
  request: 'Anfrage',
  retry: 'Noch einmal versuchen',
  unreachable: 'Der Server antwortet nicht. Prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal.',
}

export const sharedTexts = textsOf({ en, de })
