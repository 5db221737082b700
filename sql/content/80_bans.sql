-- How a ban and an erasure change contents, and which columns of contents hold personal data. The newest 500 contents
-- are hidden at once. The worker hides the others; until then app.hidden_people hides them. See
-- sql/base/90_erasure.sql for how an erasure runs. docs/decisions.md, Staff; Erasure and export.

insert into private.personal_data (relation, person_column, section, omits) values
  ('app.contents', 'author_id', 'contents', '{words,author_hidden,required_level}');

create function private.next_contents(p_author uuid, p_after uuid) returns uuid[]
language plpgsql stable security definer   -- called by definer functions that change a person's rows
set search_path = ''
as $$
declare
  v_kind   text := (select max(kind) || 'z' from private.content_kinds);   -- sorts after every kind
  v_from   timestamptz := 'infinity';
  v_before uuid := p_author;   -- no content has this time, so any id works
begin
  if p_after is not null then
    select kind, created_at, id into v_kind, v_from, v_before from app.contents where id = p_after;
    if not found then
      -- the content was purged meanwhile, so start again, which skips no content
      return private.next_contents(p_author, null);
    end if;
  end if;
  return array(select id from app.contents
               where author_id = p_author and (kind, created_at, id) < (v_kind, v_from, v_before)
               order by kind desc, created_at desc, id desc limit 500);
end $$;
comment on function private.next_contents is
  'The next 500 contents of a person after the content p_after, by kind, newest first.';
call private.force_index_scans('private.next_contents');

create function private.hide_or_show_contents(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- a ban and an erasure change rows of the banned or erased person
set search_path = ''
as $$
declare
  v_user    uuid := (p_job ->> 'userId')::uuid;
  v_hidden  boolean;
  v_erased  boolean;
  v_ids     uuid[];
  v_eraser  text;
  v_changed integer;
begin
  -- lock the person, so that a concurrent ban or unban happens before or after this batch, and the batch commits the
  -- correct state
  select banned_at is not null or erased_at is not null, erased_at is not null into v_hidden, v_erased
  from app.users where id = v_user for share;
  v_ids := private.next_contents(v_user, p_after);
  -- lock details before heads: ARCHITECTURE.md, Locks
  if v_erased then
    for v_eraser in select k.eraser from private.content_kinds k order by k.kind loop
      execute format('select %s($1)', v_eraser) using v_ids;
    end loop;
    update app.contents set author_hidden = true, title = null, words = ''
    where id = any (v_ids) and (not author_hidden or title is not null or words <> '');
  else
    -- change only this column, so that triggers on the texts don't run
    update app.contents set author_hidden = v_hidden where id = any (v_ids) and author_hidden <> v_hidden;
  end if;
  get diagnostics v_changed = row_count;
  return json_build_object('changed', v_changed, 'next', v_ids[500]);
end $$;
comment on function private.hide_or_show_contents is
  'For the worker alone: if the person {userId} is banned or erased now, hides their next 500 contents after '
  'p_after; otherwise shows these contents again. Deletes the words of an erased person, too. Returns {changed, '
  'next}; next is null at the end. private.hide_contents calls it for the first 500.';
call private.make_batch_queue('hidden-contents', 'private.hide_or_show_contents');

create function private.hide_contents(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_job json := json_build_object('userId', p_user.id);
begin
  if private.hide_or_show_contents(v_job::jsonb) ->> 'next' is null then
    return;
  elsif p_user.erased_at is not null then
    perform private.erase_later('hidden-contents', v_job);
  else
    -- every ban or unban starts its own batches from the beginning, so that the last one reaches all contents
    perform private.enqueue('hidden-contents', v_job);
  end if;
end $$;
comment on function private.hide_contents is
  'Step: at a ban, hides a person''s newest 500 contents; at its end, shows them again; at an erasure, hides and '
  'empties them. The worker does this for the other contents.';
insert into private.account_steps (step, events, position) values
  ('private.hide_contents', '{ban,unban,erasure}', 162);
