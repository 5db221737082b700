import { type Case, read } from '../case.ts'

export const cases = (): Case[] => [
  read('catalog', 2, 'get_catalog', '/interests/catalog'),
  {
    name: 'catalog-304',
    method: 'GET',
    status: 304,
    clients: 32,
    hit: () => ({ caller: 2, path: '/interests/catalog' }),
    headers: async (url, token) => {
      const known = await fetch(`${url}/api/v1/interests/catalog`, {
        headers: { authorization: `Bearer ${await token(2)}` },
      })
      return { 'if-none-match': known.headers.get('etag') ?? '' }
    },
  },
]
