/** Chooses how often or with what a model runs: few times among the tests, many times in `npm run soak`. */
export const runs = <const Tried>(few: Tried, many: Tried): Tried => (process.env.SOAK ? many : few)
