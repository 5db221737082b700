// Cleans the text of a model for display: no control characters, no changes of the writing direction, in NFC.

const unfit = /[^\P{Cc}\t\n]|[\u202a-\u202e\u2066-\u2069]/gu

export const legible = (text: string): string =>
  text.toWellFormed().replace(/\r\n?/g, '\n').replace(unfit, '').normalize('NFC')

/** One line of up to 500 characters with visible text; null for anything else. */
export function asQuestion(text: string): string | null {
  const line = legible(text)
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^(["“])(.*)["”]$/, '$2')
    .trim()
  return /[\p{L}\p{N}]/u.test(line) && [...line].length <= 500 ? line : null
}
