-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

DROP VIEW "private"."staff_users";

ALTER TABLE "app"."users" DROP CONSTRAINT "users_rules";

DROP FUNCTION "api"."ban_person"(text, text);

DROP FUNCTION "private"."change_account"(uuid, text, timestamp with time zone);

DROP FUNCTION "private"."feed_scores"(uuid[]);

DROP FUNCTION "private"."set_banned"(app.users, boolean, text);

DROP FUNCTION "private"."users_rules"(text, text, text, text, text, text, text, text);

CREATE TABLE "app"."limited_people" ("user_id" uuid NOT NULL, CONSTRAINT "limited_people_pkey" PRIMARY KEY (user_id));

ALTER TABLE "app"."limited_people" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "app"."limited_people" OWNER TO "postgres";

ALTER TABLE "app"."users" ADD COLUMN "limited_at" timestamp with time zone;

ALTER TABLE "app"."users" ADD COLUMN "banned_until" timestamp with time zone;

CREATE OR REPLACE FUNCTION api.ban_person(p_id text, p_reason text, p_until timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id     uuid;
  v_reason text;
  v_person app.users;
begin
  perform private.require_role('admin');
  v_reason := private.require_reason(p_reason);
  if p_until <= now() then
    perform private.raise_error('until_past');
  elsif p_until > now() + interval '366 days' then
    perform private.raise_error('until_far');
  end if;
  v_id := private.require_any_person(p_id);
  if v_id = app.uid() then
    perform private.raise_error('ban_oneself');
  end if;
  v_person := private.lock_account(v_id);
  if v_person.banned_at is null or v_person.banned_until is distinct from p_until then
    if v_person.role = 'admin' then
      perform private.raise_error('ban_admin');
    end if;
    perform private.set_banned(v_person, true, v_reason, p_until);
  end if;
  return private.staff_account(v_id);
end $function$;

ALTER FUNCTION "api"."ban_person"(text, text, timestamp with time zone) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.limit_person(p_id text, p_reason text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id     uuid;
  v_reason text;
  v_person app.users;
begin
  perform private.require_role('admin');
  v_reason := private.require_reason(p_reason);
  v_id := private.require_any_person(p_id);
  if v_id = app.uid() then
    perform private.raise_error('limit_oneself');
  end if;
  v_person := private.lock_account(v_id);
  if v_person.limited_at is null then
    if v_person.role = 'admin' then
      perform private.raise_error('limit_admin');
    end if;
    perform private.set_limited(v_person, true, v_reason);
  end if;
  return private.staff_account(v_id);
end $function$;

ALTER FUNCTION "api"."limit_person"(text, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.list_users(p_role text DEFAULT NULL::text, p_status text DEFAULT NULL::text, p_q text DEFAULT NULL::text, p_from timestamp with time zone DEFAULT NULL::timestamp with time zone, p_to timestamp with time zone DEFAULT NULL::timestamp with time zone, p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  perform private.require_role('moderator', 'admin');
  return private.staff_page(
    'users', json_build_object('banned', case p_status when 'banned' then true when 'active' then false end,
                               'suspended', case when p_status = 'suspended' then true end,
                               'limited', case when p_status = 'limited' then true end,
                               'erased', case when p_status = 'erased' then true
                                              when p_status is not null then false end,
                               'role', p_role),
    array[case when p_status in ('banned', 'suspended', 'limited') then p_status end,
          case when p_role <> 'user' then 'role' end],
    case when strpos(p_q, '@') > 0 then coalesce(private.find_by_address(p_q)::text, p_q) else p_q end,
    p_from, p_to, p_limit, p_cursor);
end $function$;

CREATE OR REPLACE FUNCTION api.log_in(p_user_id uuid, p_password_hash text, p_seconds integer, p_new_hash text DEFAULT NULL::text, p_family uuid DEFAULT NULL::uuid, p_refresh_hash bytea DEFAULT NULL::bytea, p_user_agent text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_claims json;
begin
  perform from private.credentials c
  where c.user_id = p_user_id and c.password_hash = p_password_hash
  for update;
  if not found then
    perform private.raise_error('credentials_wrong');   -- the password changed while it was being checked
  end if;
  perform private.check_not_banned(p_user_id);
  if p_new_hash is not null then
    update private.credentials set password_hash = p_new_hash where user_id = p_user_id;
  end if;
  v_claims := private.issue_claims(p_user_id, p_seconds);
  perform private.start_session(p_family, v_claims, p_refresh_hash, p_user_agent);
  return private.login_answer(p_user_id, v_claims);
end $function$;

CREATE OR REPLACE FUNCTION api.set_role(p_id text, p_role text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id     uuid;
  v_person app.users;
begin
  perform private.require_role('admin');
  if p_role is null or p_role not in ('user', 'moderator', 'admin') then
    perform private.raise_error('role_unknown');
  end if;
  v_id := private.require_any_person(p_id);
  -- one change of roles at a time: if two admins demote each other concurrently, the second is no longer an admin
  perform private.lock_roles();
  perform private.check_caller();
  v_person := private.lock_account(v_id);
  if v_person.role <> p_role then
    if v_id = app.uid() then
      perform private.keep_an_admin(v_id);
      perform private.raise_error('role_own');
    end if;
    perform private.change_account(v_id, p_role, v_person.banned_at, v_person.banned_until);
    perform private.audit('user.role_changed', 'user', v_id::text,
                          json_build_object('from', v_person.role, 'to', p_role));
  end if;
  return private.staff_account(v_id);
end $function$;

CREATE OR REPLACE FUNCTION api.unlimit_person(p_id text, p_reason text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_reason text;
  v_person app.users;
begin
  perform private.require_role('admin');
  v_reason := private.find_reason(p_reason);
  v_person := private.lock_account(private.require_any_person(p_id));
  if v_person.limited_at is not null then
    perform private.set_limited(v_person, false, v_reason);
  end if;
  return private.staff_account(v_person.id);
end $function$;

ALTER FUNCTION "api"."unlimit_person"(text, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.broadcast_posts(p_effects private.effects[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.broadcast('feed:public', 'post', jsonb_build_object('id', p.id))
  from unnest(p_effects) e
  join app.posts p on p.id = (e.payload ->> 'postId')::uuid
  left join app.posts o on o.id = p.quoted_post_id and p.format = 'repost'
  where p.required_level = 0 and p.within_id is null and p.closer_id is null
    and not exists (select from app.limited_people l where l.user_id in (p.author_id, o.author_id));
end $function$;

CREATE OR REPLACE FUNCTION private.change_account(p_user uuid, p_role text, p_banned_at timestamp with time zone, p_banned_until timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_from bigint := private.close_sessions(p_user);   -- otherwise the sessions would work again once a ban ends
begin
  -- one update, because Realtime is notified of each change of the valid tokens
  update app.users
  set role = p_role, banned_at = p_banned_at, banned_until = p_banned_until, tokens_valid_from = v_from
  where id = p_user;
end $function$;

ALTER FUNCTION "private"."change_account"(uuid, text, timestamp with time zone, timestamp with time zone) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.check_not_banned(p_user uuid)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_person app.users;
begin
  select * into v_person from app.users where id = p_user;
  if v_person.banned_at is not null and v_person.banned_until is null then
    perform private.raise_error('person_banned');
  elsif v_person.banned_at is not null then
    perform private.raise_error('person_suspended');
  end if;
exception when sqlstate 'PT403' then
  if sqlerrm = 'person_suspended' then   -- the person should know when to come back
    raise exception using errcode = 'PT403', message = sqlerrm,
      detail = format('This account is suspended until %s.', private.utc(v_person.banned_until));
  end if;
  raise;
end $function$;

ALTER FUNCTION "private"."check_not_banned"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.closer_posts(p_place app.place, p_until timestamp with time zone, p_muted uuid[])
 RETURNS app.feed_run
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_sort TO 'off'
 SET enable_incremental_sort TO 'off'
 SET enable_presorted_aggregate TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_from    timestamptz := p_place.at;   -- plain variables: an expression defeats the index
  v_before  uuid := p_place.id;
  v_until   timestamptz := p_until;
  v_authors uuid[] := array(select author_id from app.audience where viewer_id = app.uid() and level > 0 limit 101);
  v_each    integer;
  v_most    integer;
  v_cut     app.place;
  v_ids     uuid[];
  v_times   timestamptz[];
  v_places  integer[];
begin
  if cardinality(v_authors) = 101 then
    -- with many authors it reads by time
    select array_agg(c.id order by c.published_at desc, c.id desc),
           array_agg(c.published_at order by c.published_at desc, c.id desc)
    into v_ids, v_times
    from (select w.id, w.published_at
          from (select id, published_at from app.posts
                where required_level <= 2 and closer_id is not null and within_id is null
                  and (published_at, id) < (v_from, v_before)
                  and published_at >= v_until
                order by published_at desc, id desc limit 400) w
          join private.listed_posts v on v.id = w.id
          where v.author_id <> all (p_muted)
          order by w.published_at desc, w.id desc limit 101) c;
    if coalesce(cardinality(v_ids), 0) < 101 then
      select published_at, id into v_cut from app.posts
      where required_level <= 2 and closer_id is not null and within_id is null
        and (published_at, id) < (v_from, v_before)
        and published_at >= v_until
      order by published_at desc, id desc offset 399 limit 1;
    end if;
    if v_cut.at is null then   -- everything down to v_until was read
      return private.run_of(v_ids, v_times, case when v_until > '-infinity' then
        (v_until, '00000000-0000-0000-0000-000000000000')::app.place end, 400);
    end if;
    v_authors := array(select author_id from app.audience where viewer_id = app.uid() and level > 0 limit 1001);
    if cardinality(v_authors) = 1001 then
      return private.run_of(v_ids, v_times, v_cut, 400);
    end if;
  end if;

  -- reads by author: first a few posts of each author, enough for a page, to find the time at which the page ends;
  -- then all posts of each author since that time
  v_each := 101 / greatest(cardinality(v_authors), 1) + 2;
  v_most := least(101, 4000 / greatest(cardinality(v_authors), 1));
  if v_until = '-infinity' then
    select c.published_at into v_until
    from unnest(v_authors) a (author_id)
    cross join lateral (
      select published_at from app.posts
      where closer_id = a.author_id and required_level <= 2 and within_id is null
        and (published_at, id) < (v_from, v_before)
      order by published_at desc, id desc limit v_each) c
    order by c.published_at desc offset 100 limit 1;
    v_until := coalesce(v_until, '-infinity');
  end if;
  select array_agg(c.id), array_agg(c.published_at), array_agg(c.place) into v_ids, v_times, v_places
  from unnest(v_authors) a (author_id)
  cross join lateral (
    select id, published_at, row_number() over (order by published_at desc, id desc) as place from app.posts
    where closer_id = a.author_id and required_level <= 2 and within_id is null
      and (published_at, id) < (v_from, v_before) and published_at >= v_until
    order by published_at desc, id desc limit v_most) c;
  return private.merged_streams(v_ids, v_times, v_places, v_most, v_until, p_muted);
end $function$;

CREATE OR REPLACE FUNCTION private.feed_chosen(p_choice app.feed_choice, p_ids uuid[], p_check boolean)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_words tsquery := (p_choice.muted_words).words;
begin
  if not p_check
     and p_choice.interests is null and not p_choice.journalism and p_choice.format is null and p_choice.min_depth = 0
     and p_choice.muted_people = '{}' and p_choice.muted_posts = '{}' and v_words is null
     and p_choice.since is null then
    return p_ids;
  end if;
  return array(
    select p.id
    from unnest(p_ids) with ordinality as w (id, place)
    join private.listed_posts p on p.id = w.id
    left join app.posts q on q.id = p.quoted_post_id
    where (p_choice.interests is null
           or (select true from app.post_interests i
               where i.post_id = p.id and i.interest_id = any (p_choice.interests) limit 1))
      and (not p_choice.journalism or p.is_journalism)
      and (p_choice.format is null or p.format = p_choice.format)
      and p.depth >= p_choice.min_depth
      and (p_choice.since is null or p.published_at > p_choice.since)
      and p.author_id <> all (p_choice.muted_people) and p.id <> all (p_choice.muted_posts)
      -- a repost of a muted post, or of a post by a muted person, is also muted
      and (p.format <> 'repost'
           or (q.author_id <> all (p_choice.muted_people) and q.id <> all (p_choice.muted_posts)))
      and (v_words is null
           or (p.keyword_words @@ v_words
               or q.keyword_words @@ v_words and private.post_visible_to(q.id, app.uid())) is not true)
    order by w.place);
end $function$;

CREATE OR REPLACE FUNCTION private.feed_ranked(p_choice app.feed_choice, p_cursor app.feed_cursor, p_limit integer)
 RETURNS app.feed_page
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_until  timestamptz := 'infinity';   -- blocks from here on have been read
  v_lowest timestamptz;
  v_start  timestamptz := 'infinity';   -- the start of the cursor's block, and the score of its post
  v_score  integer;
  v_at     timestamptz;
  v_looked integer := 0;
  v_bounds timestamptz[];
  v_run    app.feed_run;
  v_more   app.feed_run;
  v_whole  integer;
  v_sieve  app.feed_sieve := ('{}', null, p_choice.characters)::app.feed_sieve;
  v_found  uuid[];
  v_last   uuid;
  v_spaces uuid[] := array(select space_id from app.space_members where user_id = app.uid() limit 1000);
  v_within app.feed_run;
  v_moves  boolean := p_cursor.opened is not null or private.has_centroid();
  v_opened text[];      -- the fingerprints of the posts at the front of the cursor's block
  v_passed integer;     -- the place of the cursor's post among them
  v_front  uuid[];      -- the posts at the front of their blocks, their nearness, and their times
  v_near   integer[];
  v_times  timestamptz[];
  v_fronts uuid[] := '{}';
  v_outs   timestamptz[] := '{}';
  v_part   integer[];   -- one row of weights per post
  v_parts  integer[] := '{}';
  v_page   app.feed_page := ('{}', '{}', null, null, null)::app.feed_page;
begin
  if p_cursor.id is not null then
    v_until := p_cursor.at;
    if v_until is null then
      v_at := private.find_post_time(p_cursor.id);
      if v_at is null then
        perform private.raise_error('cursor_unknown');
      end if;
      v_start := private.block_start(v_at);
      v_until := private.block_end(v_at);
      select s.score into v_score from private.feed_scores(array[p_cursor.id]) s;
      v_opened := array(select m[1] from regexp_matches(p_cursor.opened, '.{12}', 'g') m);
      v_passed := array_position(v_opened, private.post_fingerprint(p_cursor.id));
    end if;
  end if;
  for v_look in 1 .. 40 loop
    v_run := private.feed_source(p_choice, (v_until, '00000000-0000-0000-0000-000000000000')::app.place);
    v_looked := v_looked + v_run.looked;
    v_lowest := '-infinity';
    v_more := v_run;
    while (v_more.next).at is not null loop
      -- uses only whole blocks: if all these posts are in one block, reads on to its end
      v_lowest := private.block_end((v_more.next).at);
      exit when v_lowest < v_until;
      v_lowest := '-infinity';
      v_more := private.feed_source(p_choice, v_more.next);
      v_looked := v_looked + v_more.looked;
      v_run := (v_run.ids || v_more.ids, v_run.times || v_more.times, null, 0)::app.feed_run;
    end loop;
    if v_spaces <> '{}' then
      v_within := private.posts_within(v_spaces, v_until, v_lowest, p_choice.muted_people);
      v_looked := v_looked + v_within.looked;
      v_lowest := (v_within.next).at;
      select array_agg(m.id order by m.at desc, m.id desc), array_agg(m.at order by m.at desc, m.id desc)
      into v_run.ids, v_run.times
      from unnest(v_run.ids || v_within.ids, v_run.times || v_within.times) as m (id, at);
    end if;
    v_bounds := array(select starts_at from app.feed_blocks
                      where starts_at > v_lowest and starts_at < v_until order by starts_at);
    v_whole := (select count(*) from unnest(v_run.times) t where t >= v_lowest);
    -- feed_scores checks visibility, but texts and nearness may be read only for posts already known to be visible
    v_found := private.feed_chosen(
      p_choice, v_run.ids[:v_whole], v_moves or (p_choice.muted_words).pattern is not null);
    if (p_choice.muted_words).pattern is not null then
      v_sieve := private.without_phrases(
        p_choice.muted_words, v_found,
        array(select width_bucket(w.at, v_bounds) from unnest(v_found) with ordinality as f (id, place)
              join unnest(v_run.ids, v_run.times) as w (id, at) on w.id = f.id order by f.place),
        v_sieve.budget);
      v_found := v_sieve.ids;
      if v_sieve.stopped_at is not null then
        v_lowest := private.block_end(v_run.times[array_position(v_run.ids, v_sieve.stopped_at)]);
      end if;
    end if;
    -- the page usually ends in the block of this post: older posts get a score only if the page is not full by then
    v_last := v_found[p_limit + 1 + (select count(*) from unnest(v_run.times) t where t >= v_start)];
    if v_last is not null then
      v_at := v_run.times[array_position(v_run.ids, v_last)];
      v_at := coalesce(v_bounds[width_bucket(v_at, v_bounds)], v_lowest);
      v_lowest := v_at;
      v_found := array(select f.id from unnest(v_found) f (id)
                       join unnest(v_run.ids, v_run.times) as w (id, at) on w.id = f.id
                       where w.at >= v_at);
    end if;

    if not v_moves then
      select array_agg(f.id), array_agg(f.weights) into v_found, v_part
      from (select s.id, s.weights
            from private.feed_scores(v_found) s
            where s.is_listed
              and (v_score is null or s.at < v_start or (s.score, s.id) < (v_score, p_cursor.id))
            order by width_bucket(s.at, v_bounds) desc, s.score desc, s.id desc
            limit p_limit + 1) f;
    else
      select array_agg(n.id order by n.place), array_agg(n.nearness order by n.place), array_agg(n.at order by n.place)
      into v_front, v_near, v_times
      from (select r.id, r.nearness, w.at,
                   row_number() over (partition by width_bucket(w.at, v_bounds)
                                      order by r.nearness desc, r.id desc) as place
            from private.nearness(v_found) r
            join unnest(v_run.ids, v_run.times) as w (id, at) on w.id = r.id) n
      where case when n.at < v_start then n.place <= ceil(p_limit * 0.4)
                 else private.post_fingerprint(n.id) = any (v_opened) end;
      select array_agg(f.id), array_agg(f.weights) into v_found, v_part
      from (select s.id, s.weights || coalesce(n.nearness, 0) as weights
            from private.feed_scores(v_found) s
            left join unnest(v_front, v_near) with ordinality as n (id, nearness, place) on n.id = s.id
            left join lateral (select array_position(v_opened, private.post_fingerprint(s.id)) as place
                               where s.at >= v_start and v_opened <> '{}') o on true
            where v_score is null or s.at < v_start
               or case when o.place is not null then o.place > v_passed
                       else v_passed is not null or (s.score, s.id) < (v_score, p_cursor.id) end
            order by width_bucket(s.at, v_bounds) desc, o.place, n.place, s.score desc, s.id desc
            limit p_limit + 1) f;
      v_fronts := v_fronts || v_front;
      v_outs := v_outs || v_times;
    end if;
    v_page.ids := v_page.ids || v_found;
    v_parts := v_parts || v_part;
    if v_lowest <= p_choice.since then
      v_lowest := '-infinity';
    end if;
    exit when v_lowest = '-infinity' or cardinality(v_page.ids) > p_limit or v_looked > p_choice.entries
              or v_sieve.budget <= 0;
    v_until := v_lowest;
  end loop;
  p_limit := private.count_fitting_posts(v_page.ids, p_limit);
  v_page.size := p_limit;
  if v_lowest > '-infinity' and cardinality(v_page.ids) <= p_limit then
    v_page.next := private.place_cursor(private.feed_list(null), v_lowest,
                                        '00000000-0000-0000-0000-000000000000');
  end if;
  if v_moves and cardinality(v_page.ids) > p_limit then
    v_at := private.find_post_time(v_page.ids[p_limit]);
    v_lowest := private.block_start(v_at);
    v_until := private.block_end(v_at);
    v_page.opened := case when v_lowest = v_start then p_cursor.opened else (
      select string_agg(private.post_fingerprint(u.id), '' order by u.place)
      from unnest(v_fronts, v_outs) with ordinality as u (id, at, place)
      where u.at >= v_lowest and u.at < v_until) end;
  end if;
  v_page.parts := private.feed_why(
    case when v_moves then '{engagement,depth,interest,following,circle,boost,semantic}'
         else '{engagement,depth,interest,following,circle,boost}' end::text[],
    v_parts[:p_limit][:]);
  return v_page;
end $function$;

CREATE OR REPLACE FUNCTION private.feed_scores(p_ids uuid[])
 RETURNS TABLE(id uuid, at timestamp with time zone, is_listed boolean, score integer, weights integer[])
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_sort TO 'off'
 SET enable_incremental_sort TO 'off'
 SET enable_presorted_aggregate TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_me uuid := app.uid();
begin
  return query
    select f.id, f.published_at, f.is_listed, s.plain + b.more,
           array[f.engagement, f.depth, f.interest, f.following, f.circle, b.more]
    from (
      select p.id, p.published_at,
             p.is_visible and not l.is_limited as is_listed,
             (ln(1::float8 + c.reactions + c.replies * 2 + c.shares * 3 + c.bookmarks * 2) * 10000)::integer
               as engagement,
             coalesce(10000 - 2000 * abs(coalesce(o.depth, p.depth) - i.depth), 0) as depth,
             case when i.depth is null then 0 else 10000 end as interest,
             case when f.following_id is null then 0 else 10000 end as following,
             case p.viewer_level when 1 then 5000 when 2 then 10000 else 0 end as circle,
             case when p.format <> 'repost' then c.boost else 0 end as multiplier
      from unnest(p_ids) as w (id)
      join private.posts_with_visibility p on p.id = w.id
      cross join lateral private.limited_post_for(p.author_id, p.format, p.quoted_post_id) l
      left join app.posts o on o.id = case p.format when 'repost' then p.quoted_post_id end
      join app.post_counters c on c.post_id = coalesce(o.id, p.id)
      left join app.user_interests i on i.user_id = v_me
        and i.interest_id = coalesce(o.interest_id, p.interest_id)   -- a repost has no interest of its own
      left join app.follows f on f.follower_id = v_me and f.following_id = p.author_id) f
    cross join lateral (select f.engagement + f.depth + f.interest + f.following + f.circle as plain) s
    cross join lateral (select (s.plain * greatest(f.multiplier - 1, 0))::integer as more) b;
end $function$;

ALTER FUNCTION "private"."feed_scores"(uuid[]) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.filtered_posts(p_journalism boolean, p_format text, p_depths smallint[], p_place app.place, p_muted uuid[])
 RETURNS app.feed_run
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_sort TO 'off'
 SET enable_incremental_sort TO 'off'
 SET enable_presorted_aggregate TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_from   timestamptz := p_place.at;
  v_before uuid := p_place.id;
  v_cut    app.place;
  v_ids    uuid[];
  v_times  timestamptz[];
  v_places integer[];
begin
  if p_journalism then
    select array_agg(o.id), array_agg(o.published_at) into v_ids, v_times
    from (select w.id, w.published_at
          from (select id, published_at from app.posts
                where is_journalism and required_level <= 2 and within_id is null
                  and (published_at, id) < (v_from, v_before)
                order by published_at desc, id desc limit 400) w
          join private.listed_posts v on v.id = w.id
          where v.author_id <> all (p_muted)
          order by w.published_at desc, w.id desc limit 101) o;
    if coalesce(cardinality(v_ids), 0) < 101 then
      select published_at, id into v_cut from app.posts
      where is_journalism and required_level <= 2 and within_id is null and (published_at, id) < (v_from, v_before)
      order by published_at desc, id desc offset 399 limit 1;
    end if;
    return private.run_of(v_ids, v_times, v_cut, 400);
  elsif p_format <> 'note' then
    select array_agg(o.id), array_agg(o.published_at) into v_ids, v_times
    from (select w.id, w.published_at
          from (select id, published_at from app.posts
                where format = p_format and format <> 'note' and required_level <= 2 and within_id is null
                  and (published_at, id) < (v_from, v_before)
                order by published_at desc, id desc limit 400) w
          join private.listed_posts v on v.id = w.id
          where v.author_id <> all (p_muted)
          order by w.published_at desc, w.id desc limit 101) o;
    if coalesce(cardinality(v_ids), 0) < 101 then
      select published_at, id into v_cut from app.posts
      where format = p_format and format <> 'note' and required_level <= 2 and within_id is null
        and (published_at, id) < (v_from, v_before)
      order by published_at desc, id desc offset 399 limit 1;
    end if;
    return private.run_of(v_ids, v_times, v_cut, 400);
  end if;
  select array_agg(o.id), array_agg(o.published_at), array_agg(o.place) into v_ids, v_times, v_places
  from unnest(p_depths) d (depth)
  cross join lateral (
    select id, published_at, row_number() over (order by published_at desc, id desc) as place from app.posts p
    where p.depth = d.depth and p.depth > 0 and required_level <= 2 and within_id is null
      and (published_at, id) < (v_from, v_before)
    order by published_at desc, id desc limit 101) o;
  return private.merged_streams(v_ids, v_times, v_places, 101, '-infinity', p_muted);
end $function$;

CREATE OR REPLACE FUNCTION private.find_candidates(p_intent text, p_interest uuid, p_country text, p_city text, p_min_shared integer, p_after app.connection_intents)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_sort TO 'off'
 SET enable_incremental_sort TO 'off'
 SET enable_presorted_aggregate TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_me     uuid := app.uid();
  v_mine   uuid[] := private.chosen_interests();
  v_country text := upper(left(p_country, 3));   -- a country code has two letters
  v_city   text := private.fold_query(p_city);
  v_after  uuid := (p_after).user_id;
  v_shared integer := private.count_shared(v_mine, v_after);
  v_at     timestamptz := (p_after).created_at;
begin
  return array(
    select s.id
    from (
      select b.id, b.placed_at, private.count_shared(v_mine, b.id) as shared
      from (
        select m.id, m.placed_at
        from (select t.user_id as id, t.placed_at, count(t.interest_id) as found
              from (select * from private.match_by_interest(
                      p_intent, case when p_interest is null then v_mine
                                     when p_interest = any (v_mine) then array[p_interest] else '{}' end)
                    union all
                    (select user_id, null, created_at from app.connection_intents
                     where p_min_shared < 1 and p_interest is null and intent = p_intent
                       and is_active and not hidden
                     order by created_at, user_id limit 4000)) t
              where t.user_id <> v_me
              group by t.user_id, t.placed_at
              -- sorted here, so that only the best people are looked up
              order by count(t.interest_id) desc, t.placed_at, t.user_id offset 0) m
        join private.listed_people p on p.id = m.id
        cross join lateral (select * from app.users where id = m.id offset 0) u   -- by id, without a scan
        where (v_country is null or u.country = v_country)
          and (v_city is null or private.fold(u.city) = v_city)
        order by m.found desc, m.placed_at, m.id limit 400) b) s
    where s.shared >= p_min_shared
      and (v_after is null or (-s.shared, s.placed_at, s.id) > (-v_shared, v_at, v_after))
    order by s.shared desc, s.placed_at, s.id limit 51);
end $function$;

CREATE OR REPLACE FUNCTION private.find_contents(p_kind text, p_from app.place, p_space uuid, p_author uuid, p_interests uuid[], p_words text[], p_filters jsonb DEFAULT NULL::jsonb, p_sort text DEFAULT NULL::text, p_up boolean DEFAULT false, p_past integer DEFAULT 0, p_end timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS app.found
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_sort TO 'off'
 SET enable_incremental_sort TO 'off'
 SET enable_presorted_aggregate TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_me    uuid := private.require_caller();
  v_most  integer := 400 + p_past;
  v_each  integer := greatest(4, least(v_most, 4000 / greatest(1, cardinality(p_interests))));
  v_way   text := case when p_up then 'asc' else 'desc' end;
  v_walk  text;   -- has a placeholder for the condition of the index that it reads
  v_open  text;   -- what everybody sees, or every member of the space
  v_own   text;   -- what only the caller sees
  v_taken boolean := p_sort is null and num_nonnulls(p_space, p_author) = 0 and p_interests is not null;
  v_list  text := private.content_list(p_kind, p_sort, p_space);
  v_end   timestamptz := coalesce(p_end, case when p_up then 'infinity' else '-infinity' end::timestamptz);
  v_found app.found;
begin
  if p_sort is null then
    v_walk := '(select created_at as at, id from app.contents
                where kind = $1 and (created_at, id) < ($2, $3) and %s
                order by created_at desc, id desc limit $4)';
  else
    v_walk := format('(select at, content_id as id from private.content_places
                       where sort = $13 and (at, content_id) %1$s ($2, $3) and at %3$s $15 and %%s
                       order by at %2$s, content_id %2$s limit $4)',
                     case when p_up then '>' else '<' end, v_way, case when p_up then '<=' else '>=' end);
  end if;
  v_open := case
    when v_taken then '(select at, id from taken)'
    when p_space is not null then format(v_walk, 'space_id = $5 and space_id is not null and required_level = 0')
    when p_author is not null then format(v_walk, 'author_id = $6 and space_id is null and required_level = 0')
    else format(v_walk, 'space_id is null and required_level = 0') end;
  v_own := case when coalesce(p_author, v_me) = v_me
                then 'union all ' || format(v_walk, 'author_id = $12 and required_level = 3') end;
  -- Takes the next contents of each interest. If an interest has more, its further contents may be newer than some
  -- contents of the other interests, so the page ends at the last content taken of this interest.
  execute format($q$
    with taken as materialized (
      select e.at, e.id, e.place
      from unnest($7) n (interest_id)
      cross join lateral (
        select w.at, w.id, row_number() over () as place
        from (select created_at as at, id from app.contents
              where interest_id = n.interest_id and kind = $1 and required_level = 0 and space_id is null
                and (created_at, id) < ($2, $3)
              order by created_at desc, id desc limit $10) w) e
    ), cut as materialized (
      select at, id from taken where place = $10 order by at desc, id desc limit 1
    ), looked as materialized (
      select w.at, w.id from (%1$s %2$s) w %3$s order by w.at %4$s, w.id %4$s limit $4
    ), seen as materialized (
      select array(select l.id from looked l
                   -- by id: otherwise the plan might start with all contents of the author or of the interest
                   cross join lateral (select * from private.%7$I v where v.id = l.id offset 0) c
                   where c.space_id is not distinct from $5 %5$s
                   order by l.at %4$s, l.id %4$s offset $11 limit 51) as ids
    )
    select s.ids, case when cardinality(s.ids) < 51
                       then coalesce((select private.place_cursor($14, l.at, l.id)
                                      from (select * from looked offset $4 - 1 limit 1) l) %6$s) end
    from seen s $q$,
    v_open, v_own,
    case when v_taken then 'left join cut c on true where c.at is null or (w.at, w.id) >= (c.at, c.id)' end,
    v_way,
    concat(
      case when p_author is not null then ' and c.author_id = $6' end,
      case when p_interests is not null then ' and c.interest_id = any ($7)' end,
      case when p_words is not null then ' and $8 <@ tsvector_to_array(c.words)' end,
      case when p_filters is not null then format(' and %s(c.id, $9)', (
        select filter from private.content_kinds where kind = p_kind)) end),
    case when v_taken then ', (select private.place_cursor($14, c.at, c.id) from cut c)' end,
    -- whoever names an author or a space has chosen them
    case when num_nonnulls(p_space, p_author) = 0 then 'listed_contents' else 'visible_contents' end)
  into v_found
  using p_kind, p_from.at, p_from.id, v_most, p_space, p_author, p_interests, p_words, p_filters, v_each, p_past,
        v_me, p_sort, v_list, v_end;
  return v_found;
end $function$;

CREATE OR REPLACE FUNCTION private.find_mentors(p_interests uuid[], p_gap integer, p_after app.connection_intents)
 RETURNS TABLE(id uuid, gap integer, interest_id uuid)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_sort TO 'off'
 SET enable_incremental_sort TO 'off'
 SET enable_presorted_aggregate TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_me    uuid := app.uid();
  v_after uuid := (p_after).user_id;
  v_at    timestamptz := (p_after).created_at;
  -- 5 if the cursor's person no longer qualifies: people may then be listed twice, but nobody is left out
  v_gap   integer := (select coalesce(max(t.expertise - m.expertise), 5)
                      from app.user_interests m
                      join app.user_interests t on t.user_id = v_after and t.interest_id = m.interest_id
                      where m.user_id = v_me and m.interest_id = any (p_interests)
                        and t.expertise - m.expertise >= p_gap);
begin
  return query
  select b.id, b.gap, b.interest_id
  from (select m.user_id as id, m.placed_at, max(t.expertise - c.expertise)::integer as gap,
               (array_agg(m.interest_id order by t.expertise - c.expertise desc, m.interest_id))[1] as interest_id
        from private.match_by_interest('mentor', p_interests) m
        join app.user_interests c on c.user_id = v_me and c.interest_id = m.interest_id
        join app.user_interests t on t.user_id = m.user_id and t.interest_id = m.interest_id
        where m.user_id <> v_me and t.expertise - c.expertise >= p_gap
        group by m.user_id, m.placed_at) b
  join private.listed_people p on p.id = b.id
  where v_after is null or (-b.gap, b.placed_at, b.id) > (-v_gap, v_at, v_after)
  order by b.gap desc, b.placed_at, b.id limit 51;
end $function$;

CREATE OR REPLACE FUNCTION private.find_names(p_q text)
 RETURNS TABLE(id uuid, at timestamp with time zone, likeness real)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_sort TO 'off'
 SET enable_incremental_sort TO 'off'
 SET enable_presorted_aggregate TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_q        text := private.fold(left(p_q, 100));
  v_trigrams text[] := extensions.show_trgm(v_q);
  v_each     integer := greatest(40, 4000 / greatest(cardinality(v_trigrams), 1));
begin
  return query
  select l.id, l.at, l.likeness
  from (select f.user_id as id, f.joined_at as at,
               extensions.word_similarity(v_q, private.full_name(u.first_name, u.last_name, u.username)) as likeness
        from (select t.user_id, t.joined_at
              from unnest(v_trigrams) g (trigram)
              cross join lateral (
                select n.user_id, n.joined_at from private.name_trigrams n
                where n.trigram = g.trigram
                order by n.joined_at desc, n.user_id desc limit v_each) t
              group by t.user_id, t.joined_at
              having count(*) >= least(2, cardinality(v_trigrams))) f
        join private.listed_people p on p.id = f.user_id
        -- by id, without a scan
        cross join lateral (select o.* from app.users o where o.id = f.user_id offset 0) u) l
  where l.likeness >= 0.32;   -- as similar as "crala" and "carla", which share two of six trigrams
end $function$;

CREATE OR REPLACE FUNCTION private.find_people(p_from app.place)
 RETURNS app.found
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_sort TO 'off'
 SET enable_incremental_sort TO 'off'
 SET enable_presorted_aggregate TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_me     uuid := app.uid();
  v_from   timestamptz := p_from.at;   -- plain variables: an expression defeats the index
  v_before uuid := p_from.id;
  v_found  app.found;
begin
  with looked as materialized (
    select created_at as at, id from app.users
    where banned_at is null and erased_at is null and (created_at, id) < (v_from, v_before)
    order by created_at desc, id desc limit 400
  ), seen as materialized (
    select array(select l.id from looked l join private.listed_people p on p.id = l.id
                 where l.id <> v_me order by l.at desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor('people', l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $function$;

CREATE OR REPLACE FUNCTION private.find_stream(p_choice app.feed_choice, p_type text, p_country text, p_city text, p_trending boolean, p_from app.place)
 RETURNS app.found
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_sort TO 'off'
 SET enable_incremental_sort TO 'off'
 SET enable_presorted_aggregate TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_from   timestamptz := p_from.at;   -- plain variables: an expression defeats the index
  v_before uuid := p_from.id;
  v_country text := upper(left(p_country, 3));   -- a code has two letters
  v_city   text := private.fold_query(p_city);
  v_posts  uuid[] := '{}';
  v_outs   timestamptz[];
  v_others uuid[] := '{}';
  v_ats    timestamptz[];
  v_cut    app.place;
  v_ids    uuid[];
  v_times  timestamptz[];
  v_sieve  app.feed_sieve;
  v_stop   integer;
begin
  if coalesce(p_type, 'post') = 'post' then
    select array_agg(l.id), array_agg(l.at) into v_posts, v_outs
    from (select id, published_at as at from app.posts
          where required_level = 0 and closer_id is null and within_id is null
            and (published_at, id) < (v_from, v_before)
          order by published_at desc, id desc limit 400) l;
    v_cut := (v_outs[400], v_posts[400])::app.place;
  end if;
  if p_type is null then
    select array_agg(l.id), array_agg(l.at) into v_others, v_ats
    from (select id, created_at as at from app.contents
          where required_level = 0 and space_id is null and (created_at, id) < (v_from, v_before)
          order by created_at desc, id desc limit 400) l;
  elsif p_type <> 'post' then
    select array_agg(l.id), array_agg(l.at) into v_others, v_ats
    from (select id, created_at as at from app.contents
          where kind = p_type and required_level = 0 and space_id is null and (created_at, id) < (v_from, v_before)
          order by created_at desc, id desc limit 400) l;
  end if;
  -- if a list was cut off at 400, the page ends at its last entry at the latest, because later ones may be missing
  if v_ats[400] is not null and (v_cut.at is null or (v_ats[400], v_others[400]) > (v_cut.at, v_cut.id)) then
    v_cut := (v_ats[400], v_others[400])::app.place;
  end if;

  v_posts := private.feed_chosen(p_choice, array(
    select v.id from unnest(v_posts, v_outs) as l (id, at) join private.listed_posts v on v.id = l.id
    where (not p_trending or v.trending_boost > 0)
      and (v_cut.at is null or (l.at, l.id) >= (v_cut.at, v_cut.id))
    order by l.at desc, l.id desc), false);
  select array_agg(m.id), array_agg(m.at) into v_ids, v_times
  from (
    select f.id, f.at
    from (select p.id, p.published_at as at, p.author_id from unnest(v_posts) w (id) join app.posts p on p.id = w.id
          union all
          select c.id, c.created_at, c.author_id
          from unnest(v_others, v_ats) as l (id, at) join private.listed_contents c on c.id = l.id
          where c.required_level = 0 and c.space_id is null and c.author_id <> all (p_choice.muted_people)
            and (p_choice.interests is null or c.interest_id = any (p_choice.interests))
            and (not p_trending or (select n.likes + n.reposts + n.comments > 0 from app.video_counters n
                                    where n.video_id = c.id))
            and (v_cut.at is null or (l.at, l.id) >= (v_cut.at, v_cut.id))) f
    where p_country is null and v_city is null
       or (select (v_country is null or u.country = v_country)
              and (v_city is null or private.fold(u.city) = v_city)
           from app.users u where u.id = f.author_id)
    order by f.at desc, f.id desc limit 51) m;

  v_sieve := private.without_phrases(p_choice.muted_words, array(
    select u.id from unnest(v_ids) with ordinality as u (id, place) where u.id = any (v_posts) order by u.place),
    null, p_choice.characters);
  if v_sieve.stopped_at is not null then   -- without_phrases never stops at the first post
    v_stop := array_position(v_ids, v_sieve.stopped_at);
    v_ids := v_ids[:v_stop - 1];
    v_cut := (v_times[v_stop - 1], v_ids[v_stop - 1])::app.place;
  elsif cardinality(v_ids) = 51 then
    v_cut := (v_times[51], v_ids[51])::app.place;
  end if;
  v_ids := array(
    select u.id from unnest(v_ids) with ordinality as u (id, place)
    where u.id <> all (v_posts) or u.id = any (v_sieve.ids) order by u.place);
  return (v_ids, case when cardinality(v_ids) < 51 and v_cut.at is not null
                      then private.place_cursor('stream', v_cut.at, v_cut.id) end)::app.found;
end $function$;

CREATE OR REPLACE FUNCTION private.find_suggested(p_limit integer)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_sort TO 'off'
 SET enable_incremental_sort TO 'off'
 SET enable_presorted_aggregate TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_me     uuid := app.uid();
  v_muted  uuid[] := private.muted_people();
  v_looked uuid[];
begin
  if not private.has_centroid() then
    return '{}';
  end if;
  v_looked := array(
    select v.id
    from (select id, published_at from app.posts
          where required_level = 0 and closer_id is null and within_id is null
          order by published_at desc, id desc limit 400) w
    join private.listed_posts v on v.id = w.id
    where v.format <> 'repost' and v.author_id <> v_me);
  return array(
    select a.author_id
    from (select p.author_id, max(n.nearness) as nearness
          from private.nearness(v_looked) n join app.posts p on p.id = n.id
          group by p.author_id) a
    where a.author_id <> all (v_muted)
      and (select true from app.follows f where f.follower_id = v_me and f.following_id = a.author_id) is null
    order by a.nearness desc, a.author_id limit p_limit);
end $function$;

CREATE OR REPLACE FUNCTION private.find_talent(p_interests uuid[], p_country text, p_city text, p_after uuid)
 RETURNS TABLE(id uuid, interest_id uuid, value numeric)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_sort TO 'off'
 SET enable_incremental_sort TO 'off'
 SET enable_presorted_aggregate TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_me    uuid := app.uid();
  v_country text := upper(left(p_country, 3));   -- a country code has two letters
  v_city  text := private.fold_query(p_city);
  v_each  integer := greatest(20, 4000 / greatest(cardinality(p_interests), 1));
  v_value numeric := coalesce((select max(r.value) from app.reputation r
                               where r.user_id = p_after and r.interest_id = any (p_interests)), 'infinity');
begin
  return query
  select b.id, b.interest_id, b.value
  from (select t.id, max(t.value) as value,
               (array_agg(t.interest_id order by t.value desc, t.interest_id))[1] as interest_id
        from (select w.id, n.id as interest_id, w.value
              from unnest(p_interests) n (id)
              cross join lateral (
                select r.user_id as id, r.value from app.reputation r
                where r.interest_id = n.id and r.value > 0
                order by r.value desc, r.user_id limit v_each) w) t
        where t.id <> v_me
        group by t.id) b
  join private.listed_people p on p.id = b.id
  cross join lateral (select o.* from app.users o where o.id = b.id offset 0) u   -- by id, without a scan
  where (v_country is null or u.country = v_country)
    and (v_city is null or private.fold(u.city) = v_city)
    and (p_after is null or (-b.value, b.id) > (-v_value, p_after))
  order by b.value desc, b.id limit 51;
end $function$;

CREATE OR REPLACE FUNCTION private.followed_posts(p_place app.place, p_muted uuid[])
 RETURNS app.feed_run
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_me      uuid := app.uid();
  v_place   app.place := p_place;
  -- private.all_posts leaves out the posts in the caller's spaces
  v_by_all  boolean := not exists (select from app.space_members where user_id = app.uid());
  v_authors uuid[] := array(select following_id from app.follows where follower_id = app.uid() limit 301);
  v_looked  integer := 0;
  v_all     app.feed_run;
  v_ids     uuid[];
  v_times   timestamptz[];
begin
  if cardinality(v_authors) <= 300 then
    return private.posts_by(v_authors, p_place, p_muted);
  elsif not v_by_all then
    v_authors := array(select following_id from app.follows where follower_id = app.uid() limit 2001);
    if cardinality(v_authors) <= 2000 then
      return private.posts_by(v_authors, p_place, p_muted);
    end if;
  end if;
  -- with many authors it first looks for their posts among all posts; if it finds too few, because the authors write
  -- little, it reads by author
  for v_look in 1 .. 8 loop
    v_all := private.all_posts(v_place, p_muted);
    v_looked := v_looked + v_all.looked;
    select v_ids || array_agg(f.id order by f.place), v_times || array_agg(f.at order by f.place)
    into v_ids, v_times
    from (select a.id, a.at, a.place
          from unnest(v_all.ids, v_all.times) with ordinality as a (id, at, place)
          join private.listed_posts p on p.id = a.id
          where (select true from app.follows where follower_id = v_me and following_id = p.author_id)
            and p.author_id <> all (p_muted)) f;
    v_place := v_all.next;
    if cardinality(v_ids) >= 101 or v_place.at is null then
      return private.run_of(v_ids[:101], v_times[:101], v_place, v_looked);
    end if;
  end loop;
  v_authors := array(select following_id from app.follows where follower_id = app.uid() limit 2001);
  if cardinality(v_authors) = 2001 then
    return private.run_of(v_ids, v_times, v_place, v_looked);
  end if;
  return private.posts_by(v_authors, p_place, p_muted);
end $function$;

CREATE OR REPLACE FUNCTION private.job_end_suspensions()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user   uuid;
  v_person app.users;
begin
  -- one person per transaction, because the end of a ban takes locks of many ranks; and the credentials, which
  -- private.lock_account locks first, so that it waits for no login while it has the person
  select u.id into v_user
  from app.users u join private.credentials c on c.user_id = u.id
  where u.banned_until <= now() and u.erased_at is null
  order by u.banned_until limit 1
  for update of c skip locked;
  if not found then
    return 0;
  end if;
  v_person := private.lock_account(v_user);
  if v_person.banned_until is null or v_person.banned_until > now() then
    return 1;   -- an admin was faster
  end if;
  begin
    perform private.set_banned(v_person, false, null);
  exception when others or query_canceled then   -- "others" does not include a timeout
    raise warning 'the suspension of % did not end: % %', v_user, sqlstate, sqlerrm;
    update app.users set banned_until = clock_timestamp() + interval '5 seconds' where id = v_user;
    return -1;
  end;
  return 1;
end $function$;

ALTER FUNCTION "private"."job_end_suspensions"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.limited_for(p_author uuid, p_viewer uuid DEFAULT NULL::uuid)
 RETURNS TABLE(is_limited boolean)
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT (( SELECT (EXISTS ( SELECT
                    FROM app.limited_people)) AS "exists") AND (( SELECT true
            FROM app.limited_people l
           WHERE ((l.user_id = limited_for.p_author) AND (l.user_id <> COALESCE(limited_for.p_viewer, ( SELECT app.uid() AS uid))) AND (( SELECT true
                    FROM app.follows f
                   WHERE ((f.follower_id = COALESCE(limited_for.p_viewer, ( SELECT app.uid() AS uid))) AND (f.following_id = l.user_id))) IS NULL))) IS TRUE));
END;

ALTER FUNCTION "private"."limited_for"(uuid, uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.limited_post_for(p_author uuid, p_format text, p_quoted uuid)
 RETURNS TABLE(is_limited boolean)
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT (l.is_limited OR ((limited_post_for.p_format = 'repost'::text) AND (( SELECT o.is_limited
            FROM (app.posts p
              CROSS JOIN LATERAL private.limited_for(p.author_id) o(is_limited))
           WHERE (p.id = limited_post_for.p_quoted)) IS TRUE)))
    FROM private.limited_for(limited_post_for.p_author) l(is_limited);
END;

ALTER FUNCTION "private"."limited_post_for"(uuid, text, uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.list_limited()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if new.limited_at is not null then
    insert into app.limited_people (user_id) values (new.id) on conflict do nothing;
  else
    delete from app.limited_people where user_id = new.id;
  end if;
  return null;
end $function$;

ALTER FUNCTION "private"."list_limited"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.mention_people(p_text text, p_writer uuid, p_post uuid, p_reply uuid DEFAULT NULL::uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_names text[] := private.names_in(p_text);
  v_most  integer := least(20, cardinality(v_names));
begin
  if v_most = 0 then
    return;
  end if;
  -- Counts names as written: counting the people who are notified would reveal who exists and who blocks the writer.
  -- When a scheduled post is published nobody could receive an error, so then as many people are notified as the limit
  -- allows.
  v_most := private.count_writes('mentions', v_most, case when p_writer is distinct from app.uid() then p_writer end);
  perform private.emit('posts.person.mentioned', json_build_object(
    'userId', m.id, 'byId', p_writer, 'postId', p_post, 'replyId', p_reply), array[m.id])
  from (select n.id
        from unnest(private.people_named(v_names)) with ordinality as n (id, place)
        join app.users u on u.id = n.id and u.banned_at is null and u.erased_at is null
        where n.id <> p_writer
          and private.may_meet(private.find_level(n.id, p_writer))
          and private.post_visible_to(p_post, n.id)
          and not (select l.is_limited from private.limited_for(p_writer, n.id) l)
        order by n.place limit v_most) m;
end $function$;

CREATE OR REPLACE FUNCTION private.merged_streams(p_ids uuid[], p_times timestamp with time zone[], p_places integer[], p_most integer, p_until timestamp with time zone, p_muted uuid[])
 RETURNS app.feed_run
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_sort TO 'off'
 SET enable_incremental_sort TO 'off'
 SET enable_presorted_aggregate TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_cut   app.place;
  v_ids   uuid[];
  v_times timestamptz[];
begin
  -- a stream that returned its maximum may have more posts after its last one, so the merged list ends at that post
  select r.at, r.id into v_cut
  from unnest(p_ids, p_times, p_places) as r (id, at, place)
  where r.place = p_most order by r.at desc, r.id desc limit 1;
  if v_cut.at is null and p_until > '-infinity' then
    v_cut := (p_until, '00000000-0000-0000-0000-000000000000');
  end if;
  select array_agg(c.id order by c.at desc, c.id desc), array_agg(c.at order by c.at desc, c.id desc)
  into v_ids, v_times
  from (select r.id, r.at
        from (select distinct u.at, u.id from unnest(p_ids, p_times) as u (id, at)
              where v_cut.at is null or (u.at, u.id) >= (v_cut.at, v_cut.id)
              order by u.at desc, u.id desc) r
        join private.listed_posts v on v.id = r.id
        where v.required_level <= 2 and v.author_id <> all (p_muted)
        order by r.at desc, r.id desc limit 101) c;
  return private.run_of(v_ids, v_times, v_cut, coalesce(cardinality(p_ids), 0));
end $function$;

CREATE OR REPLACE FUNCTION private.posts_within(p_spaces uuid[], p_before timestamp with time zone, p_until timestamp with time zone, p_muted uuid[])
 RETURNS app.feed_run
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_sort TO 'off'
 SET enable_incremental_sort TO 'off'
 SET enable_presorted_aggregate TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_before timestamptz := p_before;   -- plain variables: an expression defeats the index
  v_until  timestamptz := p_until;
  v_start  timestamptz := p_until;
  v_each   integer := 51 / greatest(cardinality(p_spaces), 1) + 2;
  v_from   timestamptz;
  v_ids    uuid[];
  v_times  timestamptz[];
  v_looked integer;
begin
  -- reads first a few posts of each space, enough for 51, to find the time of the 51st; then all posts since that time
  select c.published_at into v_from
  from unnest(p_spaces) s (id)
  cross join lateral (
    select published_at from app.posts
    where within_id = s.id and required_level <= 2 and published_at < v_before and published_at >= v_until
    order by published_at desc, id desc limit v_each) c
  order by c.published_at desc offset 50 limit 1;
  v_from := coalesce(v_from, v_until);
  select array_agg(w.id), array_agg(w.published_at) into v_ids, v_times
  from (select c.id, c.published_at
        from unnest(p_spaces) s (id)
        cross join lateral (
          select id, published_at from app.posts
          where within_id = s.id and required_level <= 2 and published_at < v_before and published_at >= v_from
          order by published_at desc, id desc limit 51) c
        order by c.published_at desc, c.id desc limit 51) w;
  v_looked := 2 * cardinality(p_spaces) + coalesce(cardinality(v_ids), 0);
  if cardinality(v_ids) = 51 then
    v_start := private.block_end(v_times[51]);
    if v_start > v_times[1] then   -- all 51 are in one block, of which only the newest 50 are shown
      v_start := private.block_start(v_times[51]);
      v_ids := v_ids[:50];
      v_times := v_times[:50];
    end if;
  end if;
  select array_agg(w.id), array_agg(w.at) into v_ids, v_times
  from unnest(v_ids, v_times) as w (id, at) join private.listed_posts v on v.id = w.id
  where w.at >= v_start and v.required_level <= 2 and v.author_id <> all (p_muted);
  return (v_ids, v_times, (v_start, '00000000-0000-0000-0000-000000000000')::app.place, v_looked)::app.feed_run;
end $function$;

CREATE OR REPLACE FUNCTION private.require_reason(p_reason text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_reason text := private.find_reason(p_reason);
begin
  if v_reason is null then
    perform private.raise_error('reason_length');
  end if;
  return v_reason;
end $function$;

ALTER FUNCTION "private"."require_reason"(text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.set_banned(p_person app.users, p_banned boolean, p_reason text, p_until timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.change_account(p_person.id, p_person.role,
                                 case when p_banned then coalesce(p_person.banned_at, now()) end,
                                 case when p_banned then p_until end);
  -- only app.audit_details keeps the reason; it belongs to this person there, so their erasure deletes it
  perform private.audit(
    case when not p_banned then 'user.unbanned' when p_until is null then 'user.banned' else 'user.suspended' end,
    'user', p_person.id::text,
    case when coalesce(p_reason, p_until::text) is not null then
      json_strip_nulls(json_build_object('reason', p_reason, 'until', private.utc(p_until))) end,
    p_person.id);
end $function$;

ALTER FUNCTION "private"."set_banned"(app.users, boolean, text, timestamp with time zone) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.set_limited(p_person app.users, p_limited boolean, p_reason text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update app.users set limited_at = case when p_limited then coalesce(limited_at, now()) end where id = p_person.id;
  perform private.audit(case when p_limited then 'user.limited' else 'user.unlimited' end, 'user', p_person.id::text,
                        case when p_reason is not null then json_build_object('reason', p_reason) end, p_person.id);
end $function$;

ALTER FUNCTION "private"."set_limited"(app.users, boolean, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.staff_account(p_user uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (select json_build_object('id', u.id, 'user', p.card, 'role', u.role, 'bannedAt', private.utc(u.banned_at),
                                   'suspendedUntil', private.utc(u.banned_until),
                                   'limitedAt', private.utc(u.limited_at))
          from app.users u join app.person_card p on p.id = u.id where u.id = p_user);
end $function$;

CREATE OR REPLACE FUNCTION private.staff_decisions(p_person uuid, p_bans boolean)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_sort TO 'off'
 SET enable_incremental_sort TO 'off'
 SET enable_presorted_aggregate TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
begin
  perform private.require_role('moderator', 'admin');
  return (
    select coalesce(json_agg(json_build_object(
             'action', d.action, 'targetType', d.target_type, 'targetId', d.target_id,
             'createdAt', private.utc(d.created_at)) order by d.id desc), '[]')
    from (select l.*
          from (select audit_id from app.audit_details
                where subject_id = p_person order by audit_id desc limit 400) s
          join app.audit_log l on l.id = s.audit_id
          where (l.action in ('user.banned', 'user.suspended', 'user.unbanned', 'user.limited', 'user.unlimited'))
                = p_bans
          order by l.id desc limit 50) d);
end $function$;

CREATE OR REPLACE FUNCTION private.trending_posts(p_place app.place, p_muted uuid[])
 RETURNS app.feed_run
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_sort TO 'off'
 SET enable_incremental_sort TO 'off'
 SET enable_presorted_aggregate TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_from   timestamptz := p_place.at;
  v_before uuid := p_place.id;
  v_cut    app.place;
  v_ids    uuid[];
  v_times  timestamptz[];
begin
  select array_agg(o.id), array_agg(o.trending_at) into v_ids, v_times
  from (select w.id, w.trending_at
        from (select id, trending_at from app.posts
              where required_level = 0 and closer_id is null and within_id is null
                and (trending_at, id) < (v_from, v_before)
              order by trending_at desc, id desc limit 400) w
        join private.listed_posts v on v.id = w.id
        where v.author_id <> all (p_muted)
        order by w.trending_at desc, w.id desc limit 101) o;
  if coalesce(cardinality(v_ids), 0) < 101 then
    select trending_at, id into v_cut from app.posts
    where required_level = 0 and closer_id is null and within_id is null and (trending_at, id) < (v_from, v_before)
    order by trending_at desc, id desc offset 399 limit 1;
  end if;
  return private.run_of(v_ids, v_times, v_cut, 400);
end $function$;

CREATE OR REPLACE FUNCTION private.users_rules(username text, role text, banned_at timestamp with time zone, first_name text, last_name text, country text, city text, about text, profile_pic_url text, banned_until timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  if (length(about) <= 1000) is false then perform private.raise_check_violation('users_about_check'); end if;
  if ((banned_until IS NULL) OR (banned_at IS NOT NULL)) is false then perform private.raise_check_violation('users_check'); end if;
  if ((length(city) >= 1) AND (length(city) <= 120)) is false then perform private.raise_check_violation('users_city_check'); end if;
  if (country ~ '^[A-Z]{2}$'::text) is false then perform private.raise_check_violation('users_country_check'); end if;
  if ((length(first_name) >= 1) AND (length(first_name) <= 80)) is false then perform private.raise_check_violation('users_first_name_check'); end if;
  if ((length(last_name) >= 1) AND (length(last_name) <= 80)) is false then perform private.raise_check_violation('users_last_name_check'); end if;
  if ((profile_pic_url ~* '^https?://'::text) AND (length(profile_pic_url) <= 2000)) is false then perform private.raise_check_violation('users_profile_pic_url_check'); end if;
  if (role = ANY (ARRAY['user'::text, 'moderator'::text, 'admin'::text])) is false then perform private.raise_check_violation('users_role_check'); end if;
  if (username ~ '^[a-z0-9_]{3,30}$'::text) is false then perform private.raise_check_violation('users_username_check'); end if;
  return true;
end $function$;

ALTER FUNCTION "private"."users_rules"(text, text, timestamp with time zone, text, text, text, text, text, text, timestamp with time zone) OWNER TO "postgres";

ALTER TABLE "app"."limited_people" ADD CONSTRAINT "limited_people_user_id_fkey" FOREIGN KEY (user_id) REFERENCES app.users(id) ON DELETE CASCADE;

CREATE VIEW "private"."listed_contents" WITH (security_invoker=true) AS  SELECT c.id,
    c.kind,
    c.author_id,
    c.interest_id,
    c.title,
    c.space_id,
    c.is_draft,
    c.words,
    c.edited_at,
    c.removed_at,
    c.deleted_at,
    c.author_hidden,
    c.created_at,
    c.required_level
   FROM (private.visible_contents c
     CROSS JOIN LATERAL private.limited_for(c.author_id) l(is_limited))
  WHERE (NOT l.is_limited);

ALTER VIEW "private"."listed_contents" OWNER TO "postgres";

CREATE VIEW "private"."listed_people" WITH (security_invoker=true) AS  SELECT p.id,
    p.username
   FROM (private.visible_people p
     CROSS JOIN LATERAL private.limited_for(p.id) l(is_limited))
  WHERE (NOT l.is_limited);

ALTER VIEW "private"."listed_people" OWNER TO "postgres";

CREATE VIEW "private"."listed_posts" WITH (security_invoker=true) AS  SELECT p.id,
    p.author_id,
    p.persona_id,
    p.format,
    p.title,
    p.body,
    p.media,
    p.quoted_post_id,
    p.original_author_id,
    p.original_space_id,
    p.visibility,
    p.depth,
    p.interest_id,
    p.space_id,
    p.is_journalism,
    p.publish_at,
    p.publish_again_at,
    p.published_at,
    p.scheduled_emitted_at,
    p.pinned_at,
    p.edited_at,
    p.hidden_at,
    p.deleted_at,
    p.author_banned,
    p.keyword_words,
    p.trending_boost,
    p.created_at,
    p.imported_at,
    p.closer_id,
    p.within_id,
    p.trending_at,
    p.required_level,
    p.card_start,
    p.viewer_level,
    p.is_visible
   FROM (private.visible_posts p
     CROSS JOIN LATERAL private.limited_post_for(p.author_id, p.format, p.quoted_post_id) l(is_limited))
  WHERE (NOT l.is_limited);

ALTER VIEW "private"."listed_posts" OWNER TO "postgres";

CREATE VIEW "private"."staff_users" WITH (security_invoker=true) AS  SELECT u.created_at AS at,
    u.id,
    u.role,
    (u.banned_at IS NOT NULL) AS banned,
    (u.erased_at IS NOT NULL) AS erased,
    (u.banned_until IS NOT NULL) AS suspended,
    (u.limited_at IS NOT NULL) AS limited,
    concat_ws(' '::text, u.username, u.first_name, u.last_name, a.email) AS said,
    json_build_object('id', u.id, 'user', person.card, 'role', u.role, 'bannedAt', private.utc(u.banned_at), 'suspendedUntil', private.utc(u.banned_until), 'limitedAt', private.utc(u.limited_at), 'erasedAt', private.utc(u.erased_at), 'email', a.email, 'emailVerifiedAt', private.utc(a.email_verified_at), 'lastSeenAt', private.utc(a.last_seen_at), 'createdAt', private.utc(u.created_at)) AS card
   FROM ((app.users u
     LEFT JOIN app.accounts a ON ((a.user_id = u.id)))
     JOIN app.person_card person ON ((person.id = u.id)));

ALTER VIEW "private"."staff_users" OWNER TO "postgres";

CREATE INDEX users_banned_until_idx ON app.users USING btree (banned_until) WHERE (banned_until IS NOT NULL);

CREATE INDEX users_limited_joined_idx ON app.users USING btree (created_at DESC, id DESC) WHERE (limited_at IS NOT NULL);

CREATE INDEX users_suspended_joined_idx ON app.users USING btree (created_at DESC, id DESC) WHERE (banned_until IS NOT NULL);

CREATE TRIGGER _055_list_limited AFTER UPDATE OF limited_at ON app.users FOR EACH ROW EXECUTE FUNCTION private.list_limited();

CREATE POLICY "select_all" ON "app"."limited_people" FOR SELECT TO "authenticated" USING (true);

COMMENT ON COLUMN "app"."users"."banned_until" IS 'When the ban ends by itself: then it is a suspension. Null for a ban without an end, and for people who are not banned.';

COMMENT ON COLUMN "app"."users"."limited_at" IS 'When staff limited the person; null if they are not limited. A trigger keeps app.limited_people the same.';

COMMENT ON FUNCTION "api"."ban_person"(text, text, timestamp with time zone) IS 'Bans a person: they are logged out immediately, and what they published is hidden from everyone until the ban ends. With p_until it ends by itself at that time, at most 366 days from now. Banning a banned person with another p_until, or without one, moves or removes the end; otherwise repeating it changes nothing. {id, user, role, bannedAt, suspendedUntil, limitedAt}. Leaves an audit entry with the reason.';

COMMENT ON FUNCTION "api"."limit_person"(text, text) IS 'Limits a person: only they and their followers find them and what they published in feeds, searches and suggestions. Repeating it changes nothing. {id, user, role, bannedAt, suspendedUntil, limitedAt}. Leaves an audit entry with the reason.';

COMMENT ON FUNCTION "api"."set_role"(text, text) IS 'Gives a person another role and ends their tokens and sessions, because a token contains the role. Repeating it changes nothing. {id, user, role, bannedAt, suspendedUntil, limitedAt}. Leaves an audit entry. Fails: token_revoked (if the caller is no longer an admin).';

COMMENT ON FUNCTION "api"."unban_person"(text, text) IS 'Ends a ban or a suspension: what the person published is visible again, and they can log in; older tokens remain invalid. Repeating it changes nothing. {id, user, role, bannedAt, suspendedUntil, limitedAt}. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."unlimit_person"(text, text) IS 'Ends a limit. Repeating it changes nothing. {id, user, role, bannedAt, suspendedUntil, limitedAt}. Leaves an audit entry.';

COMMENT ON FUNCTION "private"."broadcast_posts"(private.effects[]) IS 'Listener: announces a public post when it is published, which for a scheduled post is later than its insert. Posts of limited people, and reposts of them, are not announced, because strangers listen too.';

COMMENT ON FUNCTION "private"."change_account"(uuid, text, timestamp with time zone, timestamp with time zone) IS 'Sets a person''s role and ban, and ends all earlier tokens and sessions.';

COMMENT ON FUNCTION "private"."check_not_banned"(uuid) IS 'Refuses a banned person with person_banned, and a suspended one with person_suspended, whose text says until when.';

COMMENT ON FUNCTION "private"."feed_scores"(uuid[]) IS 'Whether the caller''s feed may have these posts, and their score for the caller, in ten-thousandths. The score is the sum of the weights, in this order: engagement, ln(1 + hearts + 2 replies + 3 reposts + 2 bookmarks); depth, 0 to 1, how near the post''s depth is to the depth that the caller chose for its primary interest; interest, 1 if the caller has chosen that interest; following, 1 if the caller follows the author; circle, 0.5 or 1 if the caller is in the author''s circle or inner circle; and boost, what the boost''s multiplier adds to the sum of the others. A repost takes the first three from its original, and has no boost.';

COMMENT ON FUNCTION "private"."job_end_suspensions"() IS 'Job: ends the suspension that has been due the longest, as an unban does, with an audit entry that has no actor, and returns 1. If that fails, it returns -1, and tries again after the other due suspensions, in 5 seconds at the earliest. May run twice: it takes only due suspensions, each once, and skips locked people. The worker repeats it until it returns 0.';

COMMENT ON FUNCTION "private"."limited_for"(uuid, uuid) IS 'The one rule of limited people: whether this person is limited, and the viewer neither follows them nor is them. Feeds, searches and suggestions then leave out what the person wrote. One row. For each person it probes a small table, and the follows only if it finds the person there. If p_viewer is null the viewer is the caller.';

COMMENT ON FUNCTION "private"."limited_post_for"(uuid, text, uuid) IS 'Whether feeds, searches and suggestions leave out a post for the caller: its author is limited for them (private.limited_for) or, if it is a repost, the author of the original is. One row.';

COMMENT ON FUNCTION "private"."list_limited"() IS 'Trigger: keeps app.limited_people the same as app.users.limited_at.';

COMMENT ON FUNCTION "private"."mention_people"(text, uuid, uuid, uuid) IS 'Emits posts.person.mentioned for each of the first 20 people whom a text mentions, except the writer, people across a block, people who may not see the post, and people who don''t follow a limited writer. Up to 20 names per text count towards the writer''s hourly limit.';

COMMENT ON FUNCTION "private"."require_reason"(text) IS 'The normalized reason of staff, where one is required.';

COMMENT ON FUNCTION "private"."set_banned"(app.users, boolean, text, timestamp with time zone) IS 'Bans a person whose row private.lock_account locked, or ends the ban, and leaves an audit entry. With p_until the ban ends by itself at that time: a suspension. A banned person gets this end, or none.';

COMMENT ON FUNCTION "private"."set_limited"(app.users, boolean, text) IS 'Limits a person whose row private.lock_account locked, or ends the limit, and leaves an audit entry. The person stays logged in.';

COMMENT ON FUNCTION "private"."staff_account"(uuid) IS 'A person in the responses to bans, limits and changes of role: {id, user, role, bannedAt, suspendedUntil, limitedAt}.';

COMMENT ON FUNCTION "private"."staff_decisions"(uuid, boolean) IS 'What staff decided against a person, the newest first, up to 50 among the newest 400: bans, limits and their ends, or what staff hid, showed again, deleted, removed or restored: {action, targetType, targetId, createdAt}.';

COMMENT ON FUNCTION "private"."users_rules"(text, text, timestamp with time zone, text, text, text, text, text, text, timestamp with time zone) IS 'The checks of app.users. Raises the code of the one that a row breaks.';

COMMENT ON INDEX "app"."users_banned_until_idx" IS 'private.job_end_suspensions.';

COMMENT ON POLICY "select_all" ON "app"."limited_people" IS 'Lists that run with their caller''s rights read the table; it contains only internal ids.';

COMMENT ON TABLE "app"."limited_people" IS 'People whom staff limited: only they and their followers find them in feeds, searches and suggestions. A trigger maintains the table.';

COMMENT ON VIEW "private"."listed_contents" IS 'The contents that searches, and lists that name neither author nor space, may have for the caller: visible ones whose author is not limited for the caller (private.limited_for). For definer functions.';

COMMENT ON VIEW "private"."listed_people" IS 'The people whom searches and suggestions may show to the caller: those whom the caller may see and who are not limited for the caller. For definer functions.';

COMMENT ON VIEW "private"."listed_posts" IS 'The posts that feeds, searches and suggestions may have for the caller: visible ones, without those that private.limited_post_for leaves out. For definer functions.';

COMMENT ON VIEW "private"."staff_users" IS 'People as staff sees them, including banned and erased people.';

REVOKE ALL ON FUNCTION "api"."ban_person"(text, text, timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."ban_person"(text, text, timestamp with time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."ban_person"(text, text, timestamp with time zone) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."ban_person"(text, text, timestamp with time zone) TO "service_role";

REVOKE ALL ON FUNCTION "api"."limit_person"(text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."limit_person"(text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."limit_person"(text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."limit_person"(text, text) TO "service_role";

REVOKE ALL ON FUNCTION "api"."unlimit_person"(text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."unlimit_person"(text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."unlimit_person"(text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."unlimit_person"(text, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."change_account"(uuid, text, timestamp with time zone, timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."change_account"(uuid, text, timestamp with time zone, timestamp with time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."change_account"(uuid, text, timestamp with time zone, timestamp with time zone) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."change_account"(uuid, text, timestamp with time zone, timestamp with time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."check_not_banned"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_not_banned"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_not_banned"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."feed_scores"(uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."feed_scores"(uuid[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."feed_scores"(uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."job_end_suspensions"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."job_end_suspensions"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."job_end_suspensions"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."job_end_suspensions"() TO "worker";

REVOKE ALL ON FUNCTION "private"."limited_for"(uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."limited_for"(uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."limited_for"(uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."limited_post_for"(uuid, text, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."limited_post_for"(uuid, text, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."limited_post_for"(uuid, text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."list_limited"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."list_limited"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."list_limited"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_reason"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."require_reason"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."require_reason"(text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."require_reason"(text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."set_banned"(app.users, boolean, text, timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."set_banned"(app.users, boolean, text, timestamp with time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."set_banned"(app.users, boolean, text, timestamp with time zone) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."set_banned"(app.users, boolean, text, timestamp with time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."set_limited"(app.users, boolean, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."set_limited"(app.users, boolean, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."set_limited"(app.users, boolean, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."set_limited"(app.users, boolean, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."users_rules"(text, text, timestamp with time zone, text, text, text, text, text, text, timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."users_rules"(text, text, timestamp with time zone, text, text, text, text, text, text, timestamp with time zone) TO "anon", "authenticated", "gate";

REVOKE ALL ON FUNCTION "private"."users_rules"(text, text, timestamp with time zone, text, text, text, text, text, text, timestamp with time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."users_rules"(text, text, timestamp with time zone, text, text, text, text, text, text, timestamp with time zone) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."users_rules"(text, text, timestamp with time zone, text, text, text, text, text, text, timestamp with time zone) TO "service_role";

GRANT SELECT ON TABLE "app"."limited_people" TO "authenticated";

REVOKE ALL ON TABLE "app"."limited_people" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."limited_people" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."limited_people" TO "service_role";

ALTER TABLE "app"."users" ADD CONSTRAINT "users_rules" CHECK (private.users_rules(username, role, banned_at, first_name, last_name, country, city, about, profile_pic_url, banned_until));

insert into private.errors ("code", "status", "text")
values ('limit_admin', '409', 'An admin cannot be limited. Remove the role first.');

insert into private.errors ("code", "status", "text")
values ('limit_oneself', '400', 'You cannot limit yourself.');

insert into private.errors ("code", "status", "text")
values ('person_suspended', '403', 'This account is suspended for a limited time.');

insert into private.errors ("code", "status", "text")
values ('until_far', '422', 'until must be at most 366 days from now.');

insert into private.errors ("code", "status", "text")
values ('until_past', '422', 'until must be in the future.');

insert into private.jobs ("name", "cron", "expires", "repeats", "alarm")
values ('end-suspensions', '* * * * *', '60', 'true', null);

update private.realtime_topics set "events" = '`feed:public`: `post` {id} of a new public post, except of limited people'
where "prefix" = 'feed'
  and "events"::text = '`feed:public`: `post` {id} of a new public post';

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('app.limited_people', 'user_id', null, null, null, '{}', null, 'false', 'The profile has the time from which the person is limited.');

update private.search_types set "visible" = 'private.listed_contents'
where "type" = 'audio'
  and "visible"::text = 'private.visible_contents';

update private.search_types set "visible" = 'private.listed_contents'
where "type" = 'course'
  and "visible"::text = 'private.visible_contents';

update private.search_types set "visible" = 'private.listed_contents'
where "type" = 'debate'
  and "visible"::text = 'private.visible_contents';

update private.search_types set "visible" = 'private.listed_contents'
where "type" = 'event'
  and "visible"::text = 'private.visible_contents';

update private.search_types set "visible" = 'private.listed_contents'
where "type" = 'offering'
  and "visible"::text = 'private.visible_contents';

update private.search_types set "visible" = 'private.listed_people'
where "type" = 'person'
  and "visible"::text = 'private.visible_people';

update private.search_types set "visible" = 'private.listed_posts'
where "type" = 'post'
  and "visible"::text = 'private.visible_posts';

update private.search_types set "visible" = 'private.listed_contents'
where "type" = 'problem'
  and "visible"::text = 'private.visible_contents';

update private.search_types set "visible" = 'private.listed_contents'
where "type" = 'project'
  and "visible"::text = 'private.visible_contents';

update private.search_types set "visible" = 'private.listed_contents'
where "type" = 'video'
  and "visible"::text = 'private.visible_contents';
