import { among, type Case, numbered, person } from '../case.ts'
import { admin } from '../side.ts'

const tokens = new Map<string, Promise<string>>()
/** The first admin's token, which is valid for longer than a case takes. */
async function logIn(url: string): Promise<string> {
  const answer = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(admin),
  })
  const { accessToken } = (await answer.json()) as { accessToken: string }
  return accessToken
}

/** A list of staff: its first page, a late page, and a search for these letters. */
const list = (name: string, path: string, cursor: string, q: string): Case[] =>
  Object.entries({ [name]: '', [`${name}-behind`]: `?cursor=${cursor}`, [`${name}-q`]: `?q=${q}` }).map(
    ([name, query]) => ({
      name,
      method: 'GET',
      hit: () => ({ path: `${path}${query}` }),
      headers: async (url) => {
        const token = tokens.get(url) ?? logIn(url)
        tokens.set(url, token)
        return { authorization: `Bearer ${await token}` }
      },
    }),
  )

export const cases = (): Case[] => [
  ...among(['people'], list('admin-users', '/admin/users', person(15_000), 'nobody'), 'people'),
  ...among(['audit'], list('admin-audit', '/admin/audit-log', '5000', 'nothing'), 'audit'),
  ...among(['cases'], list('admin-cases', '/admin/cases', numbered('d', 5000), 'nobody'), 'cases'),
  ...among(['payments'], list('admin-payments', '/admin/economy/payments', numbered('c', 5000), 'nobody'), 'payments'),
]
