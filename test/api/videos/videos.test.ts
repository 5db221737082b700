// Videos and audio over HTTP. For the single rules see test/db/videos, for visibility test/model/contents.test.ts.
import { describe, expect, test } from 'vitest'
import { type Page, UNKNOWN, walk } from '../../support/lists.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, nobody, admin, database, join } = await world()
const { owner } = database
const mediaUrl = 'https://cdn.example.org/clip.mp4'
type Id = { id: string }
type Video = Id & {
  caption: string
  durationSec: number
  likeCount: number
  commentCount: number
  viewerHasLiked: boolean
}

const publish = async (who: typeof alice, kind: 'videos' | 'audio', more: object = {}) =>
  (await who.post<Id>(`/${kind}`, { mediaUrl, ...more })).body.id
const comment = async (who: typeof alice, video: string, body: string) =>
  (await who.post<Id>(`/videos/${video}/comments`, { body })).body.id
const said = async (who: typeof alice, video: string) =>
  (await who.get<Page<{ body: string }>>(`/videos/${video}/comments`)).body.items.map(({ body }) => body)

const named: [string, string, string, object?][] = [
  ['GET', '/videos/:id', 'video_unknown'],
  ['DELETE', '/videos/:id', 'video_unknown'],
  ['POST', '/videos/:id/like', 'video_unknown'],
  ['DELETE', '/videos/:id/like', 'video_unknown'],
  ['POST', '/videos/:id/repost', 'video_unknown'],
  ['DELETE', '/videos/:id/repost', 'video_unknown'],
  ['GET', '/videos/:id/comments', 'video_unknown'],
  ['POST', '/videos/:id/comments', 'video_unknown', { body: 'Well said.' }],
  ['DELETE', '/videos/comments/:id', 'comment_unknown'],
  ['GET', '/audio/:id', 'audio_unknown'],
  ['DELETE', '/audio/:id', 'audio_unknown'],
]

describe.each(named)('%s %s', (method, path, code, body) => {
  test('requires a token, a UUID and an existing subject', async () => {
    const at = (id: string) => path.replace(':id', id)
    expect(await nobody.request(method, at(UNKNOWN), body)).toFailWith(401, 'token_missing')
    expect(await alice.request(method, at('x'), body)).toFailWith(422, 'validation_failed')
    expect(await alice.request(method, at(UNKNOWN), body)).toFailWith(404, code)
  })
})

const lists = ['/videos', '/videos/by-author/carla', '/audio', '/audio/by-author/carla']
test.each(lists)('GET %s requires a token', async (path) => {
  expect(await nobody.get(path)).toFailWith(401, 'token_missing')
  expect(await alice.get(path)).toMatchObject({ status: 200, body: { nextCursor: null, hasMore: false } })
})

