// The function in Deno. Environment: JWT_SECRET, JWT_SECRET_PREVIOUS.
import { jwtSecrets, serve } from '../shared/deno.ts'
import { createLinkPreview } from './handler.ts'
import { outside } from './outside.ts'

serve(createLinkPreview({ jwtSecrets: jwtSecrets(), open: outside() }))
