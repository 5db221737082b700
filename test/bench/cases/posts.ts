import { among, type Case, PEOPLE, post, recent, write } from '../case.ts'

const words = 'What I read today, and what I make of it.'
const heart = { kind: 'heart' }

export const cases = (posts: number): Case[] => {
  const of = recent(posts)
  // One author's public posts. Everybody reacts to each of them once.
  const many = Math.floor(posts / 10_000)
  const ofOne = (n: number) => 5000 + ((n + Math.floor(n / 9000)) % many) * 10_000
  return among(
    ['posts'],
    [
      {
        name: 'detail',
        method: 'GET',
        hit: (n) => ({ caller: 2, parameters: { p_id: post(of(n)) }, path: `/posts/${post(of(n))}` }),
        statement: {
          operation: 'get_post',
          parameters: ['p_id'],
          pgbench: {
            variables: '\\set n random(0, 4999)',
            caller: '2',
            call: `api.get_post(bench.post(${of(0)} + :n * 10))`,
          },
        },
      },
      write('create', 'create_post', { p_body: words }, () => '/posts', { body: words }),
      write('reply', 'create_reply', { p_body: words }, (id) => `/posts/${id}/replies`, { body: words }, of),
      write('react', 'react', { p_kind: 'heart' }, (id) => `/posts/${id}/react`, heart, of),
      {
        ...write('react-one-author', 'react', { p_kind: 'heart' }, () => '', heart),
        statement: undefined,
        hit: (n) => ({ caller: 10 + (n % 9000), path: `/posts/${post(ofOne(n))}/react`, body: heart }),
      },
      {
        name: 'boost', // each post is boosted once, by its author according to data/posts.sql
        method: 'POST',
        hit: (n) => {
          const at = posts - (n % posts)
          return { caller: 1 + ((at * 7919) % PEOPLE), path: `/posts/${post(at)}/boost`, body: { tier: 1 } }
        },
      },
    ],
  )
}
