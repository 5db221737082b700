// Moderation routes, for staff. Each runs on the service pool after a check of the role in the token, and its operation
// checks the stored role again.
import type { Table } from '../../lib/routes.ts'
import rules from './rules.ts'

export const about = 'What staff decides about, and what the instance does by itself.'

const table: Table = { feature: 'moderation', rows: { ...rules.rows } }
export default table
