// The positions that kith/client sends back, so that no answer shows an older state than those before it.
import { expect, test } from 'vitest'
import { Positions } from '../../clients/typescript/src/positions.ts'

const NAME = 'x-read-position'
function begin(positions: Positions) {
  const headers = new Headers({ [NAME]: 'of an attempt before' })
  const take = positions.send(headers)
  const answer = (position?: string) => take(new Response(null, { headers: position ? { [NAME]: position } : {} }))
  return { sent: headers.get(NAME), answer }
}

test('A client sends the position of the last answer, and none before the first', () => {
  const positions = new Positions()
  const first = begin(positions)
  expect(first.sent).toBeNull()
  first.answer('one')
  const second = begin(positions)
  expect(second.sent).toBe('one')
  second.answer('two')
  begin(positions).answer()
  expect(begin(positions).sent).toBe('two')
})

test('After concurrent requests a client sends the positions of all of them, until an answer includes them', () => {
  const positions = new Positions()
  begin(positions).answer('zero')
  const [early, late] = [begin(positions), begin(positions)]
  expect([early.sent, late.sent]).toEqual(['zero', 'zero'])
  late.answer('late')
  early.answer('early')
  const next = begin(positions)
  expect(next.sent).toBe('late,early')
  next.answer('all')
  expect(begin(positions).sent).toBe('all')
})

test('A client with too many positions sends none, and keeps only the position of the answer', () => {
  const positions = new Positions()
  const many = Array.from({ length: 21 }, () => begin(positions))
  for (const [n, { answer }] of many.entries()) answer(`position ${n}`)
  const next = begin(positions)
  expect(next.sent).toBeNull()
  next.answer('all')
  expect(begin(positions).sent).toBe('all')
})
