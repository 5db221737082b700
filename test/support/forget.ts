// Runs before every test file. Files run one after another in one process, so this clears what is remembered about the
// people of the previous file.
import { internalIds } from './crawler.ts'

internalIds.clear()
