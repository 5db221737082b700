/** The default of AI_TIMEOUT: seconds until a model's first word. */
export const AI_TIMEOUT = 10
