// How the facade stores the positions that people have seen, and how it hides a position. No test here needs a
// database.
import { describe, expect, test } from 'vitest'
import { Positions, positionOf } from '../../../api-facade/lib/positions.ts'
import { createSeals } from '../../../api-facade/lib/seals.ts'

const PAGE = 8192

test('The first byte after the header of a page has the same position as the start of the page', () => {
  for (const header of [0, 24, 40]) expect(positionOf(String(5 * PAGE + header))).toBe(5 * PAGE)
  for (const inside of [48, 100, PAGE - 8]) expect(positionOf(String(5 * PAGE + inside))).toBe(5 * PAGE + inside)
  for (const none of [null, undefined]) expect(positionOf(none)).toBeNull()
})

describe('What a person has seen', () => {
  test('counts as everything, until the position of the primary is known', () => {
    const positions = new Positions()
    expect(positions.of('ada')).toBe(Number.POSITIVE_INFINITY)
    positions.sample(performance.now(), 100)
    expect(positions.of('ada')).toBe(100)
  })

  test('never becomes less', () => {
    const positions = new Positions()
    positions.sample(performance.now(), 1)
    for (const position of [100, 300, 200]) positions.note('ada', position)
    expect(positions.of('ada')).toBe(300)
  })

  test('counts as everything again after a loss, until a newer position of the primary is known', () => {
    const positions = new Positions()
    positions.sample(performance.now(), 100)
    positions.note('ada', 200)
    const before = performance.now()
    positions.lose('ada')
    positions.sample(before, 250)
    positions.note('ada', 260) // the position of a read that began before the loss
    expect(positions.of('ada')).toBe(Number.POSITIVE_INFINITY)
    positions.sample(performance.now() + 1, 300)
    expect(positions.of('ada')).toBe(300)
  })

  test('is at least the position of everybody whom the map dropped because they were away longest', () => {
    const positions = new Positions()
    positions.sample(performance.now(), 1)
    positions.note('ada', 10)
    positions.note('bo', 20)
    for (let n = 0; n < 99_998; n++) positions.note(`person ${n}`, 30)
    positions.note('ada', 11)
    positions.note('one more', 30)
    expect(positions.of('ada')).toBe(11)
    expect(positions.of('bo')).toBe(20)
    expect(positions.of('nobody')).toBe(20)
  })
})

describe('A hidden number', () => {
  const [seals, next] = [createSeals(['new secret', 'old secret']), createSeals(['next secret', 'new secret'])]

  test.each([0, 1, 8192, 2 ** 40 + 7, 2 ** 53 - 1])('%d is revealed to its holder only', (number) => {
    const hidden = seals.hide('ada', number)
    expect(hidden).toMatch(/^[\w-]{32}$/)
    expect(seals.reveal('ada', hidden)).toBe(number)
    expect(next.reveal('ada', hidden)).toBe(number)
    expect(seals.reveal('bo', hidden)).toBeUndefined()
    expect(createSeals(['another']).reveal('ada', hidden)).toBeUndefined()
  })

  test('cannot be changed', () => {
    const hidden = seals.hide('ada', 1000)
    for (let at = 0; at < hidden.length; at++) {
      const changed = hidden.slice(0, at) + (hidden[at] === 'A' ? 'B' : 'A') + hidden.slice(at + 1)
      expect(seals.reveal('ada', changed)).toBeUndefined()
    }
    for (const other of ['', 'A', `${hidden}A`, hidden.slice(1), `${hidden}=`])
      expect(seals.reveal('ada', other)).toBeUndefined()
  })

  test('reveals nothing about the number', () => {
    const [one, two] = [1000, 1001].map((number) => Buffer.from(seals.hide('ada', number), 'base64url'))
    const same = one?.filter((byte, at) => byte === two?.[at]).length
    expect(same).toBeLessThan(5)
  })
})
