import { among, type Case } from '../case.ts'

export const cases = (): Case[] =>
  among(
    ['spaces', 'memberships'],
    [
      {
        name: 'join', // each person joins each group once
        method: 'POST',
        hit: (n) => {
          const group = `group-${1001 + (Math.floor(n / 4500) % 300)}`
          return { caller: 10 + (n % 4500), parameters: { p_id: group }, path: `/groups/${group}/join`, body: {} }
        },
        statement: {
          operation: 'join_group',
          parameters: ['p_id'],
          pgbench: {
            variables: '\\set n random(1001, 1300)\n\\set who random(10, 4509)',
            caller: ':who',
            call: `api.join_group('group-' || :n)`,
          },
        },
      },
    ],
    'memberships',
  )
