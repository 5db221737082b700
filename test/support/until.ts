// Waiting for something to become true, instead of sleeping and hoping.

/**
 * Asks `condition` until it gives something truthy, and gives that back.
 * Fails after `timeout` milliseconds with the last error that the condition raised, if any.
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  { timeout = 30_000, every = 10 } = {},
): Promise<NonNullable<T>> {
  const end = Date.now() + timeout
  let cause: unknown
  while (Date.now() < end) {
    try {
      const value = await condition()
      if (value) return value
      cause = undefined
    } catch (error) {
      cause = error
    }
    await new Promise((resolve) => setTimeout(resolve, every))
  }
  throw new Error(`Not within ${timeout} ms: ${condition}`, { cause })
}
