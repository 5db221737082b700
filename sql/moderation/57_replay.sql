-- A replay of a rule finds what it would have hit in the last 30 days. docs/decisions.md, Staff.

create index video_comments_created_at_idx on app.video_comments (created_at desc, id desc);

create function private.was_removed(p_type text, p_id uuid) returns boolean
language plpgsql stable security definer   -- callers may not read what staff removed
set search_path = ''
as $$
begin
  return exists (select from app.decisions d
                 where d.target_type = p_type and d.target_id = p_id and d.lifted_at is null
                   and d.action in ('hide', 'remove')
                   -- if only a rule hid the thing, staff decided about it only by closing the case as acted
                   and (d.decided_by is not null
                        or exists (select from app.cases c where c.id = d.case_id and c.outcome = 'acted')))
    -- also find things that were hidden before the table of decisions existed
    or coalesce((private.find_reported_place(p_type, p_id)).hidden, false)
    -- for things that only a rule hid, the first condition decides
    and not exists (select from app.rule_hits h
                    where h.target_id = p_id and h.mode = 'live' and h.action = 'hide');
end $$;
comment on function private.was_removed is 'Returns whether staff has hidden or removed a thing.';

create function private.replay(p_conditions private.condition[], p_applies_to text[], p_cursor text) returns json
language plpgsql stable security definer   -- rules judge what callers may not see
set search_path = ''
as $$
declare
  c_most constant integer := 20000;
  v_from     app.place := private.page_start('replay', p_cursor);
  v_at       timestamptz := v_from.at;   -- plain variables, so that the planner can use the index
  v_id       uuid := v_from.id;
  v_oldest   timestamptz := now() - interval '30 days';
  v_types    text[];
  v_ids      uuid[];
  v_times    timestamptz[];
  v_looked   integer;
  v_hits     integer := 0;
  v_removed  boolean;
  v_removals integer := 0;
  v_fits     private.judged;
  v_sample   json[] := '{}';
begin
  perform private.require_role('admin');
  select array_agg(w.type order by w.at desc, w.id desc), array_agg(w.id order by w.at desc, w.id desc),
         array_agg(w.at order by w.at desc, w.id desc)
  into v_types, v_ids, v_times
  from (
    (select 'post' as type, p.id, p.created_at as at from app.posts p
     where 'post' = any (p_applies_to) and (p.created_at, p.id) < (v_at, v_id) and p.created_at >= v_oldest
     order by p.created_at desc, p.id desc limit c_most)
    union all
    (select 'reply', r.id, r.created_at from app.replies r
     where 'reply' = any (p_applies_to) and (r.created_at, r.id) < (v_at, v_id) and r.created_at >= v_oldest
     order by r.created_at desc, r.id desc limit c_most)
    union all
    (select c.kind, c.id, c.created_at from app.contents c
     where p_applies_to && array(select kind from private.content_kinds)
       and (c.created_at, c.id) < (v_at, v_id) and c.created_at >= v_oldest and c.deleted_at is null
     order by c.created_at desc, c.id desc limit c_most)
    union all
    (select 'argument', c.id, c.created_at from app.debate_arguments c
     where 'argument' = any (p_applies_to) and (c.created_at, c.id) < (v_at, v_id) and c.created_at >= v_oldest
       and c.deleted_at is null
     order by c.created_at desc, c.id desc limit c_most)
    union all
    (select 'solution', c.id, c.created_at from app.problem_solutions c
     where 'solution' = any (p_applies_to) and (c.created_at, c.id) < (v_at, v_id) and c.created_at >= v_oldest
       and c.deleted_at is null
     order by c.created_at desc, c.id desc limit c_most)
    union all
    (select 'review', c.id, c.created_at from app.offering_reviews c
     where 'review' = any (p_applies_to) and (c.created_at, c.id) < (v_at, v_id) and c.created_at >= v_oldest
     order by c.created_at desc, c.id desc limit c_most)
    union all
    (select 'video-comment', c.id, c.created_at from app.video_comments c
     where 'video-comment' = any (p_applies_to) and (c.created_at, c.id) < (v_at, v_id) and c.created_at >= v_oldest
     order by c.created_at desc, c.id desc limit c_most)
    order by at desc, id desc limit c_most) w;
  v_looked := coalesce(cardinality(v_ids), 0);
  for v_place in 1 .. v_looked loop
    continue when v_types[v_place] <> all (p_applies_to);   -- a content of another kind
    v_fits := private.find_fitting(p_conditions, private.find_versions(v_types[v_place], v_ids[v_place]));
    continue when v_fits.id is null;
    v_removed := private.was_removed(v_fits.type, v_fits.id);
    v_hits := v_hits + 1;
    v_removals := v_removals + v_removed::integer;
    if v_hits <= 20 then
      v_sample := v_sample || json_build_object(
        'targetType', v_fits.type,
        'targetId', v_fits.id,
        'authorId', v_fits.author_id,
        'author', (select author.card from app.person_card author where author.id = v_fits.author_id),
        'excerpt', left(array_to_string(v_fits.texts, e'\n'), 200),
        'removed', v_removed,
        'createdAt', private.utc(v_times[v_place]));
    end if;
  end loop;
  return json_build_object(
    'looked', v_looked,
    'wouldHit', v_hits,
    'ofWhichStaffRemoved', v_removals,
    'sample', to_json(v_sample),
    'lookedUntil', private.utc(v_times[v_looked]),
    'nextCursor', case when v_looked = c_most
                       then private.place_cursor('replay', v_times[v_looked], v_ids[v_looked]) end);
end $$;
comment on function private.replay is
  'Judges the next 20,000 things of these types of the last 30 days, newest first: {looked, wouldHit, '
  'ofWhichStaffRemoved, sample (the first 20 hits), lookedUntil, nextCursor}. `looked` includes contents of other '
  'kinds. Contents are judged by their current version.';
call private.force_index_scans('private.replay');

create function api.replay_draft(p_conditions jsonb, p_applies_to text[], p_cursor text default null) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.require_role('admin');
  return private.replay(private.read_conditions(p_conditions), private.read_applies_to(p_applies_to), p_cursor);
end $$;
comment on function api.replay_draft is 'Replays a rule that does not exist yet (private.replay).';

create function private.note_replay(p_id uuid) returns void
language plpgsql volatile security definer   -- callers may not write rules, not even the service role
set search_path = ''
as $$ begin update app.moderation_rules set replayed_at = now() where id = p_id; end $$;
comment on function private.note_replay is 'Records that a rule was replayed, so that it can go live.';

create function api.replay_rule(p_id uuid, p_cursor text default null) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_rule   app.moderation_rules;
  v_answer json;
begin
  perform private.require_role('admin');
  v_rule := private.require_rule(p_id);
  v_answer := private.replay(v_rule.compiled, v_rule.applies_to, p_cursor);
  perform private.lock('rules');   -- lock after the replay, because it may take seconds
  perform private.note_replay(p_id);
  return v_answer;
end $$;
comment on function api.replay_rule is 'Replays a rule (private.replay). After that the rule can go live.';
