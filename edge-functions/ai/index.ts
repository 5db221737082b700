// The function in Deno. Environment: JWT_SECRET, JWT_SECRET_NEXT, JWT_SECRET_PREVIOUS, ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, AI_MODEL,
// AI_TIMEOUT; docs/configuration.md, AI.
import { jwtSecrets, needed, optional, serve } from '../shared/deno.ts'
import { createAi } from './handler.ts'
import { anthropic } from './model.ts'
import { AI_TIMEOUT } from './timeout.ts'

const model = anthropic({
  apiKey: needed('ANTHROPIC_API_KEY'),
  model: needed('AI_MODEL'),
  baseUrl: optional('ANTHROPIC_BASE_URL'),
  patience: Number(optional('AI_TIMEOUT') ?? AI_TIMEOUT),
})
serve(createAi({ jwtSecrets: jwtSecrets(), model }))
