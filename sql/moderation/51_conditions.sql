-- The kinds of conditions of rules.
-- docs/decisions.md, Staff; docs/extending.md.

create function private.is_by_new_account(p_thing private.judged, p_parameters jsonb) returns boolean
language plpgsql stable security definer   -- callers may not read other people's accounts
set search_path = ''
as $$
begin
  return (select p_thing.at - u.created_at < (p_parameters ->> 'hours')::integer * interval '1 hour'
          from app.users u where u.id = p_thing.author_id);
end $$;
comment on function private.is_by_new_account is
  'Condition: the author''s account was younger than this number of hours.';

create function private.has_link(p_thing private.judged, p_parameters jsonb) returns boolean
language plpgsql stable
set search_path = ''
as $$ begin return array_to_string(p_thing.texts, ' ') ~* '(https?://|\mwww\.)\S'; end $$;
comment on function private.has_link is
  'Condition: a text has a link, which begins with http://, https:// or www., also in Markdown.';

create function private.has_words(p_thing private.judged, p_parameters jsonb) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return p_thing.words @@ (p_parameters ->> 'words')::tsquery is true
      or (p_parameters ->> 'pattern' is not null
          and coalesce(p_thing.words @@ (p_parameters ->> 'hint')::tsquery, true)
          and private.has_phrase(p_thing.texts, p_parameters ->> 'pattern'));
end $$;
comment on function private.has_words is
  'Condition: a text has one of these words or phrases, which are compared in the same way as muted keywords '
  '(private.muted_words).';

create function private.has_media(p_thing private.judged, p_parameters jsonb) returns boolean
language plpgsql stable security definer   -- callers may not read other people's assets
set search_path = ''
as $$
begin
  return coalesce(cardinality(p_thing.media), 0) > 0 and exists (
    select from private.hashed_media(p_thing.media) m where p_parameters -> 'hashes' ? m.sha256);
end $$;
comment on function private.has_media is
  'Condition: one of the media of the thing, or the poster of one of them, is a file with one of these hashes. A '
  'file without a hash and a file at another host never fit.';

create function private.is_too_frequent(p_thing private.judged, p_parameters jsonb) returns boolean
language plpgsql stable security definer   -- counts what the author published, whoever may see it
set search_path = ''
as $$
declare
  v_since timestamptz := p_thing.at - (p_parameters ->> 'minutes')::integer * interval '1 minute';
  v_most  integer := (p_parameters ->> 'moreThan')::integer;
begin
  return (
    select count(*) > v_most
    from (
      (select 1 from app.posts p
       where p.author_id = p_thing.author_id and p.published_at > v_since and p.published_at <= p_thing.at
         and p.imported_at is null
       order by p.published_at desc, p.id desc limit v_most + 1)
      union all
      (select 1 from app.replies r
       where r.author_id = p_thing.author_id and r.created_at > v_since and r.created_at <= p_thing.at
       order by r.created_at desc, r.id desc limit v_most + 1)
    ) w);
end $$;
comment on function private.is_too_frequent is
  'Condition: including this thing, its author had published more than `count` posts and replies within `minutes` '
  'minutes.';
call private.force_index_scans('private.is_too_frequent');

create function private.is_near_ban(p_thing private.judged, p_parameters jsonb) returns boolean
language plpgsql stable security definer   -- callers may not read the invite tree, or who is banned
set search_path = ''
as $$
declare
  v_reached uuid[] := array[p_thing.author_id];
  v_last    uuid[] := v_reached;
begin
  for v_step in 1 .. (p_parameters ->> 'steps')::integer loop
    v_last := array(
      select n.id
      from (select t.inviter_id as id from unnest(v_last) l (id) join app.invite_tree t on t.invitee_id = l.id
            union
            select i.invitee_id
            from unnest(v_last) l (id)
            cross join lateral (
              select t.invitee_id from app.invite_tree t
              where t.inviter_id = l.id and t.created_at <= p_thing.at
              order by t.created_at desc, t.code_id desc limit 20) i) n
      where n.id <> all (v_reached)
      order by n.id limit 200);
    if exists (select from app.users u where u.id = any (v_last) and u.banned_at <= p_thing.at) then
      return true;
    end if;
    v_reached := v_reached || v_last;
  end loop;
  return false;
end $$;
comment on function private.is_near_ban is
  'Condition: somebody within this number of steps from the author in the invite tree was banned or suspended at '
  'the time, and still is. It reads the last 20 invitees of each person, and up to 200 people at each step.';

create function private.is_reported_by_trusted(p_thing private.judged, p_parameters jsonb) returns boolean
language plpgsql stable security definer   -- callers may not read other people's reports
set search_path = ''
as $$
begin
  return exists (
    with trusted as materialized (
      select r.*
      from (select o.reporter_id, o.created_at, o.reviewed_at from app.reports o
            where o.target_type = p_thing.type and o.target_id = p_thing.id
            order by o.created_at desc, o.id desc limit 50) r
      where private.is_trusted_reporter(r.reporter_id, r.created_at, (p_parameters ->> 'reputation')::integer))
    select from trusted moment
    where (p_parameters ->> 'people')::integer <= (
      select count(distinct o.reporter_id) from trusted o
      where o.created_at <= moment.created_at
        and (o.reviewed_at is null or o.reviewed_at > moment.created_at)));
end $$;
comment on function private.is_reported_by_trusted is
  'Condition: at some time, reports of the thing by at least `people` trusted people were open. It reads the last '
  '50 reports of the thing. A reporter must have been trusted at the time of the report.';
call private.force_index_scans('private.is_reported_by_trusted');

create function private.is_trusted_reporter(p_person uuid, p_at timestamptz, p_reputation integer) returns boolean
language plpgsql stable security definer   -- callers may not read other people's reports
set search_path = ''
as $$
begin
  return (
    select count(*) >= 3 and count(*) filter (where s.status = 'reviewed') * 2 > count(*)
    from (select r.status from app.reports r
          where r.reporter_id = p_person and r.reviewed_at <= p_at
          order by r.reviewed_at desc, r.id desc limit 100) s)
    or (p_reputation is not null and coalesce(private.total_reputation(p_person), 0) >= p_reputation);
end $$;
comment on function private.is_trusted_reporter is
  'Returns whether the person is a trusted reporter. By that time staff must have settled at least three of their '
  'reports, and dismissed fewer than half of the last 100 settled ones. People who have this much reputation now are '
  'trusted, too.';
call private.force_index_scans('private.is_trusted_reporter');

insert into private.rule_conditions (kind, position, shape, judge, moment) values
  ('new-account', 100, '{"hours": [1, 8760]}', 'private.is_by_new_account', 'creation'),
  ('words', 200, '{"words": "keywords"}', 'private.has_words', 'creation'),
  ('link', 300, '{}', 'private.has_link', 'creation'),
  ('media', 350, '{"hashes": "hashes"}', 'private.has_media', 'creation'),
  ('rate', 400, '{"moreThan": [1, 500], "minutes": [1, 1440]}', 'private.is_too_frequent', 'creation'),
  ('near-ban', 500, '{"steps": [1, 3]}', 'private.is_near_ban', 'creation'),
  ('reports', 600, '{"people": [1, 20], "reputation?": [1, 1000000]}', 'private.is_reported_by_trusted', 'report');
