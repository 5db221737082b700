import { among, type Case, numbered } from '../case.ts'

export const cases = (): Case[] =>
  among(
    ['courses'],
    [
      {
        name: 'enrol', // each course gets one student, and then another one in the next turn
        method: 'POST',
        hit: (n) => ({
          caller: 10 + (((n % 10_000) * 7919 + Math.floor(n / 10_000)) % 8900),
          path: `/courses/${numbered('9', 1 + (n % 10_000))}/enroll`,
          body: { expectedPrice: 1 },
        }),
      },
    ],
    'courses',
  )