describe.each(['videos', 'audio'] as const)('POST /%s', (kind) => {
  const most = { videos: 60, audio: 300 }[kind]

  test('returns the card', async () => {
    const { body: catalog } = await alice.get<{ items: { id: string; name: string }[] }>('/interests/catalog')
    const interestId = catalog.items[0]?.id
    const sent = { mediaUrl, caption: ' Hello ', durationSec: 12.5, interestId }
    const made = await alice.post<Video>(`/${kind}`, sent)
    expect(made).toMatchObject({
      status: 201,
      body: {
        kind: kind === 'videos' ? 'video' : 'audio',
        authorId: alice.actorId,
        author: { username: 'alice' },
        interestId,
        interest: { id: interestId, name: catalog.items[0]?.name },
        title: null,
        groupId: null,
        guildId: null,
        mediaUrl,
        caption: 'Hello',
        durationSec: 12.5,
        removedAt: null,
      },
    })
    expect((await bob.get(`/${kind}/${made.body.id}`)).text).toBe(made.text)
    const long = await alice.post<Video>(`/${kind}`, { mediaUrl, durationSec: most + 0.4 })
    expect(long.body.durationSec).toBe(most)
  })

  test('publishes in a group for its members only', async () => {
    const group = (await alice.post<Id>('/groups', { name: `For ${kind}` })).body.id
    await carla.post(`/groups/${group}/join`)
    const id = await publish(alice, kind, { groupId: group, caption: 'Among us' })
    expect(await carla.get(`/${kind}/${id}`)).toMatchObject({ status: 200, body: { groupId: group, guildId: null } })
    const found = async (who: typeof alice, query: string) => (await who.get<Page<Id>>(`/${kind}?${query}`)).body.items
    expect(await found(carla, `groupId=${group}&q=among`)).toMatchObject([{ id }])
    for (const query of ['q=among', 'authorId=alice&q=among']) expect(await found(carla, query)).toEqual([])
    expect(await found(bob, `groupId=${group}`)).toEqual([])
    expect(await bob.post(`/${kind}`, { mediaUrl, groupId: group })).toFailWith(403, 'space_not_member')
    await carla.post(`/groups/${group}/leave`)
    const code = kind === 'videos' ? 'video_unknown' : 'audio_unknown'
    expect(await carla.get(`/${kind}/${id}`)).toFailWith(404, code)
    for (const of of ['groupId', 'guildId'])
      expect(await alice.post(`/${kind}`, { mediaUrl, [of]: UNKNOWN })).toFailWith(404, 'space_unknown')
    const both = { mediaUrl, groupId: group, guildId: group }
    expect(await alice.post(`/${kind}`, both)).toFailWith(422, 'content_space')
    await alice.delete(`/groups/${group}`)
    expect(await alice.post(`/${kind}`, { mediaUrl, groupId: group })).toFailWith(409, 'space_archived')
    if (kind === 'videos') {
      for (const act of ['like', 'repost'])
        expect(await alice.post(`/videos/${id}/${act}`)).toFailWith(409, 'space_archived')
      expect(await alice.post(`/videos/${id}/comments`, { body: 'x' })).toFailWith(409, 'space_archived')
    }
    expect((await alice.delete(`/${kind}/${id}`)).status).toBe(204)
  })

  test('rejects a missing token, a missing or invalid address, and too long a caption', async () => {
    expect(await nobody.post(`/${kind}`, { mediaUrl })).toFailWith(401, 'token_missing')
    const wrong = [{}, { mediaUrl, durationSec: -1 }, { mediaUrl, interestId: 'x' }]
    for (const body of wrong) expect(await alice.post(`/${kind}`, body)).toFailWith(422, 'validation_failed')
    expect(await alice.post(`/${kind}`, { mediaUrl: 'javascript:alert(1)' })).toFailWith(422, 'media_url')
    const long = { mediaUrl, caption: 'é'.repeat(281) }
    expect(await alice.post(`/${kind}`, long)).toFailWith(422, kind === 'videos' ? 'video_caption' : 'audio_caption')
  })

  test('accepts an address in the instance’s own storage only for a committed asset of the author', async () => {
    const [setting] = await owner<{ value: string }[]>`select value from app.settings where key = 'media_url'`
    const asset = async (owned: string, type: string, committed = true) => {
      const key = crypto.randomUUID()
      await owner`insert into app.media_assets (id, owner_id, kind, content_type, size, bucket, key, mime_type, status, committed_at, expires_at)
        select ${key}::uuid, ${owned}, ${type}, 'x/y', 1, value, ${key}, ${committed ? 'x/y' : null}, ${committed ? 'committed' : 'pending'},
               ${committed ? new Date() : null}, ${committed ? null : new Date(Date.now() + 60_000)}
        from app.settings where key = 'media_bucket'`
      return { mediaUrl: `${setting?.value}/${key}` }
    }
    const type = kind === 'videos' ? 'video' : 'audio'
    expect((await alice.post(`/${kind}`, await asset(alice.id, type))).status).toBe(201)
    for (const body of [
      await asset(bob.id, type),
      await asset(alice.id, type, false),
      await asset(alice.id, 'attachment'),
      { mediaUrl: `${setting?.value}/none.mp4` },
      { mediaUrl: (await asset(bob.id, type)).mediaUrl.replace('/media/local/', '/storage/v1/object/kith/') },
    ])
      expect(await alice.post(`/${kind}`, body)).toFailWith(422, 'media_url')
  })

  test('creates something that only its author can delete', async () => {
    const id = await publish(alice, kind)
    expect(await bob.delete(`/${kind}/${id}`)).toFailWith(403, 'content_not_yours')
    expect(await alice.delete(`/${kind}/${id}`)).toMatchObject({ status: 204, text: '' })
    const code = kind === 'videos' ? 'video_unknown' : 'audio_unknown'
    for (const who of [alice, bob]) expect(await who.delete(`/${kind}/${id}`)).toFailWith(404, code)
  })
})

