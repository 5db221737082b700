// The routes of social ties: joins the tables of circles.ts, follows.ts and mutes.ts.
import type { Table } from '../../lib/routes.ts'
import circles from './circles.ts'
import follows from './follows.ts'
import mutes from './mutes.ts'

/** What the feature offers, for the API's description. */
export const about = 'Ties between people: circles, follows, blocks and mutes.'

const table: Table = { feature: 'social', rows: { ...circles.rows, ...follows.rows, ...mutes.rows } }
export default table
