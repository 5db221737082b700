/** Returns the first value in `npm test` and the second in `npm run soak`, in which the models run much longer. */
export const runs = <const Tried>(few: Tried, many: Tried): Tried => (process.env.SOAK ? many : few)
