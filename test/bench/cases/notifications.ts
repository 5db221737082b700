import { among, type Case, read } from '../case.ts'

export const cases = (): Case[] =>
  among(
    ['notifications'],
    [
      read('inbox', 4, 'list_notifications', '/notifications'),
      read('unread', 4, 'count_unread', '/notifications/unread-count'),
    ],
  )
