// Tests the worst-case row counts of requests of the market. See test/support/bounds.ts.
import { crowd, friend, friendly, ids, isShown, minutes, openBounds } from '../../support/bounds.ts'

const { checkBounds, newViewer, placeContents, put } = await openBounds()

/**
 * Offerings of the crowd, each with a higher price and rating than the one before, or `size` offerings of one author.
 * Friends have some of the offerings.
 */
async function offerings(size: number, author = '') {
  await put('delete from app.contents where true')
  await put('delete from private.content_places where true')
  const made = await put<{ id: string; shown: boolean }>(
    `insert into app.contents (kind, author_id, title, created_at)
     select 'offering', case when $1 <> '' then $1::uuid when ${isShown(size)} then ${friend(friendly(size))} else ${crowd('n')} end,
            'x', ${minutes('n')}
     from generate_series(1, ${size}) n returning id, author_id >= ${friend('0')} as shown`,
    author,
  )
  await put(
    `insert into app.offerings (id, description, price_mana, delivery_days, rating_sum, rating_count)
     select o.id, 'x', o.n, 1, o.n, 1 from unnest($1::text::uuid[]) with ordinality o (id, n)`,
    `{${ids(made).join()}}`,
  )
  for (const sort of ['price', 'rating']) await placeContents(ids(made), sort, 'to_timestamp(o.n)')
  return { all: ids(made), shown: ids(made.filter(({ shown }) => shown)) }
}

/** Finished orders of one offering with their reviews, by the crowd and some by friends. */
async function orders(size: number, offering: string, buyer: string, seller: string) {
  const made = await put<{ id: string }>(
    `insert into app.orders (offering_id, buyer_id, seller_id, title, description, price_mana, delivery_days, took_stock, state, created_at)
     select $1::text::uuid, ${buyer}, ${seller}, 'x', 'x', 1, 1, false, case when ${isShown(size)} then 'disputed' else 'completed' end, ${minutes('n')}
     from generate_series(1, ${size}) n returning id`,
    offering,
  )
  return made
}

checkBounds([
  {
    operation: 'list_all_orders',
    against: 'orders in another state',
    most: 2500,
    role: 'service_role',
    async scene(viewer, size) {
      await put(`update app.users set role = 'admin' where id = $1`, viewer)
      const [offering = ''] = (await offerings(5)).all
      await orders(size, offering, crowd('n'), friend('1'))
      return { parameters: `p_state => 'held'` }
    },
  },
  ...(['new', 'price', 'rating'] as const).map((sort) => ({
    operation: 'list_offerings',
    against: `offerings of blocked people, by ${sort}`,
    most: 3500,
    async scene(_: string, size: number) {
      const { shown } = await offerings(size)
      return { parameters: `p_sort => '${sort}'`, shown: sort === 'price' ? shown : [...shown].reverse() }
    },
  })),
  {
    operation: 'list_reviews',
    against: 'reviews of blocked people',
    most: 3500,
    async scene(_, size) {
      const author = await newViewer(0)
      const [offering = ''] = (await offerings(5, author)).all
      const made = await orders(size, offering, crowd('n'), friend('1'))
      const reviews = await put<{ id: string; shown: boolean }>(
        `insert into app.offering_reviews (order_id, offering_id, author_id, stars, created_at)
         select o.id, $2::text::uuid, case when ${isShown(size)} then ${friend(friendly(size))} else ${crowd('n')} end, 5, ${minutes('n')}
         from unnest($1::text::uuid[]) with ordinality o (id, n) returning id, author_id >= ${friend('0')} as shown`,
        `{${ids(made).join()}}`,
        offering,
      )
      return { parameters: `p_id => '${offering}'`, shown: ids(reviews.filter(({ shown }) => shown)).reverse() }
    },
  },
  {
    operation: 'list_orders',
    against: 'orders in another state',
    most: 3500,
    async scene(viewer, size) {
      await put('delete from app.orders where true')
      const [offering = ''] = (await offerings(5)).all
      await orders(size, offering, `'${viewer}'::uuid`, friend('1'))
      await orders(size, offering, friend('1'), `'${viewer}'::uuid`)
      return { parameters: `p_state => 'held'`, shown: [] }
    },
  },
  {
    operation: 'delete_offering',
    against: 'finished orders of the offering',
    most: 300,
    async scene(viewer, size) {
      await put('delete from app.orders where true')
      const [offering = ''] = (await offerings(5, viewer)).all
      await orders(size, offering, crowd('n'), `'${viewer}'::uuid`)
      await put(`update app.orders set state = 'completed'`)
      return { parameters: `p_id => '${offering}'` }
    },
  },
])
