// Waiting for a condition instead of for a time.

/**
 * Calls `condition` until it returns something truthy, and returns that.
 * Fails after `timeout` milliseconds with the last error of the condition as its cause, if any.
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