test('Lists of videos and audio are paginated and can be filtered', async () => {
  const [dora] = await join('dora')
  if (!dora) throw new Error('dora did not join')
  const interestId = crypto.randomUUID()
  for (const kind of ['videos', 'audio'] as const) {
    const ids: string[] = []
    for (let n = 0; n < 5; n++) ids.push(await publish(dora, kind, n % 2 ? { interestId } : {}))
    ids.reverse()
    expect((await walk(bob, `/${kind}`, 2)).slice(0, 5)).toEqual(ids)
    const page = await bob.get<Page<Id>>(`/${kind}/by-author/dora`)
    expect(page.body).toMatchObject({ items: ids.map((id) => ({ id })), nextCursor: null, hasMore: false })
    const about = await bob.get<Page<Id>>(`/${kind}?interestId=${interestId}`)
    expect(about.body.items.map(({ id }) => id)).toEqual([ids[1], ids[3]])
    for (const cursor of ['x', UNKNOWN, '-1', '1001'])
      expect(await bob.get(`/${kind}?cursor=${cursor}`)).toFailWith(400, 'cursor_unknown')
    for (const query of ['limit=51', 'limit=0', 'interestId=x'])
      expect(await bob.get(`/${kind}?${query}`)).toFailWith(422, 'validation_failed')
    expect(await bob.get(`/${kind}/by-author/none`)).toFailWith(404, 'person_unknown')
  }
  expect((await bob.get<Page<Id>>('/videos?limit=2')).body.nextCursor).toBe('2')
  const [first, second] = (await bob.get<Page<Id>>('/videos?limit=2')).body.items
  await dora.delete(`/videos/${first?.id}`)
  expect((await bob.get<Page<Id>>(`/videos?cursor=${first?.id}&limit=1`)).body.items).toMatchObject([
    { id: second?.id },
  ])
})

