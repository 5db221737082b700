// The language of the pages. Each part has one file of texts for each language; all have the type of the English one.
import { computed, effect, type ReadonlySignal, signal } from './html.ts'

export const languages = { en: 'English', de: 'Deutsch' } as const
export type Language = keyof typeof languages

const isLanguage = (name: string | null | undefined): name is Language => Object.hasOwn(languages, name ?? '')
const wanted = [localStorage.getItem('language'), ...navigator.languages.map((name) => name.slice(0, 2))]

export const language = signal<Language>(wanted.find(isLanguage) ?? 'en')

effect(() => {
  document.documentElement.lang = language.value
})

export function setLanguage(name: Language): void {
  localStorage.setItem('language', name)
  language.value = name
}

/** The texts of a part in the language that is set. */
export const textsOf = <Texts>(all: Record<Language, Texts>): ReadonlySignal<Texts> =>
  computed(() => all[language.value])

const dated = computed(() => new Intl.DateTimeFormat(language.value, { dateStyle: 'medium', timeStyle: 'short' }))
const numbered = computed(() => new Intl.NumberFormat(language.value))

/** A time as the language writes it, in the reader's time zone; a dash for null. */
export const timeText = (at: string | null | undefined): string => (at ? dated.value.format(new Date(at)) : '–')
const dayed = computed(() => new Intl.DateTimeFormat(language.value, { dateStyle: 'medium', timeZone: 'UTC' }))
/** A day such as 2026-11-27 as the language writes it. */
export const dayText = (day: string): string => dayed.value.format(new Date(day))
export const numberText = (value: number): string => numbered.value.format(value)

/** The label of a button that opens a dialog. In German, dots for words that are left out stand after a space. */
export const dotted = (label: string): string => (language.value === 'de' ? `${label}\u00a0…` : `${label}…`)
/** The label without the dots at its end, for the dialog that the button opens. */
export const bare = (label: string): string => label.replace(/[ \u00a0]?…$/, '')

/** Labels, by their codes, as the options of a filter or a field. */
export const optionsOf = (labels: Record<string, string>): { value: string; label: string }[] =>
  Object.entries(labels).map(([value, label]) => ({ value, label }))

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const
const related = computed(() => new Intl.RelativeTimeFormat(language.value, { numeric: 'auto', style: 'short' }))

/** How far a time is from now, such as "3 hr. ago". */
export function sinceText(at: string): string {
  const seconds = (Date.parse(at) - Date.now()) / 1000
  const [unit, size] = units.find(([, least]) => Math.abs(seconds) >= least) ?? ['second', 1]
  return related.value.format(Math.round(seconds / size), unit)
}
