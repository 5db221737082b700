import { type Case, PEOPLE } from '../case.ts'

// 200 senders with even numbers, and receivers with odd ones, so that nobody pays themselves. The senders are few,
// because a person's first request records that they are present.
const pay = (name: string, receiver: (n: number) => number, sqlReceiver: string): Case => ({
  name,
  method: 'POST',
  hit: (n) => {
    const receiverId = `p${String(receiver(n)).padStart(6, '0')}`
    return {
      caller: 10 + 2 * (n % 200),
      parameters: { p_emotion: 'joy', p_tier: '0', p_receiver_id: receiverId },
      path: '/economy/pay',
      body: { emotion: 'joy', tier: 0, receiverId },
    }
  },
  statement: {
    operation: 'pay',
    parameters: ['p_emotion', 'p_tier', 'p_receiver_id'],
    pgbench: {
      variables: `\\set sender 2 * random(5, 204)\n\\set receiver ${sqlReceiver}`,
      caller: ':sender',
      call: `api.pay('joy', 0, null, null, 'p' || lpad((:receiver)::text, 6, '0'))`,
    },
  },
})

export const cases = (): Case[] => [
  pay('pay', (n) => 11 + 2 * ((n * 104_729) % 4990), `2 * random(6, ${PEOPLE / 2 - 1}) + 1`),
  pay('pay-one-receiver', () => 5, '5'),
]
