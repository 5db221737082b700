-- How a ban and an erasure change comments on videos, and where comments hold personal data, as in sql/content. Likes
-- and reposts of erased people are kept as anonymous counts. docs/decisions.md, Staff; Erasure and export.

insert into private.personal_data (relation, person_column, section, omits) values
  ('app.video_comments', 'author_id', 'videoComments', '{author_hidden,required_level}');

create function private.next_comments(p_author uuid, p_after uuid) returns uuid[]
language plpgsql stable security definer   -- called by definer functions that change a person's rows
set search_path = ''
as $$
declare
  v_from   timestamptz := coalesce((select created_at from app.video_comments where id = p_after), 'infinity');
  v_before uuid := coalesce(p_after, p_author);   -- no row has this time, so any id works
begin
  return array(select id from app.video_comments
               where author_id = p_author and (created_at, id) < (v_from, v_before)
               order by created_at desc, id desc limit 500);
end $$;
comment on function private.next_comments is 'The next 500 comments of a person after p_after, newest first.';
call private.force_index_scans('private.next_comments');

create function private.lock_recorded(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.lock_video_counters(private.next_contents(p_user.id, null) || array(
    select video_id from app.video_comments where id = any (private.next_comments(p_user.id, null))));
end $$;
comment on function private.lock_recorded is
  'Step: locks the counters of all videos that a ban or an erasure changes at once (the person''s own, and those on '
  'which they commented) before private.hide_contents and private.hide_comments change them.';
insert into private.account_steps (step, events, position) values
  ('private.lock_recorded', '{ban,unban,erasure}', 160);

create function private.hide_or_show_comments(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- a ban and an erasure change rows of the banned or erased person
set search_path = ''
as $$
declare
  v_user    uuid := (p_job ->> 'userId')::uuid;
  v_hidden  boolean;
  v_erased  boolean;
  v_ids     uuid[];
  v_changed integer;
begin
  -- see private.hide_or_show_contents
  select banned_at is not null or erased_at is not null, erased_at is not null into v_hidden, v_erased
  from app.users where id = v_user for share;
  v_ids := private.next_comments(v_user, p_after);
  perform private.lock_video_counters(array(select video_id from app.video_comments where id = any (v_ids)));
  update app.video_comments
  set author_hidden = v_hidden,
      body = case when v_erased then '' else body end,
      removed_at = case when v_erased then coalesce(removed_at, now()) else removed_at end
  where id = any (v_ids) and (author_hidden <> v_hidden or (v_erased and body <> ''));
  get diagnostics v_changed = row_count;
  return json_build_object('changed', v_changed, 'next', v_ids[500]);
end $$;
comment on function private.hide_or_show_comments is
  'For the worker and private.hide_comments: does the same as private.hide_or_show_contents, for the comments of a '
  'person {userId} on videos.';
call private.make_batch_queue('hidden-comments', 'private.hide_or_show_comments');

create function private.hide_comments(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_job json := json_build_object('userId', p_user.id);
begin
  if private.hide_or_show_comments(v_job::jsonb) ->> 'next' is null then
    return;
  elsif p_user.erased_at is not null then
    perform private.erase_later('hidden-comments', v_job);
  else
    perform private.enqueue('hidden-comments', v_job);
  end if;
end $$;
comment on function private.hide_comments is 'Step: does the same as private.hide_contents, for comments on videos.';
insert into private.account_steps (step, events, position) values
  ('private.hide_comments', '{ban,unban,erasure}', 164);
