/** The least time between two runs, in milliseconds: an instance takes 60 requests a minute from an address. */
const PAUSE = 2000

/** Runs at once, and then not again before the pause is over: however often it is asked meanwhile, it runs once then. */
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
