// Calls the database as a person: sends all calls of look.ts in one statement, and rolls each back.
import type { ReservedSql, Sql } from 'postgres'
import type { Ground } from './build.ts'

/** The answer of a failed call: its code, or the unexpected error. */
export type Reply = { answer: never } | { refused: string }

/** Creates the functions that the calls of look.ts use, in a schema that is dropped with the test's database. */
export async function prepare(superuser: Sql, { parent, child }: Ground): Promise<void> {
  await superuser.unsafe(`
    create schema oracle;
    create function oracle.parent() returns uuid language sql immutable as $$ select '${parent}'::uuid $$;
    create function oracle.child() returns uuid language sql immutable as $$ select '${child}'::uuid $$;
    create function oracle.me() returns text language sql stable
    as $$ select username from app.users where id = app.uid() $$;

    create function oracle.export(p_turn integer) returns json language plpgsql as $$
    declare
      v_name     text;
      v_page     json;
      v_items    json[];
      v_sections jsonb := '{}';
    begin
      -- those of posts and replies, and every fourth of the others, because there are many
      for v_name in
        select s.section ->> 'name'
        from json_array_elements(api.export_me() -> 'sections') with ordinality as s (section, place)
        where s.section ->> 'name' in ('posts', 'replies') or (s.place + p_turn) % 4 = 0
      loop
        v_items := '{}';
        v_page := api.export_me(v_name);
        loop
          v_items := v_items || array(select i from json_array_elements(v_page -> 'items') i);
          exit when v_page ->> 'next' is null;
          v_page := api.export_me(v_name, v_page ->> 'next');
        end loop;
        v_sections := v_sections || jsonb_build_object(v_name, v_items);
      end loop;
      return v_sections;
    end $$;

    create function oracle.tables() returns json language plpgsql stable as $$
    begin
      return json_build_object(
        'posts', array(select id from app.posts order by 1),
        'counters', array(select post_id from app.post_counters order by 1),
        'interests', array(select post_id from app.post_interests order by 1),
        'emotions', array(select post_id from app.post_emotions order by 1),
        'polls', array(select post_id from app.polls order by 1),
        'options', array(select id from app.poll_options order by 1),
        'replies', array(select id from app.replies order by 1),
        'series', array(select id from app.series order by 1),
        'parts', array(select post_id from app.series_items order by series_id, position),
        'coAuthors', array(select id from app.post_co_authors order by 1));
    end $$;

    create function oracle.walk(p_call text) returns json language plpgsql as $$
    declare
      v_page   json;
      v_items  json[] := '{}';
      v_cursor text;
    begin
      for v_pages in 1 .. 60 loop
        execute 'select ' || p_call into v_page using v_cursor;
        v_items := v_items || array(select i from json_array_elements(v_page -> 'items') i);
        v_cursor := v_page ->> 'nextCursor';
        if v_cursor is null then
          return json_build_object('items', to_json(v_items), 'series', v_page -> 'series');
        end if;
      end loop;
      raise exception 'a list without end';
    end $$;

    create function oracle.ask(p_call text) returns json language plpgsql as $$
    declare
      v_answer json;
      v_status text;
      v_state  text;
      v_code   text;
      v_detail text;
    begin
      if strpos(p_call, '$1') > 0 then
        v_answer := oracle.walk(p_call);
      else
        execute 'select ' || p_call into v_answer;
      end if;
      v_status := current_setting('response.status', true);
      raise exception using errcode = 'UNDO1';
    exception
      when sqlstate 'UNDO1' then
        -- an operation that refuses and commits its writes: private.error_response
        if v_status >= '400' then
          return json_build_object('refused', v_answer ->> 'message');
        end if;
        return json_build_object('answer', v_answer);
      when others then
        get stacked diagnostics v_state = returned_sqlstate, v_code = message_text, v_detail = pg_exception_detail;
        -- the code is the whole answer: further details could reveal what the caller can't see
        if exists (select from private.errors e where e.code = v_code and 'PT' || e.status = v_state and e.text = v_detail) then
          return json_build_object('refused', v_code);
        end if;
        return json_build_object('refused', concat_ws(' ', v_state, v_code, v_detail));
    end $$;
    grant usage on schema oracle to authenticated;
    grant execute on all functions in schema oracle to authenticated;
    grant select on private.errors to authenticated;
    create policy select_oracle on private.errors for select to authenticated using (true);`)
}

export async function actAs(sql: ReservedSql, person: string): Promise<void> {
  const now = Math.floor(Date.now() / 1000)
  const claims = JSON.stringify({ sub: person, role: 'user', iat: now, exp: now + 900 })
  await sql`select set_config('role', 'authenticated', true), private.enter(${claims}::text)`
}

/** The answers to a person. The person's role holds until the transaction ends or `actAsOwner`. */
export async function ask(sql: ReservedSql, calls: readonly string[]): Promise<Reply[]> {
  const [row] = await sql<[{ replies: Reply[] }]>`
    select json_agg(oracle.ask(c.call) order by c.place) as replies
    from unnest(${sql.array([...calls])}::text[]) with ordinality as c (call, place)`
  return row.replies
}

export async function actAsOwner(sql: ReservedSql): Promise<void> {
  await sql`select set_config('role', 'none', true), set_config('request.jwt.claims', '', true)`
}
