// Small repairs of a post that need no model. Each is always correct, changes no word, and says what it did.

type Post = { title?: string | undefined; body: string }
type Repair = { says: string; of: (text: string) => string }

// Each repair reads the text once: no pattern may restart at every space of a long run.
const onOneLine: Repair = { says: 'Put the title on one line.', of: (text) => text.replace(/\s*\n\s*/g, ' ') }
const spacing: Repair = {
  says: 'Removed extra spaces.',
  of: (text) =>
    text
      .replace(/(\S)[ \t]{2,}/g, '$1 ')
      .replace(/^[ \t]+$/gm, '')
      .replace(/[ \t]$/gm, '')
      .replace(/(\S) ([,.](?=\s|$))/gm, '$1$2'),
}
const paragraphs: Repair = {
  says: 'Kept only one empty line between paragraphs.',
  of: (text) => text.replace(/\n{3,}/g, '\n\n'),
}
const doubled: Repair = {
  says: 'Removed a word that was written twice.',
  of: (text) => text.replace(/\b(the|an?|and|of) (\1 )+/gi, '$1 '),
}
const capitals: Repair = {
  says: 'Capitalized the first letter.',
  // A name such as iPhone, a handle and a URL keep their first letter.
  of: (text) => text.replace(/^(\p{Ll})(?=\p{Ll}*(?:[,;!?’'-]|[.:]?(?:\s|$)))/u, (letter) => letter.toUpperCase()),
}
const around: Repair = {
  says: 'Removed empty space around the text.',
  of: (text) => text.replace(/\r\n?/g, '\n').trim(),
}

/** The improved post and what was changed. Text between code fences does not change. */
export function repaired({ title, body }: Post): Post & { changes: string[] } {
  const changes = new Set<string>()
  const mend = (text: string, repairs: readonly Repair[]) =>
    repairs.reduce((before, { says, of }) => {
      const after = of(before)
      if (after !== before) changes.add(says)
      return after
    }, text)

  const mended = mend(body, [around])
    .split('```')
    .map((part, i) => (i % 2 === 1 ? part : mend(part, [spacing, paragraphs, doubled])))
    .join('```')
  return {
    ...(title !== undefined && { title: mend(title.trim(), [onOneLine, spacing, doubled, capitals]) }),
    body: mend(mended, [capitals]),
    changes: [...changes],
  }
}
