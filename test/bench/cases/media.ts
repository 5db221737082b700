import type { Case } from '../case.ts'

export const cases = (): Case[] => [
  {
    name: 'presign',
    method: 'POST',
    // of somebody else each time: nobody announces more than 50 that are not committed
    hit: (n) => ({
      caller: 10 + (n % 9000),
      path: '/media/presign',
      body: { kind: 'image', contentType: 'image/png', size: 52_481 },
    }),
  },
]
