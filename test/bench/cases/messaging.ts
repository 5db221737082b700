import { among, type Case, numbered, read } from '../case.ts'

const talk = (n: number) => numbered('4', n)
const body = 'What I read today, and what I make of it.'

/** A message by one of these people in one of these conversations, each with its own client id. */
const send = (
  name: string,
  at: (n: number) => { caller: number; talk: number },
  sqlCaller: string,
  sqlTalk: string,
): Case => ({
  name,
  method: 'POST',
  hit: (n) => {
    const one = at(n)
    const clientId = numbered('5', n)
    return {
      caller: one.caller,
      parameters: { p_id: talk(one.talk), p_body: body, p_client_id: clientId },
      path: `/conversations/${talk(one.talk)}/messages`,
      body: { body, clientId },
    }
  },
  statement: {
    operation: 'send_message',
    parameters: ['p_id', 'p_body', 'p_client_id'],
    pgbench: {
      variables: `\\set n random(0, 3999)`,
      caller: sqlCaller,
      call: `api.send_message(bench.talk(${sqlTalk}), '${body}', gen_random_uuid())`,
    },
  },
})

export const cases = (): Case[] =>
  among(
    ['messaging', 'messages'],
    [
      send('send-2', (n) => ({ caller: 1001 + (n % 4000), talk: 1001 + (n % 4000) }), '1001 + :n', '1001 + :n'),
      send(
        'send-50',
        (n) => ({ caller: 3001 + (Math.floor(n / 50) % 50), talk: 5001 + (n % 50) }),
        '3001 + :n / 80',
        '5001 + :n % 50',
      ),
      read('messages', 3001, 'list_messages', `/conversations/${talk(0)}/messages`, { p_id: talk(0) }),
      read('conversations', 10, 'list_conversations', '/conversations'),
    ],
    'messages',
  )
