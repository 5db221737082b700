// Reads on replicas, with a primary and two real standbys. Every later answer contains what a person wrote and has
// read. A standby that is too far behind or does not answer is skipped. Only the primary answers with an error. See
// docs/decisions.md, Replicas.
import { describe, expect, test } from 'vitest'
import { readers } from '../../../api-facade/generated/operations.ts'
import { loadTables } from '../../../api-facade/lib/features.ts'
import { spellings } from '../../../api-facade/lib/routes.ts'
import { layCable } from '../../support/cable.ts'
import type { Answer } from '../../support/crawler.ts'
import { letIn, settle } from '../../support/joining.ts'
import { Person } from '../../support/person.ts'
import { publish } from '../../support/posts.ts'
import { delay, replicated } from '../../support/replicated.ts'
import { ADMIN } from '../../support/settings.ts'
import { oneOfEach } from '../../support/things.ts'
import { until } from '../../support/until.ts'

const { owner, standbys, urlOf, facade } = await replicated()
const [one, two] = standbys as [(typeof standbys)[0], (typeof standbys)[0]]
const BOUND = 1 // s
const { url, lines } = await facade({ REPLICA_MAX_LAG: String(BOUND) })
const admin = await settle(await Object.assign(new Person(url), ADMIN).login(), url)
const people = await letIn(admin, ['alice', 'bob', 'carla', 'dora', 'emil', 'fred'])
const [alice, bob, carla] = people as [Person, Person, Person]

const ASK = { 'X-Read-From': 'where?' }
const placeOf = ({ headers }: Answer) => headers.get('x-read-from') ?? ''
const at = (address: string, person: Person) =>
  Object.assign(new Person(address, person.token), { ...person, base: address })
/** Reads until the answer comes from this server. */
const readFrom = (person: Person, path: string, place: string | RegExp, headers = {}) =>
  until(async () => {
    const answer = await person.get(path, { ...ASK, ...headers })
    expect(answer.status, answer.text).toBe(200)
    return placeOf(answer).match(place) && answer
  })
/** Runs `work` while these standbys apply each commit later by `ms` milliseconds. */
async function behind(late: typeof standbys, ms: number, work: () => Promise<void>): Promise<void> {
  await Promise.all(late.map((standby) => delay(standby, ms)))
  await work().finally(() => Promise.all(late.map((standby) => delay(standby, 0))))
}
/** The standby that the facade prefers for the person: `replica 1` or `replica 2`. */
const preferred = async (person: Person) => placeOf(await readFrom(person, '/me/personas', /^replica/)).slice(0, 9)

