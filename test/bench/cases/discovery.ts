import { among, type Case, read } from '../case.ts'

const search = (name: string, q: string, type?: string): Case => ({
  ...read(
    `search-${name}`,
    2,
    'search',
    `/discovery/search?q=${encodeURIComponent(q)}${type ? `&type=${type}` : ''}`,
    type ? { p_q: q, p_type: type } : { p_q: q },
  ),
  clients: 1, // all searches are by one person, who can run two at once
})

export const cases = (): Case[] => [
  ...among(
    ['seekers'],
    [
      read('candidates', 2, 'list_candidates', '/discovery/candidates?intent=friends', { p_intent: 'friends' }),
      read('people', 2, 'list_people', '/discovery/people'),
      read('people-named', 2, 'list_people', '/discovery/people?q=seeker', { p_q: 'seeker' }),
      read('stream', 2, 'list_stream', '/discovery/stream'),
    ],
    'seekers',
  ),
  ...among(
    ['search'],
    [
      search('common', 'common'),
      search('some', 'some50'),
      search('rare', 'rare'),
      search('one', 'ownpggg'),
      search('none', 'nowhere'),
      search('two', 'common some50'),
      search('apart', 'even odd'),
      search('phrase', '"common even"'),
      search('without', 'common -even'),
      search('audio', 'common', 'audio'),
    ],
    'search',
  ),
]
