-- Lists of spaces, of their members, and of their pending requests and invitations. docs/decisions.md, Lists; Spaces.

create function private.space_heads(p_ids uuid[])
returns table (place bigint, space app.spaces, members integer, viewer json)
language plpgsql stable security definer   -- counts members whom callers may not read
set search_path = ''
as $$
declare
  v_me     uuid := app.uid();
  v_hidden uuid[] := array(select author_id from app.audience where viewer_id = v_me and level < 0 limit 1001);
begin
  return query
  select i.place, s as space,
         s.member_count
         - (select count(*) from app.space_members m where m.space_id = s.id and m.hidden)::integer
         - case when cardinality(v_hidden) <= 1000
                then (select count(*) from unnest(v_hidden) h (id)
                      join app.space_members m on m.space_id = s.id and m.user_id = h.id and not m.hidden)
                else (select count(*) from app.space_members m
                      where m.space_id = s.id and not m.hidden
                        -- use no join, which could start with the people whom the caller can't see
                        and (select a.level from app.audience a
                             where a.viewer_id = v_me and a.author_id = m.user_id) < 0) end::integer,
         json_build_object(
           'role', private.role_name(s.kind, m.role),
           'status', case when m.role is not null then 'member'
                          when b.space_id is not null then 'banned'
                          when private.is_let_in(s.id, v_me) then 'invited'
                          when r.id is not null then 'pending'
                          else 'none' end,
           'requestId', r.id)
  from unnest(p_ids) with ordinality as i (id, place)
  join app.spaces s on s.id = i.id and (s.visibility = 'public' or private.is_let_in(s.id, v_me))
  left join app.space_members m on m.space_id = s.id and m.user_id = v_me
  left join app.space_bans b on b.space_id = s.id and b.user_id = v_me
  left join app.space_requests r on r.space_id = s.id and r.user_id = v_me and r.status = 'pending';
end $$;
comment on function private.space_heads is
  'The spaces among these that the caller can see, each with the number of members whom the caller can see, and with '
  'the caller''s state in the space: {role, status none | pending | invited | member | banned, requestId}.';
call private.force_index_scans('private.space_heads');

create function private.find_spaces(
  p_kind text, p_mine boolean, p_words text[], p_interests uuid[], p_policy text, p_from app.place
) returns app.found
language plpgsql stable security definer   -- a policy could make the query scan any number of hidden spaces
set search_path = ''
as $$
declare
  v_me     uuid := app.uid();
  v_from   timestamptz := p_from.at;   -- plain variables, so that the planner can use the index
  v_before uuid := p_from.id;
  v_found  app.found;
