// Nobody pays a price they haven't seen. Wherever mana leaves a wallet at a price set by somebody else, the payer sends
// the expected price, and the operation fails if the price has changed.
import { describe, expect, test } from 'vitest'
import { as, createRaces, row, type Someone } from './races.ts'

const { answer, join, runHeld, owner, run } = await createRaces()
const balance = async ({ id }: Someone) => {
  const [wallet] = await owner<{ balance: number }[]>`select balance::int from app.wallets where user_id = ${id}`
  return wallet?.balance ?? 0
}

/** Who sets the amount that leaves a wallet, for each kind of transaction. Kinds without an entry here only add to wallets. */
const kinds: Record<string, string> = {
  payment: 'the tier (private.payment_tier)',
  boost: 'the tier (private.boost_tier)',
  contribution: 'the payer',
  hold: 'the payer of a bounty, or the seller of an order (private.require_price)',
  enrolment: 'the author (private.require_price)',
  reversal: 'staff',
}
const gives = ['starter', 'regeneration', 'recredit', 'settlement', 'refund', 'disbursement', 'distribution']

test('Every kind of transaction says who sets its amount', async () => {
  const rows = await owner<{ kind: string }[]>`select kind from private.ledger_kinds where ledger = 'mana'`
  expect(rows.map(({ kind }) => kind).sort()).toEqual([...Object.keys(kinds), ...gives].sort())
})

test('Every operation with a price set by somebody else checks the expected price', async () => {
  const rows = await owner<{ name: string }[]>`
    select proname as name from pg_proc where prosrc like '%private.require_price(%' order by 1`
  expect(rows.map(({ name }) => name)).toEqual(['enrol', 'place_order'])
})

type Priced = {
  relation: string
  make(author: Someone): Promise<string>
  change(author: Someone, id: string, price: number): ReturnType<typeof as>
  pay(payer: Someone, id: string, expected: number): ReturnType<typeof as>
}
const priced: Record<string, Priced> = {
  'an enrolment': {
    relation: 'app.courses',
    async make(author) {
      const { id } = await answer(as(author, `create_course('Baking', 'Bread', 1, 0)`))
      await answer(as(author, `create_course_lesson($3::uuid, 'Dough', 'Flour and water')`, id))
      await answer(as(author, 'publish_course($3::uuid)', id))
      return id
    },
    change: (author, id, priceMana) => as(author, 'update_course($3::uuid, $4)', id, { priceMana }),
    pay: (payer, id, expected) => as(payer, 'enrol_course($3::uuid, $4)', id, expected),
  },
  'an order': {
    relation: 'app.offerings',
    make: async (author) => (await answer(as(author, `create_offering('Bread', 'A loaf', 1, 5)`))).id,
    change: (author, id, priceMana) => as(author, 'update_offering($3::uuid, $4)', id, { priceMana }),
    pay: (payer, id, expected) => as(payer, 'place_order($3::uuid, $4)', id, expected),
  },
}

describe.each(Object.entries(priced))('%s', (what, { relation, make, change, pay }) => {
  const begins = what === 'an order' ? 1 : 0

  test('that waits for a change of price is refused, and one that comes before it pays the price it saw', async () => {
    const author = await join()
    const id = await make(author)
    const [late, early] = [await join(), await join()]
    const held = row(relation, `id = '${id}'`)
    expect(await runHeld(held, [change(author, id, 40), pay(late, id, begins)])).toEqual([null, 'price_changed'])
    expect(await balance(late)).toBe(50)
    expect(await runHeld(held, [pay(early, id, 40), change(author, id, 50)])).toEqual([null, null])
    expect(await balance(early)).toBe(10)
  })

  test('takes the expected price or nothing while the price keeps changing', async () => {
    const author = await join()
    const id = await make(author)
    const payers = await Promise.all(Array.from({ length: 12 }, () => join()))
    let over = false
    const changes = async () => {
      for (let turn = 0; turn < 60; turn++) expect(await run(change(author, id, begins + (turn % 3)))).toBe(null)
      over = true
    }
    const pays = payers.map(async (payer, at) => {
      const expected = begins + (at % 3)
      while (!over) {
        const outcome = await run(pay(payer, id, expected))
        if (outcome === null) return expect(await balance(payer)).toBe(50 - expected)
        expect(outcome).toBe('price_changed')
        expect(await balance(payer)).toBe(50)
      }
    })
    await Promise.all([changes(), ...pays])
    expect([...(await owner`select * from private.audit_mana()`)]).toEqual([])
  })
})
