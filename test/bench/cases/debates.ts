import { among, type Case, numbered, read } from '../case.ts'

const debate = numbered('7', 0)
const parameters = { p_id: debate }

export const cases = (): Case[] =>
  among(
    ['debates', 'arguments'],
    [
      read('arguments-top', 2, 'list_arguments', `/debates/${debate}/arguments`, parameters),
      read('arguments-new', 2, 'list_arguments', `/debates/${debate}/arguments?sort=new`, {
        ...parameters,
        p_sort: 'new',
      }),
    ],
    'arguments',
  )
