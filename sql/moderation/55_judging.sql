-- How posts and replies are judged by the rules: when they are published, soon after, and when they are reported.
-- docs/decisions.md, Staff.

insert into private.event_types (name, payload, happens) values
  ('moderation.rule.hit', '{targetType,targetId,authorId,hidden}',
   'a post or a reply fits a live rule; `hidden` says whether it was hidden');

create function private.find_judged(p_type text, p_id uuid) returns private.judged
language plpgsql stable security definer   -- rules judge what nobody else may see
set search_path = ''
as $$
declare
  v_thing private.judged;
begin
  if p_type = 'post' then
    select 'post', p.id, p.author_id, p.published_at,
           case when v.post_id is null then array[p.title, p.body] else array[v.title, v.body] end,
           case when v.post_id is null then p.keyword_words
                else private.keyword_words(private.keyword_text(array[v.title, v.body])) end
    into v_thing
    from app.posts p left join app.post_versions v on v.post_id = p.id and v.version = 1
    where p.id = p_id and p.published_at is not null and p.imported_at is null;
  else
    select 'reply', r.id, r.author_id, r.created_at, array[r.body],
           private.keyword_words(private.keyword_text(array[r.body]))
    into v_thing
    from app.replies r where r.id = p_id;
  end if;
  return v_thing;
end $$;
comment on function private.find_judged is
  'A published post or a reply as rules judge it; null if there is none, or it was imported.';

create function private.hide_by_rule(p_type text, p_id uuid) returns boolean
language plpgsql volatile security definer   -- the author may not hide it, nor may who reports it
set search_path = ''
as $$
begin
  if p_type = 'post' then
    update app.posts set hidden_at = now() where id = p_id and hidden_at is null and deleted_at is null;
  else
    update app.replies set hidden_at = now() where id = p_id and hidden_at is null and deleted_at is null;
  end if;
  return found;
end $$;
comment on function private.hide_by_rule is
  'Hides a post or a reply as private.set_post_hidden does, but without an audit entry, because nobody of the staff '
  'decided it. Returns false if it was hidden or deleted before.';

create function private.judge(p_type text, p_id uuid, p_judged text) returns void
language plpgsql volatile security definer   -- nobody may read rules or write hits
set search_path = ''
as $$
declare
  v_thing  private.judged;
  v_rule   record;
  v_live   uuid[] := '{}';
  v_hides  boolean := false;
  v_hidden boolean;
begin
  for v_rule in
    select r.id, r.compiled, r.mode, r.action from app.moderation_rules r
    where r.judged = p_judged and p_type = any (r.applies_to)
    order by r.id
  loop
    if v_thing.id is null then
      v_thing := private.find_judged(p_type, p_id);
      exit when v_thing.id is null;
    end if;
    continue when not private.fits_all(v_rule.compiled, v_thing);
    insert into app.rule_hits (rule_id, target_type, target_id, author_id, mode, action)
    values (v_rule.id, p_type, p_id, v_thing.author_id, v_rule.mode, v_rule.action)
    on conflict (rule_id, target_id) do nothing;
    if found and v_rule.mode = 'live' then
      v_live := v_live || v_rule.id;
      v_hides := v_hides or v_rule.action = 'hide';
    end if;
  end loop;
  if v_live <> '{}' then
    if v_hides and p_judged = 'at a report' then
      -- reports come later than the creation, so others may have it locked. ARCHITECTURE.md, Locks
      if p_type = 'reply' then
        perform private.lock_counters(array(select r.post_id from app.replies r where r.id = p_id));
      end if;
      perform private.check_lock_order('post', p_id::text);
    end if;
    v_hidden := v_hides and private.hide_by_rule(p_type, p_id);
    if v_hidden and p_judged = 'at once' then
      update app.rule_hits set held = true where target_id = p_id and rule_id = any (v_live);
    end if;
    perform private.emit('moderation.rule.hit', json_build_object(
      'targetType', p_type, 'targetId', p_id, 'authorId', v_thing.author_id, 'hidden', v_hidden),
      array[v_thing.author_id]);
    perform private.enqueue('rule-cases', json_build_object(
      'targetType', p_type, 'targetId', p_id, 'authorId', v_thing.author_id, 'ruleIds', to_json(v_live),
      'hidden', v_hidden));
  end if;
