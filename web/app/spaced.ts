/** The least time between two runs, in milliseconds: an instance takes 60 requests a minute from an address. */
const PAUSE = 2000

/**
 * Runs immediately, and then not again until the pause has passed. However often it is called meanwhile, it then runs
 * once.
 */
export function spaced(run: () => unknown): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isWanted = false
  const begin = () => {
    isWanted = false
    timer = setTimeout(() => {
      timer = undefined
      if (isWanted) begin()
    }, PAUSE)
    void run()
  }
  return () => {
    if (timer) isWanted = true
    else begin()
  }
}