describe('Reads', () => {
  test('of one person are answered by the same replica while it is in use, and those of many people by both', async () => {
    const seen = new Set<string>()
    for (let more = 0; seen.size < 2; more++) {
      const [person] = (await letIn(admin, [`more_${more}`])) as [Person]
      // the other replica may answer until this one has what the person has seen
      const place = await until(async () => {
        const places = new Set<string>()
        for (let n = 0; n < 16; n++) places.add(placeOf(await person.get('/me/personas', ASK)).slice(0, 9))
        const [place = ''] = places
        return places.size === 1 && place.startsWith('replica') ? place : undefined
      })
      seen.add(place)
    }
  })

  test('that must be fresh, and writes, stay on the primary', async () => {
    await preferred(alice)
    for (const path of ['/conversations', '/economy/payments', '/me/sessions'])
      expect(placeOf(await alice.get(path, ASK)), path).toBe('primary; reason=fresh')
    for (const path of ['/notifications', '/economy/wallet', '/access/me', '/reputation/me']) {
      const answer = await alice.get(path, ASK)
      expect([answer.status, placeOf(answer)], path).toEqual([200, ''])
    }
  })

  test('of a batch are answered by a replica, and so are HEAD, ETags and a file', async () => {
    await preferred(alice)
    const counted = async () =>
      (await (await fetch(`${url}/metrics`)).text()).match(/kith_reads_total\{place="replica.*/g)?.join()
    const before = await counted()
    const batch = await alice.post<{ responses: { status: number }[] }>('/batch', {
      requests: [
        { method: 'GET', path: '/me/personas' },
        { method: 'GET', path: '/feed' },
      ],
    })
    expect(batch.body.responses.map(({ status }) => status)).toEqual([200, 200])
    expect(await counted()).not.toBe(before)
    const tagged = await readFrom(alice, '/me', /^replica/)
    const known = { ...ASK, 'If-None-Match': tagged.headers.get('etag') ?? '' }
    const again = await alice.get('/me', known)
    expect([again.status, placeOf(again).slice(0, 7)]).toEqual([304, 'replica'])
  })
})

describe('A person', () => {
  test('sees what they wrote in their next read, whichever replica is behind', async () => {
    for (const late of [one, two]) {
      await behind([late], 300, async () => {
        const places = new Set<string>()
        for (let n = 0; n < 8; n++)
          for (const person of people) {
            const about = `${late.name} ${n}`
            expect((await person.patch('/me', { about })).status).toBe(200)
            const answer = await person.get<{ about: string }>('/me', ASK)
            expect(answer.body.about).toBe(about)
            places.add(placeOf(answer).slice(0, 9))
          }
        expect([...places].sort()).toContain('primary; ')
      })
    }
  })

  test('can use a token as soon as they have it, and is rejected as soon as it has ended', async () => {
    await behind(standbys, 300, async () => {
      const fresh = await carla.login()
      expect((await fresh.get('/me')).status).toBe(200)
      await fresh.post('/auth/logout')
      expect(await fresh.get('/me')).toFailWith(401, 'token_revoked')
      expect(await fresh.get('/me/personas')).toFailWith(401, 'token_revoked')
    })
  })

  test('finds a thing whose id they were told, because no replica answers that it does not exist', async () => {
    for (const person of people) await readFrom(person, '/me', /^replica/)
    await behind(standbys, 5000, async () => {
      const post = await publish(alice)
      const answers = await Promise.all(people.map((person) => person.get(`/posts/${post}`, ASK)))
      expect(answers.map(({ status }) => status)).toEqual(people.map(() => 200))
      expect(answers.map(placeOf)).toContain('primary; reason=repeated')
    })
  })

  test('who was blocked sees the blocker’s posts for no longer than REPLICA_MAX_LAG', async () => {
    const path = '/posts/by/carla'
    const post = await publish(carla)
    await until(async () => (await readFrom(bob, path, /^replica/)).text.includes(post))
    await behind(standbys, 5000, async () => {
      expect((await carla.post('/users/bob/block')).status).toBe(200)
      const blocked = performance.now()
      let last = blocked
      await until(async () => {
        const asked = performance.now()
        if (!(await bob.get(path)).text.includes(post)) return true
        last = asked
        return false
      })
      expect(last).toBeGreaterThan(blocked) // otherwise no replica was behind
      expect(last - blocked).toBeLessThan(BOUND * 1000)
    })
    await carla.delete('/users/bob/block')
  })
})

describe('Two facades', async () => {
  const env = { RATE_LIMIT_STORE: 'database', REPLICA_MAX_LAG: '60' }
  // each facade has its own replica
  const [here, there] = (await Promise.all(
    standbys.map((standby) => facade({ ...env, DATABASE_REPLICA_URLS: urlOf(standby) })),
  ).then((both) => both.map((each) => each.url))) as [string, string]
  const positionIn = ({ headers }: Answer) => ({ 'X-Read-Position': headers.get('x-read-position') ?? '' })

  test('read from the primary if a request has no position, and from a replica if it has one', async () => {
    const first = await at(here, alice).get('/me', ASK)
    expect(placeOf(first)).toBe('primary; reason=position')
    await readFrom(at(here, alice), '/me', /^replica/, positionIn(first))
    await readFrom(at(there, alice), '/me', /^replica/, positionIn(first))
    expect(placeOf(await at(there, alice).get('/me', ASK))).toBe('primary; reason=position')
  })

  test('show what was written at the other one, if the client sends back the position', async () => {
    await behind(standbys, 300, async () => {
      let held = {}
      for (let n = 0; n < 8; n++) {
        const about = `facades ${n}`
        const wrote = await at(here, alice).patch('/me', { about }, held)
        const read = await at(there, alice).get<{ about: string }>('/me', { ...ASK, ...positionIn(wrote) })
        expect(read.body.about).toBe(about)
        held = positionIn(read)
      }
    })
  })

  test('never show an older state than the other one has already shown', async () => {
    await alice.patch('/me', { about: '0' })
    await behind([two], 300, async () => {
      let isOver = false
      const writing = (async () => {
        for (let n = 1; !isOver; n++) await alice.patch('/me', { about: String(n) })
      })()
      let held = {}
      let last = 0
      try {
        for (let n = 0; n < 60; n++) {
          const answer = await at(n % 2 ? there : here, bob).get<{ about: string }>('/users/alice', held)
          expect(Number(answer.body.about)).toBeGreaterThanOrEqual(last)
          last = Number(answer.body.about)
          held = positionIn(answer)
        }
      } finally {
        isOver = true
        await writing
      }
      expect(last).toBeGreaterThan(0)
    })
  })

  test('accept several positions, and ignore a position that they did not make for this person', async () => {
    const [mine, later] = [await at(here, alice).get('/me'), await at(here, alice).patch('/me', { about: 'later' })]
    const [own, newer] = [mine, later].map((answer) => positionIn(answer)['X-Read-Position']) as [string, string]
    const theirs = positionIn(await at(here, bob).get('/me'))['X-Read-Position']
    await readFrom(at(there, alice), '/me', /^replica/, { 'X-Read-Position': `${own}, ${newer}` })
    for (const wrong of [theirs, `${own},${theirs}`, 'AAAA', `${own}A`, '', Array(21).fill(own).join()]) {
      const answer = await at(there, alice).get('/me', { ...ASK, 'X-Read-Position': wrong })
      expect([answer.status, placeOf(answer)], wrong).toEqual([200, 'primary; reason=position'])
    }
  })

  test('send no position that is older than the one that the client has', async () => {
    const [dora] = (await letIn(admin, ['dora_two'])) as [Person]
    const refused = await at(there, dora).post('/batch', { requests: 1 })
    expect([refused.status, refused.headers.get('x-read-position')]).toEqual([422, null])
    const nothing = [{ method: 'GET', path: '/nowhere' }]
    const batch = await at(there, dora).post('/batch', { requests: nothing })
    expect([batch.status, batch.headers.get('x-read-position')]).toEqual([200, null])
    expect((await at(there, dora).get('/me')).headers.get('x-read-position')).not.toBeNull()
  })

  test('send the position with the answer to a batch, and accept one for the reads in a batch', async () => {
    const requests = [{ method: 'GET', path: '/me' }]
    await alice.patch('/me', { about: 'in a batch' })
    const position = positionIn(await at(here, alice).get('/me'))
    await readFrom(at(there, alice), '/me', /^replica/, position)
    const before = (await (await fetch(`${there}/metrics`)).text()).match(/kith_reads_total\{place="replica.*/g)
    const answer = await at(there, alice).post('/batch', { requests }, position)
    expect(answer.headers.get('x-read-position')).toMatch(/^[\w-]{32}$/)
    expect((await (await fetch(`${there}/metrics`)).text()).match(/kith_reads_total\{place="replica.*/g)).not.toEqual(
      before,
    )
  })
})

describe('A replica', () => {
  const isLong = (lag: number) => lag > BOUND
  const lags = async () => {
    const text = await (await fetch(`${url}/metrics`)).text()
    return [...text.matchAll(/^kith_replica_lag_seconds\{.*\} (.*)$/gm)].map(([, lag]) =>
      lag === '+Inf' ? Number.POSITIVE_INFINITY : Number(lag),
    )
  }

  test('that is further behind than REPLICA_MAX_LAG is not used until it has caught up', async () => {
    await behind(standbys, 3_600_000, async () => {
      await alice.patch('/me', { about: 'not replayed' })
      await readFrom(bob, '/me', 'primary; reason=lag')
      expect(await lags()).toEqual([expect.toSatisfy(isLong), expect.toSatisfy(isLong)])
    })
    await readFrom(bob, '/me', /^replica/)
    await readFrom(alice, '/me', /^replica/)
    await until(async () => !(await lags()).some(isLong))
  })

  test('that cannot run a read, because the operation writes, leaves it to the primary, and the log says so', async () => {
    const [{ definition }] = await owner<[{ definition: string }]>`
      select pg_get_functiondef('api.list_my_personas'::regproc) as definition`
    await owner.unsafe(`create table private.planted (n integer); grant insert on private.planted to authenticated`)
    await owner.unsafe(`create function private.plant() returns void language plpgsql volatile security definer
      as $$ begin insert into private.planted values (1); end $$;
      grant execute on function private.plant() to authenticated`)
    await owner.unsafe(definition.replace(/\bBEGIN\b/i, 'begin perform private.plant();'))
    await readFrom(alice, '/me/personas', 'primary; reason=repeated')
    expect(lines.filter(({ operation }) => operation === 'list_my_personas')).not.toEqual([])
    await owner.unsafe(definition)
    await owner.unsafe('drop function private.plant(); drop table private.planted')
    await readFrom(alice, '/me/personas', /^replica/)
  })
})

describe('Every read that a replica may answer', async () => {
  const ids = await oneOfEach(admin, [alice, bob], { owner } as never)
  const [interest] = await owner<{ id: string }[]>`select id from app.interests where slug = 'music'`
  await owner`insert into app.wiki_versions (interest_id, version, body, summary, author_id)
    values (${interest?.id ?? ''}, 1, 'x', 'x', ${admin.id})`
  await owner`insert into app.imports (user_id, state, origin, signature) values (${admin.id}, 'done', 'localhost', 'none')`
  await owner`select private.warn_person(${admin.id}, 'Be kind')`
  const [decision] = await owner<{ id: string }[]>`select id from app.decisions where person_id = ${admin.id}`
  const proposal = await admin.post<{ id: string }>(`/guilds/${ids['/guilds']}/proposals`, {
    ...{ kind: 'charter', title: 'A charter', payload: { charter: 'We sing' } },
  })
  const more: Record<string, string> = {
    '/me/standing': decision?.id ?? '',
    '/guilds/*/proposals': proposal.body.id,
    '/wiki/*/versions': '1',
    '/users': 'alice',
    '/conversations/availability': 'alice',
    '/circles/me/check': 'alice',
    '/circles/me/pending': 'alice',
    '/audio': (await admin.post<{ id: string }>('/audio', { mediaUrl: 'https://example.org/a.mp3', title: 'x' })).body
      .id,
  }
  const queries: Record<string, string> = {
    '/discovery/search': '?q=x',
    '/users': '?ids=alice',
    '/posts': `?ids=${ids['/posts']}`,
  }
  /** The path with the ids of things that exist. */
  const filled = (path: string) => {
    const parts: string[] = []
    const shape: string[] = []
    for (const part of path.split('/').slice(1)) {
      const place = `/${shape.join('/')}`
      const id = part.startsWith(':') ? (more[place] ?? ids[place]) : part
      if (!id) throw new Error(`${path}: no id for ${place}`)
      parts.push(id)
      shape.push(part.startsWith(':') ? '*' : part)
    }
    return `/${parts.join('/')}${queries[path] ?? ''}`
  }
  const known = new Set<string>(readers)
  const routes = spellings(await loadTables()).filter(
    ({ method, alias, row: { access, pool, fresh, operation, calls = [] } }) =>
      method === 'GET' &&
      !alias &&
      access === 'user' &&
      !pool &&
      !fresh &&
      [operation ?? '', ...calls].some((name) => known.has(name)),
  )

  test('is one of more than 80 routes', () => expect(routes.length).toBeGreaterThan(80))

  test.each(routes.map(({ path }) => path))('GET %s succeeds there', async (path) => {
    await readFrom(admin, filled(path), /^replica/)
  })
})

describe('Without any error,', () => {
  test('the primary answers while a replica hangs', async () => {
    const cables = await Promise.all(standbys.map((standby) => layCable(urlOf(standby))))
    const { url: own } = await facade({ DATABASE_REPLICA_URLS: cables.map((cable) => cable.url).join() })
    await readFrom(at(own, alice), '/me', await preferred(alice))
    for (const cable of cables) cable.hold()
    const begun = performance.now()
    const answer = await at(own, alice).get('/me', ASK)
    // `position` if the replica hangs before it says whether it has what alice has seen
    expect([answer.status, placeOf(answer)]).toEqual([
      200,
      expect.stringMatching(/^primary; reason=(repeated|position)$/),
    ])
    expect(performance.now() - begun).toBeLessThan(5000)
    await readFrom(at(own, alice), '/me', /^replica/) // over new connections
    await Promise.all(cables.map((cable) => cable.close()))
    await readFrom(at(own, alice), '/me', 'primary; reason=down')
  })

  test('the list of replicas can change', async () => {
    let list = [urlOf(one)]
    const { url: own } = await facade({}, { replicaUrls: () => list })
    await readFrom(at(own, alice), '/me', /^replica 1/)
    list = []
    await readFrom(at(own, alice), '/me', 'primary; reason=down')
    list = [urlOf(two)]
    await readFrom(at(own, alice), '/me', /^replica 1/)
  })

  test('a replica that was promoted is not used', async () => {
    await two.promote()
    for (const person of people) await readFrom(person, '/me', /^replica 1/)
    expect(lines.filter(({ msg, replica }) => msg === 'a replica is out' && replica === 2)).not.toEqual([])
  })

  test('the other replica and then the primary take over when replicas are killed', async () => {
    let isOver = false
    const reading = people.map(async (person) => {
      const places = new Set<string>()
      while (!isOver) {
        const answer = await person.get('/me', ASK)
        expect(answer.status, answer.text).toBe(200)
        places.add(placeOf(answer).slice(0, 9))
      }
      return [...places]
    })
    await one.stop()
    for (const person of people) await readFrom(person, '/me', 'primary; reason=down')
    isOver = true
    for (const places of await Promise.all(reading)) expect(places).toContain('primary; ')
  })
})
