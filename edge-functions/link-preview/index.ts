// The function in Deno. Environment: JWT_SECRET, JWT_SECRET_NEXT, JWT_SECRET_PREVIOUS.
import { jwtSecrets, serve } from '../shared/deno.ts'
import { outside } from '../shared/outside.ts'
import { createLinkPreview } from './handler.ts'

serve(createLinkPreview({ jwtSecrets: jwtSecrets(), open: outside() }))
