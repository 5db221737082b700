import { among, type Case } from '../case.ts'

export const cases = (): Case[] =>
  among(
    ['spaces', 'payments'],
    [
      {
        name: 'distribute-1000',
        method: 'POST',
        requests: 16,
        clients: 1,
        hit: () => ({
          caller: 1,
          parameters: { p_guild_id: 'guild-2002', p_amount: '100000' },
          path: '/treasury/guild-2002/distribute-by-contribution',
          body: { amount: 100_000 },
        }),
        statement: {
          operation: 'distribute',
          parameters: ['p_guild_id', 'p_amount'],
          pgbench: { variables: '', caller: '1', call: `api.distribute('guild-2002', 100000)` },
        },
      },
    ],
    'payments',
  )