begin
  with looked as materialized (
    select w.at, w.id from (
      (select created_at as at, id from app.spaces
       where not p_mine and kind = p_kind and visibility = 'public' and (created_at, id) < (v_from, v_before)
       order by created_at desc, id desc limit 400)
      union
      (select made_at, space_id from app.space_members
       where user_id = v_me and (made_at, space_id) < (v_from, v_before)
       order by made_at desc, space_id desc limit 400)) w
    order by w.at desc, w.id desc limit 400
  ), seen as materialized (
    select array(
      select l.id from looked l
      cross join lateral (select * from app.spaces where id = l.id offset 0) s   -- look up by id, not by kind
      where s.kind = p_kind
        and (p_words is null or p_words <@ tsvector_to_array(s.words))
        and (p_interests is null or s.interest_id = any (p_interests))
        and (p_policy is null or s.join_policy = p_policy)
      order by l.at desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor(case when p_mine then 'my spaces' else 'spaces' end, l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $$;
comment on function private.find_spaces is
  'The next spaces of a kind, among the next 400: public spaces and those of the caller, or only those of the '
  'caller. Filters: these words, these interests, this join policy.';
call private.force_index_scans('private.find_spaces');

create function private.list_spaces(
  p_kind text, p_mine boolean, p_q text, p_interest uuid, p_policy text, p_cursor text
) returns app.found
language plpgsql stable security definer   -- reads the place of a space, even of one that the caller can't see
set search_path = ''
as $$
declare
  v_from  app.place := ('infinity', private.require_caller())::app.place;   -- no row has this time, so any id works
  v_words text[];
begin
  if p_cursor is not null then
    v_from := private.require_place(case when p_mine then 'my spaces' else 'spaces' end, p_cursor);
    v_from.at := coalesce(v_from.at, (private.find_space(p_kind, v_from.id::text)).created_at);
    if v_from.at is null then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  if p_q is not null then
    v_words := tsvector_to_array(private.keyword_words(private.keyword_text(array[p_q])));
    if v_words = '{}' then
      return ('{}', null)::app.found;   -- a query without words finds nothing
    end if;
  end if;
  return private.find_spaces(p_kind, coalesce(p_mine, false), v_words, private.interest_subtree(p_interest), p_policy,
                             v_from);
end $$;
comment on function private.list_spaces is 'Does the same as private.find_spaces, beginning at a cursor.';

create function private.find_members(p_space uuid, p_q text, p_cursor text) returns app.found
language plpgsql stable security definer   -- a policy could make the query scan any number of hidden people
set search_path = ''
as $$
declare
  v_list  text := 'members ' || p_space;
  v_place app.place := private.page_start(v_list, p_cursor, true);
  v_from  timestamptz := v_place.at;
  v_after uuid := v_place.id;
  v_q     text := private.fold_query(p_q);
  v_found app.found;
begin
  with looked as materialized (
    select placed_at as at, user_id as id from app.space_members
    where space_id = p_space and (placed_at, user_id) > (v_from, v_after)
    order by placed_at, user_id limit 400
  ), seen as materialized (
    select array(
      select l.id from looked l join private.visible_people v on v.id = l.id join app.users u on u.id = l.id
      where v_q is null or strpos(private.fold(concat_ws(' ', u.username, u.first_name, u.last_name)), v_q) > 0
      order by l.at, l.id limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor(v_list, l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $$;
comment on function private.find_members is
  'The next members of a space whom the caller can see, among the next 400, optionally with these letters in their '
  'names.';
call private.force_index_scans('private.find_members');

create function private.list_space_members(p_kind text, p_id text, p_q text, p_limit integer, p_cursor text)
returns json
language plpgsql stable security definer   -- members see each other
set search_path = ''
as $$
declare
  v_space uuid := (private.require_space(p_kind, p_id)).id;
  v_found app.found := private.find_members(v_space, p_q, p_cursor);
begin
  return private.page(
    private.member_cards(v_space, v_found.ids[:p_limit]),
    array(select private.place_cursor('members ' || v_space, m.placed_at, m.user_id)
          from unnest(v_found.ids) with ordinality as i (id, place)
          join app.space_members m on m.space_id = v_space and m.user_id = i.id order by i.place),
    p_limit, v_found.next);
end $$;
comment on function private.list_space_members is
  'The members of a space: the owner, then moderators, then others, each by the time of joining.';

create function private.list_space_bans(p_kind text, p_id text, p_limit integer, p_cursor text) returns json
language plpgsql stable security definer   -- only the owner and moderators may see bans
set search_path = ''
as $$
declare
  v_space  uuid := (private.require_space(p_kind, p_id)).id;
  v_list   text := 'banned ' || v_space;
  v_place  app.place;
  v_from   timestamptz;
  v_before uuid;
  v_users  uuid[];
  v_times  timestamptz[];
  v_next   text;
begin
  perform private.require_space_role(v_space, 'owner', 'moderator');
  v_place := private.page_start(v_list, p_cursor);
  v_from := v_place.at;
  v_before := v_place.id;
  with looked as materialized (
    select created_at as at, user_id as id from app.space_bans
    where space_id = v_space and (created_at, user_id) < (v_from, v_before)
    order by created_at desc, user_id desc limit 400
  ), seen as materialized (
    select l.at, l.id from looked l join private.visible_people v on v.id = l.id
    order by l.at desc, l.id desc limit 51
  )
  select array(select id from seen order by at desc, id desc), array(select at from seen order by at desc, id desc),
         (select private.place_cursor(v_list, l.at, l.id) from (select * from looked offset 399 limit 1) l)
  into v_users, v_times, v_next;
  return private.page(
    (select json_agg(json_build_object('userId', p.actor_id, 'user', p.card, 'createdAt', private.utc(b.at))
                     order by b.place)
     from unnest(v_users[:p_limit], v_times[:p_limit]) with ordinality as b (id, at, place)
     join app.person_card p on p.id = b.id),
    array(select private.place_cursor(v_list, b.at, b.id)
          from unnest(v_users, v_times) with ordinality as b (id, at, place) order by b.place),
    p_limit, case when cardinality(v_users) < 51 then v_next end);
end $$;
comment on function private.list_space_bans is
  'The people who are banned from a space, latest first, for the owner and moderators: {userId, user, createdAt}.';
call private.force_index_scans('private.list_space_bans');

create function private.find_pending(p_kind text, p_space uuid, p_requests boolean, p_cursor text) returns app.found
language plpgsql stable security definer   -- a policy could make the query scan any number of hidden people
set search_path = ''
as $$
declare
  v_me     uuid := private.require_caller();
  v_list   text := concat_ws(' ', case when p_requests then 'requests' else 'invitations' end, p_space);
  v_place  app.place := private.require_place(v_list, p_cursor);
  v_from   timestamptz := v_place.at;
  v_before uuid := v_place.id;
  v_found  app.found;
begin
  if p_cursor is null then
    v_from := 'infinity';
    v_before := v_me;   -- no row has this time, so any id works
  elsif v_from is null and p_requests then
    select created_at, id into v_from, v_before from app.space_requests where id = v_place.id and space_id = p_space;
  elsif v_from is null then
    select created_at, id into v_from, v_before from app.space_invitations
    where id = v_place.id and case when p_space is null then invitee_id = v_me else space_id = p_space end;
  end if;
  if v_from is null then
    perform private.raise_error('cursor_unknown');
  end if;
  -- exactly one of these three branches applies
  with looked as materialized (
    select * from (
      (select created_at as at, id, user_id as other, user_id as another from app.space_requests
       where p_requests and space_id = p_space and status = 'pending' and (created_at, id) < (v_from, v_before)
       order by created_at desc, id desc limit 400)
      union all
      (select created_at, id, invitee_id, inviter_id from app.space_invitations
       where not p_requests and p_space is not null and space_id = p_space and status = 'pending'
         and (created_at, id) < (v_from, v_before)
       order by created_at desc, id desc limit 400)
      union all
      (select created_at, id, inviter_id, inviter_id from app.space_invitations
       where not p_requests and p_space is null and invitee_id = v_me and status = 'pending'
         and (created_at, id) < (v_from, v_before)
       order by created_at desc, id desc limit 400)) w
  ), seen as materialized (
    select array(select l.id from looked l
                 join private.visible_people o on o.id = l.other join private.visible_people a on a.id = l.another
                 where p_requests
                    or (select private.may_invite(s.id, i.inviter_id) and s.kind = p_kind
                        from app.space_invitations i join app.spaces s on s.id = i.space_id
                        where i.id = l.id)
                 order by l.at desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor(v_list, l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $$;
comment on function private.find_pending is
  'The next pending requests or invitations of a space, among the next 400; without a space, the invitations of the '
  'caller. It leaves out hidden people, and inviters who may no longer invite.';
call private.force_index_scans('private.find_pending');

create function private.list_pending(
  p_kind text, p_id text, p_requests boolean, p_limit integer, p_cursor text
) returns json
language plpgsql stable security definer   -- only the owner and moderators may see them
set search_path = ''
as $$
declare
  v_space uuid := (private.require_space(p_kind, p_id)).id;
  v_found app.found;
begin
  perform private.require_space_role(v_space, 'owner', 'moderator');
  v_found := private.find_pending(p_kind, v_space, p_requests, p_cursor);
  return private.page(
    case when p_requests then private.request_cards(v_found.ids[:p_limit])
         else private.space_invitation_cards(v_found.ids[:p_limit]) end,
    v_found.ids::text[], p_limit, v_found.next);
end $$;
comment on function private.list_pending is
  'The pending requests or invitations of a space, latest first, for the owner and moderators.';
