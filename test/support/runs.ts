/** How often a model is tried: few times among the tests, many times in `npm run soak`. */
export const runs = (few: number, many: number): number => (process.env.SOAK ? many : few)
