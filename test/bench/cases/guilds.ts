import { among, type Case, numbered } from '../case.ts'

/** The number of members of each guild in data/spaces.sql. */
const members = { 2001: 500, 2002: 1000, 2003: 5000 }

/** Votes no, on forty proposals that never pass. */
const vote = (guild: keyof typeof members): Case => {
  const proposal = (n: number) => numbered('7', (guild - 2000) * 100 + n)
  return {
    name: `vote-${members[guild]}`,
    method: 'PUT',
    clients: 1,
    hit: (n) => {
      const pid = proposal(1 + (Math.floor(n / members[guild]) % 40))
      return {
        caller: 1 + (n % members[guild]),
        parameters: { p_id: `guild-${guild}`, p_pid: pid, p_value: 'no' },
        path: `/guilds/guild-${guild}/proposals/${pid}/vote`,
        body: { value: 'no' },
      }
    },
    statement: {
      operation: 'vote_on_proposal',
      parameters: ['p_id', 'p_pid', 'p_value'],
      pgbench: {
        variables: `\\set n random(1, ${members[guild]})`,
        caller: ':n',
        call: `api.vote_on_proposal('guild-${guild}', '${proposal(1)}', 'no')`,
      },
    },
  }
}

export const cases = (): Case[] => among(['spaces', 'votes'], [vote(2001), vote(2002), vote(2003)], 'votes')