describe('A video', () => {
  test('can be liked and reposted once per person, and each of these requests returns its card', async () => {
    const id = await publish(alice, 'videos')
    const many = await Promise.all(Array.from({ length: 4 }, () => bob.post<Video>(`/videos/${id}/like`)))
    expect(many.map(({ status, body }) => [status, body.likeCount])).toEqual(many.map(() => [200, 1]))
    expect(await carla.post(`/videos/${id}/like`)).toMatchObject({ status: 200, body: { likeCount: 2 } })
    for (let n = 0; n < 2; n++)
      expect(await bob.post(`/videos/${id}/repost`)).toMatchObject({ status: 200, body: { repostCount: 1 } })
    expect(await bob.get(`/videos/${id}`)).toMatchObject({
      body: { likeCount: 2, repostCount: 1, viewerHasLiked: true, viewerHasReposted: true },
    })
    expect(await alice.get(`/videos/${id}`)).toMatchObject({ body: { viewerHasLiked: false } })
    for (let n = 0; n < 2; n++) {
      expect(await bob.delete(`/videos/${id}/like`)).toMatchObject({ status: 200, body: { likeCount: 1 } })
      expect(await bob.delete(`/videos/${id}/repost`)).toMatchObject({ status: 200, body: { repostCount: 0 } })
    }
    const events = await owner`select from app.domain_events where payload::text like ${`%${id}%`}`
    expect(events).toHaveLength(0)
  })

  test('has comments, oldest first, which their authors can delete', async () => {
    const id = await publish(alice, 'videos')
    const first = await comment(bob, id, ' First ')
    const second = await comment(carla, id, 'Second')
    expect(await said(alice, id)).toEqual(['First', 'Second'])
    for (const body of [{}, { body: 7 }])
      expect(await bob.post(`/videos/${id}/comments`, body)).toFailWith(422, 'validation_failed')
    for (const body of ['', 'é'.repeat(2001)])
      expect(await bob.post(`/videos/${id}/comments`, { body })).toFailWith(422, 'comment_body')
    expect(await bob.delete(`/videos/comments/${second}`)).toFailWith(403, 'content_not_yours')
    expect(await bob.delete(`/videos/comments/${first}`)).toMatchObject({ status: 204, text: '' })
    expect(await bob.delete(`/videos/comments/${first}`)).toFailWith(404, 'comment_unknown')
    expect(await said(bob, id)).toEqual(['Second'])
    expect(await bob.get(`/videos/${id}`)).toMatchObject({ body: { commentCount: 1 } })
  })

  test('shows 200 comments a page, without those by blocked people', async () => {
    const id = await publish(alice, 'videos')
    await comment(bob, id, 'Hidden')
    await owner`insert into app.video_comments (video_id, author_id, body, created_at)
      select ${id}, ${alice.id}, n, now() + n * interval '1 second' from generate_series(1, 250) n`
    expect(await said(carla, id)).toEqual(['Hidden', ...Array.from({ length: 199 }, (_, n) => `${n + 1}`)])
    await carla.post('/users/bob/block')
    expect(await said(carla, id)).toEqual(Array.from({ length: 200 }, (_, n) => `${n + 1}`))
    const path = `/videos/${id}/comments`
    const first = await carla.get<Page<Id & { body: string }>>(path)
    expect(first.body.nextCursor).toBe(first.body.items[199]?.id)
    const second = await carla.get<Page<{ body: string }>>(`${path}?cursor=${first.body.nextCursor}`)
    expect(second.body.items.map(({ body }) => body)).toEqual(Array.from({ length: 50 }, (_, n) => `${n + 201}`))
    expect(second.body).toMatchObject({ nextCursor: null, hasMore: false })
    for (const cursor of ['x', id, UNKNOWN])
      expect(await carla.get(`${path}?cursor=${cursor}`)).toFailWith(400, 'cursor_unknown')
    await carla.delete('/users/bob/block')
  })

  test('is followed by the author’s other videos, 30 a page', async () => {
    const [evelyn] = await join('evelyn')
    if (!evelyn) throw new Error('evelyn did not join')
    const ids: string[] = []
    for (let n = 0; n < 33; n++) ids.unshift(await publish(evelyn, 'videos'))
    const first = await bob.get<Page<Id>>('/videos/by-author/evelyn')
    expect(first.body.items.map(({ id }) => id)).toEqual(ids.slice(0, 30))
    expect(first.body).toMatchObject({ nextCursor: ids[29], hasMore: true })
    const second = await bob.get<Page<Id>>(`/videos/by-author/evelyn?cursor=${first.body.nextCursor}`)
    expect(second.body.items.map(({ id }) => id)).toEqual(ids.slice(30))
    expect(second.body).toMatchObject({ nextCursor: null, hasMore: false })
  })

  test('is deleted with its likes, reposts and comments, partly in the background', async () => {
    const id = await publish(alice, 'videos')
    await owner`insert into app.users (username, first_name, last_name) select 'fan_' || n, 'F', 'N' from generate_series(1, 1100) n`
    await owner`insert into app.video_likes (video_id, user_id) select ${id}, u.id from app.users u where u.username like 'fan\\_%'`
    await comment(bob, id, 'Gone')
    expect(await bob.get(`/videos/${id}`)).toMatchObject({ body: { likeCount: 1100, commentCount: 1 } })
    expect((await alice.delete(`/videos/${id}`)).status).toBe(204)
    const left = async () => {
      const [row] = await owner`select (select count(*)::int from app.video_likes where video_id = ${id}) as likes,
        (select count(*)::int from app.video_comments where video_id = ${id}) as comments`
      return row
    }
    expect(await left()).toEqual({ likes: 600, comments: 0 })
    const [job] = await owner`select data from pgboss.job where name = 'deleted-contents'`
    expect(job?.data).toMatchObject({ contentId: id })
    const nexts = []
    for (let n = 0; n < 2; n++) {
      const [row] =
        await owner`select private.clear_content(${owner.json({ contentId: id })}::jsonb) ->> 'next' as next`
      nexts.push(row?.next)
    }
    expect([nexts, await left()]).toEqual([[id, null], { likes: 0, comments: 0 }])
  })
})

