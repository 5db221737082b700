// Tests who is notified of what. Random stories of events run one after another. Notifications and Realtime messages
//  (of feed:public and of each person's own channel) are compared with the model of who can see what
// (test/model/oracle). See docs/decisions.md, Realtime. A failed test prints its seed and the smallest story that shows
// the fault.
import fc from 'fast-check'
import type { ReservedSql } from 'postgres'
import { expect, test } from 'vitest'
import { applyEffects, createDatabase } from '../support/database.ts'
import { runs } from '../support/runs.ts'
import { performers } from './oracle/acts.ts'
import { actAs, actAsOwner } from './oracle/ask.ts'
import { build, settle } from './oracle/build.ts'
import type { Memory, Step } from './oracle/happenings.ts'
import { at, gone } from './oracle/model.ts'
import { beginning, fitted, stories, tooEarly } from './oracle/stories.ts'

const { owner, superuser } = await createDatabase()
const ground = await settle(owner)
await superuser.unsafe(`
  create schema oracle;
  create function oracle.attempt(p_call text) returns json language plpgsql as $$
  declare
    v_answer json;
  begin
    execute 'select ' || p_call into v_answer;
    return json_build_object('id', v_answer ->> 'id');
  exception when others then
    if sqlstate !~ '^(PT4|23)' then   -- a code, or a constraint that has one
      raise;
    end if;
    return json_build_object('refused', sqlerrm);
  end $$;
  create function oracle.due(p_id uuid) returns json language plpgsql as $$
  begin
    update app.posts set publish_at = now() where id = p_id and published_at is null;
    return to_json(private.job_publish_scheduled());
  end $$;
  create function oracle.close(p_id uuid) returns json language plpgsql as $$
  begin
    update app.polls set closes_at = now() where post_id = p_id and closes_at is null;
    return to_json(private.job_close_polls());
  end $$;
  create function oracle.hide(p_id uuid) returns json language sql
  as $$ update app.posts set hidden_at = now() where id = p_id returning null::json $$;
  create function oracle.ban(p_name text) returns json language sql
  as $$ update app.users set banned_at = now() where username = p_name returning null::json $$;
  create function oracle.suspend(p_name text) returns json language sql
  as $$ update app.users set banned_at = now(), banned_until = now() + interval '1 day'
        where username = p_name returning null::json $$;
  create function oracle.limit(p_name text) returns json language sql
  as $$ update app.users set limited_at = now() where username = p_name returning null::json $$;
  grant usage on schema oracle to authenticated;
  grant execute on function oracle.attempt to authenticated;`)

type Made = { posts: string[]; replies: string[] }

/** Makes the call of a step, in the name of its person. */
async function perform(sql: ReservedSql, { by, call }: Step, made: Made) {
  const text = call(
    (place) => at(made.posts, place),
    (place) => at(made.replies, place),
  )
  if (by !== null) await actAs(sql, at(ground.people, by))
  const [row] = await sql<[{ answer: { id?: string; refused?: string } }]>`select oracle.attempt(${text}) as answer`
  await actAsOwner(sql)
  return { text, ...row.answer }
}

type Message = { topic: string; event: string; payload: { id: string; kind?: string }; about: string | null }

/** What was sent since the last call: to whom, and about which post, taken from the notification if it says so. */
async function sent(sql: ReservedSql): Promise<string[]> {
  await applyEffects(sql)
  const messages = await sql<Message[]>`
    with sent as (delete from realtime.messages returning topic, event, payload)
    select s.*, n.target_id as about from sent s left join app.notifications n on n.id = (s.payload ->> 'id')::uuid`
  return (
    messages
      // nobody can join the former channel
      .filter(({ topic, payload }) => topic !== 'tokens' && payload.kind !== 'circle.added')
      .map(({ topic, event, payload: { id, kind, ...more }, about }) => {
        expect(more).toEqual({})
        return [topic, event, ...(kind === undefined ? [id] : [kind, about])].join(' ')
      })
      .sort()
  )
}

const numRuns = runs(50, 3000)
/** The error that stops the search for a failing case, which then still reports what it has found. */
const limits = { interruptAfterTimeLimit: 60_000 + numRuns * 500, markInterruptAsFailure: true }

test('People are notified of what they can see, and of nothing else', {
  timeout: limits.interruptAfterTimeLimit + 20_000,
}, async () => {
  const sql = await superuser.reserve()
  const heard: string[] = []
  const property = fc.asyncProperty(stories, async (story) => {
    const world = beginning(story)
    const memory: Memory = { mentions: [], closed: new Set(), once: new Set() }
    const made: Made = { posts: [], replies: [] }
    await sql`begin`
    try {
      await sql`set local statement_timeout = '15s'` // a statement that never ends is a fault too
      await build(sql, world, ground)
      await sent(sql)
      for (const drawn of [...story.opening, ...story.acts]) {
        const act = fitted(world, drawn)
        if (gone(world, act.by) || tooEarly(world, act)) continue
        const step = performers[act.kind](world, act, memory)
        const { text, id, refused } = await perform(sql, step, made)
        expect(refused === undefined, `${text}: ${refused}`).toBe(step.may)
        if (step.makes && step.may) made[step.makes].push(id ?? '')
        const expected = [
          ...step.feed.map((place) => `feed:public post ${at(made.posts, place)}`),
          ...step.told.map(
            ({ to, kind, post }) => `user:${at(ground.people, to)} notification ${kind} ${at(made.posts, post)}`,
          ),
        ]
        expect(await sent(sql), text).toEqual(expected.sort())
        heard.push(...step.feed.map(() => 'feed:public'), ...step.told.map(({ kind }) => kind))
      }
    } finally {
      await sql`rollback`
    }
  })
  await fc.assert(property, { numRuns, seed: 20_261_126, ...limits })
  sql.release()

  const times = new Map<string, number>()
  for (const kind of heard) times.set(kind, (times.get(kind) ?? 0) + 1)
  times.delete('post.milestone') // this kind needs all five people
  expect(times.size).toBe(10) // with this seed every kind occurs
})
