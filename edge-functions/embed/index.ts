// The function in Supabase's runtime, which has the model. Environment: JWT_SECRET, JWT_SECRET_NEXT,
// JWT_SECRET_PREVIOUS.
import { jwtSecrets, serve } from '../shared/deno.ts'
import { createEmbed, type Session } from './handler.ts'

declare const Supabase: { ai: { Session: new (model: string) => Session } } | undefined

// Only Supabase's Deno has this module.
const open = typeof Supabase === 'undefined' ? undefined : (model: string) => new Supabase.ai.Session(model)
serve(createEmbed({ jwtSecrets: jwtSecrets(), open }))
