// Moderation routes. Those for staff run on the service pool after a check of the role in the token, and each operation
// checks the stored role again.
import type { Table } from '../../lib/routes.ts'
import cases from './cases.ts'
import figures from './figures.ts'
import rules from './rules.ts'
import spaces from './spaces.ts'
import statements from './statements.ts'

export const about =
  'What staff decides about reported things and people, case by case; what the people concerned read, verify and appeal; and the rules that the instance applies automatically.'

const rows = { ...cases.rows, ...rules.rows, ...statements.rows, ...figures.rows, ...spaces.rows }
const table: Table = { feature: 'moderation', rows }
export default table
