// Social routes, one table a subject.
import type { Table } from '../../lib/routes.ts'
import circles from './circles.ts'
import follows from './follows.ts'
import silence from './silence.ts'

const table: Table = { feature: 'social', rows: { ...circles.rows, ...follows.rows, ...silence.rows } }
export default table
