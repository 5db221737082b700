/** The least time between two runs, in milliseconds: an instance accepts 60 requests a minute from an address. */
const PAUSE = 2000

/**
 * Makes a function that runs at most once in each pause. The first call runs immediately. Calls during a pause cause one
 * run at its end.
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
