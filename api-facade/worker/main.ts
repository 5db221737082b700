// npm run worker: sets limits to the process, then starts what start.ts has.
import { limitMemory } from '../lib/memory.ts'

limitMemory()
await import('./start.ts')
