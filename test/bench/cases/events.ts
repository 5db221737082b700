import { among, type Case, read } from '../case.ts'

export const cases = (): Case[] =>
  among(
    ['events'],
    [read('events-upcoming', 2, 'list_events', '/events?when=upcoming', { p_when: 'upcoming' })],
    'events',
  )
