// Moderation routes. Those for staff run on the service pool after a check of the role in the token, and each operation
// checks the stored role again.
import type { Table } from '../../lib/routes.ts'
import cases from './cases.ts'
import figures from './figures.ts'
import rules from './rules.ts'
import spaces from './spaces.ts'
import statements from './statements.ts'

export const about =
  'Moderation: cases and decisions of staff, the standing and the appeals of people, and the rules that the ' +
  'instance applies automatically.'

const rows = { ...cases.rows, ...rules.rows, ...statements.rows, ...figures.rows, ...spaces.rows }
const table: Table = { feature: 'moderation', rows }
export default table
