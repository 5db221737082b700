import { among, type Case, numbered } from '../case.ts'

export const cases = (): Case[] =>
  among(
    ['market'],
    [
      {
        name: 'order', // each offering is ordered once, by a person who sells none
        method: 'POST',
        hit: (n) => ({
          caller: 10 + ((n * 7919) % 8900),
          path: `/economy/market/offerings/${numbered('8', 1 + (n % 10_000))}/orders`,
          body: { expectedPrice: 1 },
        }),
      },
    ],
    'market',
  )
