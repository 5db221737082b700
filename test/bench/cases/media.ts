import type { Case } from '../case.ts'

export const cases = (): Case[] => [
  {
    name: 'presign',
    method: 'POST',
    // By another person each time: a person can have at most 50 uncommitted assets
    hit: (n) => ({
      caller: 10 + (n % 9000),
      path: '/media/presign',
      body: { kind: 'image', contentType: 'image/png', size: 52_481 },
    }),
  },
]
