/** Seconds until a model's first word, where AI_TIMEOUT says nothing else. */
export const AI_TIMEOUT = 10