end $$;
comment on function private.judge is
  'Judges a post or a reply by the rules that are tried at this time (app.moderation_rules.judged). Notes each hit '
  'once, and hides the thing if a live rule says so. The worker then opens a case for what fits live rules.';

create function private.is_hidden(p_type text, p_id uuid) returns boolean
language plpgsql volatile security definer   -- the worker may use none of our tables
set search_path = ''
as $$
declare
  v_hidden boolean;
begin
  perform private.check_lock_order('post', p_id::text);
  if p_type = 'post' then
    select hidden_at is not null into v_hidden from app.posts where id = p_id for share;
  else
    select hidden_at is not null into v_hidden from app.replies where id = p_id for share;
  end if;
  return v_hidden;
end $$;
comment on function private.is_hidden is
  'Whether a post or a reply is hidden. Locks it until the transaction ends, so that nobody shows it meanwhile.';

create function private.record_hold(p_type text, p_id uuid, p_author uuid, p_case uuid, p_category text) returns void
language plpgsql volatile security definer   -- nobody may write the log or decisions directly
set search_path = ''
as $$
begin
  perform set_config('kith.case', json_build_object('caseId', p_case, 'category', p_category)::text, true);
  perform private.audit(p_type || '.hidden', p_type, p_id::text, json_build_object(
    'reason', 'Hidden automatically, by a rule of the instance, until staff has seen it.'), p_author);
  perform set_config('kith.case', '', true);
end $$;
comment on function private.record_hold is
  'Leaves the audit entry, and thereby the decision, that a rule has hidden a thing. Its author reads that it was '
  'automatic and of which category, but never the rule.';

