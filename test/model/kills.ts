// Kills connections in the middle of a request, at the same write in each run, so that a failing run can be replayed.
import postgres from 'postgres'
import { type Database, poolUrl } from '../support/database.ts'
import type { Outcome, Request } from './races.ts'

/** The number of writes after which a request loses its connection. Null if the request keeps its connection. */
export type Kill = number | null

/**
 * Call it once for each database. `send` runs requests as their pools do, and `died` returns how many connections were
 * cut.
 */
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
   * The outcome: null, or the code of the error. A request that lost its connection is sent again. A request with an
   * Idempotency-Key can be sent again too, as if its answer had been lost.
   */
  async function send(request: Request, kill: Kill = null, repeats = false): Promise<Outcome> {
    const { role, run } = request
    if (kill === null) return outcomeOf(run(role ? pools[role] : owner))
    const lane = postgres(role ? poolUrl(url, `kith_${role}`) : url, {
      ...{ max: 1, onnotice: () => {} },
      connection: { 'test.writes_left': String(kill) },
    })
    const first = await outcomeOf(run(lane))
    await lane.end({ timeout: 0 }) // without the timeout, end() would wait for a dead connection
    if (first === DEAD) died++
    return first === DEAD || repeats ? send(request) : first
  }
  return { send, died: () => died }
}
const DEAD = 'the connection is dead'
