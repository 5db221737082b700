// Passwords that are rejected because they are common, or because they follow from the person's name or address. No
// rule says which characters a password must have. docs/decisions.md, Tokens and sessions.
import type { Context } from './context.ts'
import { ApiError } from './errors.ts'

/**
 * The common passwords of eight or more characters, in lower case. The list is read at the first use, because it takes
 * 4 MB and most processes never need it.
 */
let common: Promise<ReadonlySet<string>> | undefined
async function readCommon(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set(dictionary['passwords-common'].filter(({ length }) => length >= 8))
}

const lettersOf = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}]/gu, '')

/**
 * Whether a password repeats one to four characters, or consists of consecutive characters: aaaaaaaa, abcabcabc,
 * 12345678.
 */
function isMonotonous(text: string): boolean {
  const codes = Array.from(text, (sign) => sign.codePointAt(0) ?? 0)
  const repeats = (period: number) => codes.every((code, at) => at < period || code === codes[at - period])
  const step = (codes[1] ?? 0) - (codes[0] ?? 0)
  const follows = Math.abs(step) === 1 && codes.every((code, at) => at === 0 || code - (codes[at - 1] ?? 0) === step)
  return follows || [1, 2, 3, 4].some(repeats)
}

/** Whether a password consists only of words of the person, plus at most eight digits and signs. */
function isOfWords(text: string, words: readonly string[]): boolean {
  const letters = lettersOf(text)
  if (!letters || text.replace(/\p{L}|\p{M}/gu, '').length > 8) return false
  const own = words.flatMap((word) => [word, ...word.split(/[^\p{L}]+/u)]).map(lettersOf)
  const longest = own.filter(({ length }) => length >= 3).sort((one, other) => other.length - one.length)
  return longest.reduce((rest, word) => rest.replaceAll(word, ''), letters) === ''
}

/** @param words the person's names and address, which others may know */
export async function isGuessable(password: string, words: readonly string[]): Promise<boolean> {
  common ??= readCommon()
  const text = password.toLowerCase()
  return (await common).has(text) || isMonotonous(text) || isOfWords(text, ['kith', ...words])
}

/** @throws ApiError password_guessable, if the instance rejects such passwords */
export async function refuseGuessable(c: Context, password: string, words: readonly string[]): Promise<void> {
  const { refusesGuessable } = c.get('services').config
  if (refusesGuessable && (await isGuessable(password, words))) throw new ApiError('password_guessable')
}
