// Names of a test's own. It imports nothing: it runs in Deno too.

/** Answers a name with its lists of addresses in turn, and stays at the last one; of others there is nothing. */
export function resolverOf(names: Readonly<Record<string, string[][]>>): (name: string) => Promise<string[]> {
  const asked = new Map<string, number>()
  return async (name) => {
    const answers = names[name] ?? []
    const at = asked.get(name) ?? 0
    asked.set(name, at + 1)
    return answers[Math.min(at, answers.length - 1)] ?? []
  }
}
