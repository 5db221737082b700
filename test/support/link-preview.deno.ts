// The edge function `link-preview` in Deno for tests: with the names and the site of ./site.ts.
import { createLinkPreview } from '../../edge-functions/link-preview/handler.ts'
import { jwtSecrets, needed, serve } from '../../edge-functions/shared/deno.ts'
import { outside } from '../../edge-functions/shared/outside.ts'
import { resolverOf } from './resolver.ts'

const { names, ports, exempt } = JSON.parse(needed('SITE'))
serve(createLinkPreview({ jwtSecrets: jwtSecrets(), open: outside({ resolve: resolverOf(names), ports, exempt }) }))
