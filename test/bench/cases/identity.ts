import { type Case, read } from '../case.ts'
import { admin } from '../side.ts'

export const cases = (): Case[] => [
  { ...read('me', 2, 'get_me', '/me'), clients: 32 },
  read('profile', 2, 'get_profile', '/users/p000007', { p_person: 'p000007' }),
  read('followers', 2, 'list_followers', '/circles/users/p000007/followers', { p_person: 'p000007' }),
  // argon2id
  { name: 'login', method: 'POST', hit: () => ({ path: '/auth/login', body: admin }) },
]
