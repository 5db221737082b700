// A resolver with a test's own names. This file imports nothing, because it also runs in Deno.

/** Answers a name with its lists of addresses in turn, and then always with the last list. Other names do not exist. */
export function resolverOf(names: Readonly<Record<string, string[][]>>): (name: string) => Promise<string[]> {
  const asked = new Map<string, number>()
  return async (name) => {
    const answers = names[name] ?? []
    const at = asked.get(name) ?? 0
    asked.set(name, at + 1)
    return answers[Math.min(at, answers.length - 1)] ?? []
  }
}
