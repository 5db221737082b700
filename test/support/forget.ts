// Runs before every test file. The files follow one another in one process, so what is remembered of the people of one
// goes before the next begins.
import { internalIds } from './crawler.ts'

internalIds.clear()
