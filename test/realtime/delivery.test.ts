// Tests who receives which messages and when, with the real supabase-js client, over both versions of the protocol. See
// docs/decisions.md, Realtime.
import { describe, expect, test } from 'vitest'
import { applyEffects } from '../support/database.ts'
import { listen, realtimeWorld, versions } from '../support/realtime.ts'
import { until } from '../support/until.ts'

type Post = { id: string }

describe.each(versions)('Over protocol version %s', async (version) => {
  const w = await realtimeWorld()
  const { alice, bob, carla } = w
  const { owner } = w.database
  const of = (person: { token: string | undefined }) => w.client(() => person.token ?? '', version)
  const group = async () => {
    const [row] = await owner<Post[]>`
      with c as (insert into app.conversations (kind, title) values ('group', 'Us') returning id)
      insert into app.conversation_members (conversation_id, user_id)
      select c.id, u from c, unnest(${[alice.id, bob.id]}::uuid[]) u returning conversation_id as id`
    return row?.id ?? ''
  }
  const publish = async (visibility = 'public') => {
    const { body } = await alice.post<Post>('/posts', { format: 'note', body: 'heard', visibility })
    return body.id
  }

  test('a notification arrives within a second of its commit, with only its id and kind', async () => {
    const inbox = await listen(of(alice), `user:${alice.id}`)
    const id = await publish()
    await bob.post(`/posts/${id}/react`, { kind: 'heart' })
    const committed = performance.now()
    await until(() => inbox.heard.length > 0)
    expect(performance.now() - committed).toBeLessThan(1000)
    const [notification] = await alice.inbox('post.reacted')
    const payload = { id: notification?.id, kind: 'post.reacted' }
    expect(inbox.heard).toEqual([{ event: 'notification', payload }])
  })

  test('a notification whose count grows is sent again, and reading it sends nothing', async () => {
    const inbox = await listen(of(alice), `user:${alice.id}`)
    const id = await publish()
    await bob.post(`/posts/${id}/react`, { kind: 'heart' })
    await carla.post(`/posts/${id}/react`, { kind: 'heart' })
    await until(() => inbox.heard.length === 2)
    expect(inbox.heard[1]).toEqual(inbox.heard[0])
    await alice.post('/notifications/read', { ids: [inbox.heard[0]?.payload.id] })
    await w.broadcast(`user:${alice.id}`, { last: true })
    await until(() => inbox.heard.some(({ event }) => event === 'test'))
    expect(inbox.heard).toHaveLength(3)
  })

  test('nothing is sent before the commit, and nothing that is rolled back', async () => {
    const inbox = await listen(of(alice), `user:${alice.id}`)
    const send = (name: string) => ({ topic: `user:${alice.id}`, payload: JSON.stringify({ name }) })
    const held = Promise.withResolvers<void>()
    const sent = Promise.withResolvers<void>()
    const transaction = owner.begin(async (sql) => {
      const { topic, payload } = send('held')
      await sql`select private.broadcast(${topic}, 'test', ${payload}::text::jsonb)`
      sent.resolve()
      await held.promise
    })
    await sent.promise
    const undone = owner.begin(async (sql) => {
      const { topic, payload } = send('undone')
      await sql`select private.broadcast(${topic}, 'test', ${payload}::text::jsonb)`
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    await w.broadcast(`user:${alice.id}`, { name: 'later' })
    await until(() => inbox.heard.length > 0)
    expect(inbox.heard.map(({ payload }) => payload.name)).toEqual(['later'])
    held.resolve()
    await transaction
    await until(() => inbox.heard.length > 1)
    expect(inbox.heard.map(({ payload }) => payload.name)).toEqual(['later', 'held'])
  })

  test('feed:public sends only the ids of new public posts', async () => {
    const feed = await listen(of(bob), 'feed:public')
    await publish('circles')
    const id = await publish()
    await until(() => feed.heard.length > 0)
    expect(feed.heard).toEqual([{ event: 'post', payload: { id } }])
  })

  test('a blocked person receives the id of a public post, but cannot read the post', async () => {
    const [dora] = await w.join(`dora${version[0]}`)
    const feed = await listen(of(dora ?? bob), 'feed:public')
    await alice.post(`/users/${dora?.actorId}/block`)
    const id = await publish()
    await until(() => feed.heard.length > 0)
    expect(feed.heard[0]?.payload).toEqual({ id })
    expect((await dora?.get(`/posts/${id}`))?.status).toBe(404)
  })

  test('members of a conversation receive its messages, and others are rejected', async () => {
    const id = await group()
    const conversation = await listen(of(bob), `conversation:${id}`)
    await w.broadcast(`conversation:${id}`, { id: 'a message' })
    await until(() => conversation.heard.length > 0)
    expect(conversation.heard).toEqual([{ event: 'test', payload: { id: 'a message' } }])
    await expect(listen(of(carla), `conversation:${id}`)).rejects.toThrow('Unauthorized')
  })

  test('a member who leaves a conversation is disconnected immediately, until they are added back', async () => {
    const id = await group()
    const left = await listen(of(bob), `conversation:${id}`)
    const stayed = await listen(of(alice), `conversation:${id}`)
    await owner`delete from app.conversation_members where conversation_id = ${id} and user_id = ${bob.id}`
    await until(() => left.statuses.includes('CLOSED'))
    const message = `You do not have permissions to read from this Channel topic: conversation:${id}`
    expect(left.system).toMatchObject([{ status: 'error', message }])
    await w.broadcast(`conversation:${id}`, { id: 'not for bob' })
    await until(() => stayed.heard.length > 0)
    expect(left.heard).toEqual([])
    await expect(listen(of(bob), `conversation:${id}`)).rejects.toThrow('Unauthorized')
    await owner`insert into app.conversation_spans (conversation_id, user_id, first_number) values (${id}, ${bob.id}, 1)`
    await owner`insert into app.conversation_members (conversation_id, user_id) values (${id}, ${bob.id})`
    await until(async () => (await listen(of(bob), `conversation:${id}`)).statuses.includes('SUBSCRIBED'))
  })

  test('a message that cannot be sent does not fail the write that causes it', async () => {
    const today = await owner<{ name: string }[]>`
      select relname as name from pg_class where oid = (
        select inhrelid from pg_inherits
        where inhparent = 'realtime.messages'::regclass and inhrelid::regclass::text ~ to_char(now(), 'YYYY_MM_DD'))`
    await w.database.superuser.unsafe(`drop table realtime.${today[0]?.name}`)
    expect((await alice.post('/posts', { format: 'note', body: 'lost' })).status).toBe(201)
    await applyEffects(owner)
    await expect(listen(of(bob), 'feed:public')).rejects.toThrow('UnableToSetPolicies')
    await owner`select realtime.create_partitions()`
    const feed = await listen(of(bob), 'feed:public')
    const id = await publish()
    await until(() => feed.heard.length > 0)
    expect(feed.heard[0]?.payload).toEqual({ id })
  })
})