create function private.open_rule_cases(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- the worker may use none of our tables
set search_path = ''
as $$
declare
  v_type     text := p_job ->> 'targetType';
  v_target   uuid := (p_job ->> 'targetId')::uuid;
  v_hidden   boolean := (p_job ->> 'hidden')::boolean and private.is_hidden(v_type, v_target);
  v_hit      record;
  v_case     uuid;
  v_category text;
  v_cases    integer := 0;
begin
  for v_hit in
    select h.id, r.name, coalesce(r.category, 'other') as category
    from app.rule_hits h left join app.moderation_rules r on r.id = h.rule_id
    where h.target_id = v_target and h.case_id is null
      and h.rule_id in (select i::uuid from jsonb_array_elements_text(p_job -> 'ruleIds') i)
    order by h.action desc, h.rule_id
    for update of h   -- a second run of the job waits here, and then finds none
  loop
    v_case := private.open_case(v_type, v_target, v_hit.category, 'rule', v_hit.name);
    update app.rule_hits set case_id = v_case where id = v_hit.id;
    v_category := coalesce(v_category, v_hit.category);   -- of a rule that hides, if there is one
    v_cases := v_cases + 1;
  end loop;
  if v_hidden and v_cases > 0 then
    perform private.record_hold(v_type, v_target, (p_job ->> 'authorId')::uuid, v_case, v_category);
  end if;
  return json_build_object('changed', v_cases, 'next', null);
end $$;
comment on function private.open_rule_cases is
  'For the worker alone: opens the case of what fitted live rules, or adds to it, {targetType, targetId, authorId, '
  'ruleIds, hidden}, each hit once, and leaves the decision if they have hidden it and nobody has shown it again. It '
  'is a job of its own, because the case and the audit log are locked after what others lock for the same post, and '
  'because in the author''s transaction the audit entry would be by the author.';
call private.make_batch_queue('rule-cases', 'private.open_rule_cases');

create function private.judge_post(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$ begin perform private.judge('post', (p_event ->> 'postId')::uuid, 'at once'); end $$;
comment on function private.judge_post is
  'Listener: judges a post by the live rules that hide, before anybody else sees it. It is the last listener, because '
  'hiding locks documents of the search (ARCHITECTURE.md, Locks); the others only leave effects, which find it '
  'hidden.';

create function private.judge_reply(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$ begin perform private.judge('reply', (p_event ->> 'replyId')::uuid, 'at once'); end $$;
comment on function private.judge_reply is 'Listener: as private.judge_post, for a reply.';

create function private.judge_published(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- a reply has effects for several people, and its author is always among them
  perform private.judge(w.type, w.id, 'soon')
  from (select case when e.payload ? 'replyId' then 'reply' else 'post' end as type,
               coalesce(e.payload ->> 'replyId', e.payload ->> 'postId')::uuid as id
        from unnest(p_effects) e
        where e.user_id = (e.payload ->> 'authorId')::uuid
        order by e.id) w;
end $$;
comment on function private.judge_published is
  'Listener: judges posts and replies by the rules in shadow and those that only open a case.';

create function private.judge_reported() returns trigger
language plpgsql security definer   -- the reporter may not read rules
set search_path = ''
as $$
begin
  perform private.judge(new.target_type, new.target_id, 'at a report');
  return null;
end $$;
comment on function private.judge_reported is 'Trigger: judges a reported post or reply by the rules about reports.';
create trigger _110_judge_reported after insert on app.reports
  for each row when (new.target_type in ('post', 'reply')) execute function private.judge_reported();

insert into private.event_listeners (event, listener, position, timing) values
  ('posts.post.published', 'private.judge_post', 950, 'at once'),
  ('posts.reply.created', 'private.judge_reply', 950, 'at once'),
  ('posts.post.published', 'private.judge_published', 650, 'soon'),
  ('posts.reply.created', 'private.judge_published', 650, 'soon');

create function private.note_released(p_event jsonb) returns void
language plpgsql volatile security definer   -- staff may not read hits
set search_path = ''
as $$
begin
  if p_event ->> 'action' = 'unhidden'
     and exists (select from app.rule_hits h where h.target_id = (p_event ->> 'targetId')::uuid and h.held) then
    perform private.enqueue('released-holds', json_build_object(
      'targetType', p_event ->> 'targetType', 'targetId', p_event ->> 'targetId'));
  end if;
end $$;
comment on function private.note_released is
  'Listener: has the worker notify whom a post or a reply mentions that was held back since its creation, because '
  'staff has locked documents of the search already (ARCHITECTURE.md, Locks).';
insert into private.event_listeners (event, listener, position) values
  ('admin.content.moderated', 'private.note_released', 510);

create function private.mention_released(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- the worker may use none of our tables
set search_path = ''
as $$
declare
  v_type    text := p_job ->> 'targetType';
  v_target  uuid := (p_job ->> 'targetId')::uuid;
  v_changed integer := 0;
begin
  if not private.is_hidden(v_type, v_target) then
    update app.rule_hits set held = false where target_id = v_target and held;
    get diagnostics v_changed = row_count;
  end if;
  if v_changed > 0 and v_type = 'post' then
    perform private.mention_in_post(jsonb_build_object('postId', v_target));
  elsif v_changed > 0 then
    perform private.mention_in_reply(jsonb_build_object('replyId', v_target));
  end if;
  return json_build_object('changed', v_changed, 'next', null);
end $$;
comment on function private.mention_released is
  'For the worker alone: emits the mentions of a post or a reply {targetType, targetId} that a rule had held back since '
  'its creation, once. If staff has hidden it again, the next release does it.';
call private.make_batch_queue('released-holds', 'private.mention_released');

create function private.notify_held(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.notify(array(
    select (e.user_id, 'moderation.actioned', null, e.payload ->> 'targetType', e.payload ->> 'targetId',
            jsonb_build_object('targetType', e.payload -> 'targetType', 'targetId', e.payload -> 'targetId',
                               'action', 'held'), null, null, e.caused_at)::private.notice
    from unnest(p_effects) e
    where (e.payload ->> 'hidden')::boolean));
end $$;
comment on function private.notify_held is
  'Listener: tells a person that their post or reply is hidden until staff has seen it, but never which rule it fits.';
insert into private.event_listeners (event, listener, position, timing) values
  ('moderation.rule.hit', 'private.notify_held', 600, 'soon');
