// Connections that are killed in the middle of what they do, at the same write each time: a run that fails replays.
import postgres from 'postgres'
import { type Database, poolUrl } from '../support/database.ts'
import type { Outcome, Request } from './races.ts'

/** Behind how many of its writes a request loses its connection; null when it keeps it. */
export type Kill = number | null

/** Call it once a database. `send` runs requests as their pools do, and `died` tells how many were cut off. */
export async function createKills({ superuser, owner, connect, url }: Database) {
  await superuser.unsafe(`
    create function public.die() returns trigger language plpgsql security definer as $$
    declare
      v_left integer := nullif(current_setting('test.writes_left', true), '')::integer;
    begin
      if v_left = 0 then
        perform pg_terminate_backend(pg_backend_pid()), pg_sleep(60);
      elsif v_left > 0 then
        perform set_config('test.writes_left', (v_left - 1)::text, true);
      end if;
      return null;
    end $$;
    do $$
    declare
      v_table regclass;
    begin
      for v_table in select oid from pg_class where relkind = 'r' and relnamespace = 'app'::regnamespace loop
        execute format('create trigger zzz_die after insert or update or delete on %s
                        for each statement execute function public.die()', v_table);
      end loop;
    end $$`)
  const pools = { user: connect('kith_user'), service: connect('kith_service'), gate: connect('kith_gate') }
  let died = 0

  const outcomeOf = (asked: PromiseLike<unknown>): Promise<Outcome> =>
    Promise.resolve(asked).then(
      () => null,
      ({ code, message }: { code?: string; message: string }) =>
        code === '57P01' || code === 'CONNECTION_CLOSED' ? DEAD : code === '40P01' ? code : message,
    )
  /**
   * What it came to, null or the code of the error. Whoever loses the connection asks once more; so does who has an
   * Idempotency-Key, as if an answer had come that nobody heard.
   */
  async function send(request: Request, kill: Kill = null, repeats = false): Promise<Outcome> {
    const { role, run } = request
    if (kill === null) return outcomeOf(run(role ? pools[role] : owner))
    const lane = postgres(role ? poolUrl(url, `kith_${role}`) : url, {
      ...{ max: 1, onnotice: () => {} },
      connection: { 'test.writes_left': String(kill) },
    })
    const first = await outcomeOf(run(lane))
    await lane.end({ timeout: 0 }) // without it a dead one is waited for
    if (first === DEAD) died++
    return first === DEAD || repeats ? send(request) : first
  }
  return { send, died: () => died }
}
const DEAD = 'the connection is dead'
