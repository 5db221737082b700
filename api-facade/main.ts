// npm start: limits the memory of this process, then runs start.ts.
import { limitMemory } from './lib/memory.ts'

limitMemory()
await import('./start.ts')