describe('Content', async () => {
  const [eve, finn, gus] = await join('eve', 'finn', 'gus')
  if (!eve || !finn || !gus) throw new Error('somebody did not join')
  const made = async (who: typeof alice) => ({
    video: await publish(who, 'videos'),
    audio: await publish(who, 'audio'),
    comment: await comment(who, await publish(alice, 'videos'), 'x'),
  })
  const hidden: Record<string, Awaited<ReturnType<typeof made>>> = {
    'by a blocked person': await made(eve),
    'by a banned person': await made(finn),
    'by an erased person': await made(gus),
    'removed by staff': await made(alice),
    'in a space without the caller': await made(alice),
  }
  const removed = hidden['removed by staff']
  const spaced = hidden['in a space without the caller']
  await admin.post(`/admin/content/videos/${removed?.video}/remove`)
  await admin.post(`/admin/content/audio/${removed?.audio}/remove`)
  await owner`with s as (insert into app.spaces (kind, slug, name) values ('group', 'the-space', 'x') returning id)
              update app.contents set space_id = s.id from s where app.contents.id in (${spaced?.video ?? ''}, ${spaced?.audio ?? ''})`
  await bob.post('/users/eve/block')
  await owner`update app.users set banned_at = now() where id = ${finn.id}`
  await owner`select private.erase_person(${gus.id})`

  test.each(Object.entries(hidden))('that is %s gives the same answer as unknown content', async (which, ids) => {
    for (const [method, path, code, body] of named) {
      const of = path.includes('comments/:id') ? 'comment' : path.startsWith('/audio') ? 'audio' : 'video'
      if (of === 'comment' && /removed|space/.test(which)) continue
      const [answer, unknown] = [
        await bob.request(method, path.replace(':id', ids[of]), body),
        await bob.request(method, path.replace(':id', UNKNOWN), body),
      ]
      expect(answer, `${method} ${path}`).toFailWith(404, code)
      expect(answer.text).toBe(unknown.text)
    }
    for (const [targetType, targetId] of Object.entries({ video: ids.video, audio: ids.audio })) {
      const report = { targetType, targetId, reason: 'x' }
      expect(await bob.post('/reports', report)).toFailWith(404, `${targetType}_unknown`)
    }
    const seen = [...(await walk(bob, '/videos', 50)), ...(await walk(bob, '/audio', 50))]
    expect(seen).not.toContain(ids.video)
    expect(seen).not.toContain(ids.audio)
  })

  test('that is visible can be reported', async () => {
    const id = await publish(alice, 'videos')
    const target = { video: id, audio: await publish(alice, 'audio'), 'video-comment': await comment(alice, id, 'x') }
    for (const [targetType, targetId] of Object.entries(target)) {
      const report = await bob.post('/reports', { targetType, targetId, reason: 'x' })
      expect(report).toMatchObject({ status: 201, body: { targetType, targetId } })
    }
  })

  test('leaves neither details nor comment texts after an erasure', async () => {
    const [row] = await owner`
      select (select count(*)::int from app.videos v join app.contents c using (id) where c.author_id = ${gus.id})
           + (select count(*)::int from app.audio a join app.contents c using (id) where c.author_id = ${gus.id}) as details,
             (select array_agg(distinct body) from app.video_comments where author_id = ${gus.id}) as said`
    expect(row).toEqual({ details: 0, said: [''] })
  })
})

test('The export contains what a person published, liked and said', async () => {
  const [hal] = await join('hal')
  if (!hal) throw new Error('hal did not join')
  const id = await publish(hal, 'videos', { caption: 'Mine' })
  await publish(hal, 'audio', { caption: 'Heard' })
  await hal.post(`/videos/${id}/like`)
  await hal.post(`/videos/${id}/repost`)
  await comment(hal, id, 'Said')
  const { body } = await hal.get<Record<string, object[]>>('/me/export')
  const sections = Object.fromEntries(
    ['contents', 'videos', 'audio', 'videoCounters', 'videoLikes', 'videoReposts', 'videoComments'].map((name) => [
      name,
      body[name] ?? (body.sections as unknown as Record<string, object[]>)?.[name],
    ]),
  )
  expect(sections).toMatchObject({
    contents: [{}, {}],
    videos: [{ id, caption: 'Mine' }],
    audio: [{ caption: 'Heard' }],
    videoCounters: [{ likes: 1 }],
    videoLikes: [{ videoId: id }],
    videoReposts: [{ videoId: id }],
    videoComments: [{ body: 'Said' }],
  })
})
