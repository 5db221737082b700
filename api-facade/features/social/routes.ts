// Social routes: one table per subject.
import type { Table } from '../../lib/routes.ts'
import circles from './circles.ts'
import follows from './follows.ts'
import mutes from './mutes.ts'

const table: Table = { feature: 'social', rows: { ...circles.rows, ...follows.rows, ...mutes.rows } }
export default table
