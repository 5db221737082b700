-- By peer votes, people rate each other in an interest. The weight of a vote depends on the voter's own reputation in
-- that interest. docs/decisions.md, Reputation.

create table app.reputation_votes (
  id          uuid primary key default gen_random_uuid(),
  voter_id    uuid not null references app.users on delete restrict,
  user_id     uuid not null references app.users on delete restrict,
  interest_id uuid not null references app.interests on delete restrict,
  value       smallint not null check (value in (-1, 0, 1)),
  comment     text check (length(comment) between 1 and 280),
  impact      numeric(12, 2) not null,
  created_at  timestamptz not null default now(),
  updated_at  timestamptz not null default now(),
  constraint reputation_votes_voter_key unique (voter_id, user_id, interest_id),
  check (voter_id <> user_id)
);
create index reputation_votes_user_id_idx on app.reputation_votes (user_id, created_at desc, id desc)
  where value <> 0;
create index reputation_votes_interest_id_idx on app.reputation_votes (interest_id);
comment on table app.reputation_votes is
  'The votes, one row per voter, person and interest, which is changed in place. A vote with value 0 was taken '
  'back. The ledger has the effects of votes.';
comment on column app.reputation_votes.value is '1 for, -1 against, 0 taken back.';
comment on column app.reputation_votes.impact is
  'The weight times the value when the vote was last cast, which is the sum of the direct entries whose source is '
  'this vote.';
create trigger touch before update on app.reputation_votes
  for each row execute function private.touch();

insert into private.ledger_kinds (ledger, kind) values ('reputation', 'vote.received');

insert into private.event_types (name, payload, happens) values
  ('reputation.vote.cast', '{voteId,voterId,userId,interestId,value}',
   'a peer vote is cast, changed or taken back (value 0)');

-- votes have a limit, because each change of a vote adds entries to the ledger
insert into private.write_limits (kind, per_hour) values ('votes', 300);

insert into private.errors (code, status, text) values
  ('vote_value', 422, 'value must be -1, 0 or 1.'),
  ('vote_comment', 422, 'A comment can have at most 280 characters.'),
  ('vote_bot', 409, 'Bots have no reputation, so nobody can vote on them.'),
  ('vote_oneself', 400, 'You cannot vote for yourself.'),
  ('interest_not_held', 403, 'You must have chosen an interest to vote in it.');

create function private.vote_weight(p_reputation numeric) returns numeric
language plpgsql immutable
set search_path = ''
as $$
begin
  return case when p_reputation >= 5 then least(3, sqrt(p_reputation / 10)) else 0 end;
end $$;
comment on function private.vote_weight is
  'The weight of a vote by a voter with this reputation in the interest: 0 below 5, at most 3.';

create function private.cast_vote(
  p_user uuid, p_interest uuid, p_value integer, p_comment text, out vote app.reputation_votes, out weight numeric
) returns record
language plpgsql volatile security definer   -- callers may not write the ledger
set search_path = ''
as $$
declare
  v_before app.reputation_votes;
begin
  -- as in private.check_author, banned and erased people can't vote, not even while the ban is in progress
  perform private.check_lock_order('person', private.require_caller()::text);
  perform from app.users u
  where u.id = private.require_caller() and u.banned_at is null and u.erased_at is null for share;
  if not found then
    perform private.raise_error('token_revoked');
  end if;
  -- lock before reading, so that two concurrent votes of one voter see each other
  perform private.lock_effects(p_user, app.uid());
  select * into v_before from app.reputation_votes v
  where v.voter_id = app.uid() and v.user_id = p_user and v.interest_id = p_interest;
  weight := private.vote_weight(private.reputation_value(app.uid(), p_interest));

  insert into app.reputation_votes as v (voter_id, user_id, interest_id, value, comment, impact)
  values (app.uid(), p_user, p_interest, p_value, p_comment, round(weight * p_value, 2))
  on conflict (voter_id, user_id, interest_id) do update
    set value = excluded.value, comment = excluded.comment, impact = excluded.impact
  returning v.* into vote;
  perform private.add_reputation(p_user, p_interest, 'vote.received', vote.impact, vote.id, app.uid(),
                                    coalesce(v_before.impact, 0));
  if vote.value <> coalesce(v_before.value, 0) then
    perform private.emit('reputation.vote.cast', json_build_object(
      'voteId', vote.id, 'voterId', app.uid(), 'userId', p_user, 'interestId', p_interest, 'value', vote.value),
      array[p_user]);
  end if;
end $$;
comment on function private.cast_vote is
  'Casts or changes the caller''s vote and adds the difference from its previous points to the ledger. '
  'api.vote_reputation checks whether the caller may vote.';

insert into private.operations_of_people (operation) values ('vote_reputation');

create function api.vote_reputation(p_user_id text, p_interest_id uuid, p_value integer, p_comment text default null)
returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_comment text := nullif(private.require_text(p_comment), '');
  v_user    uuid;
  v_cast    record;
begin
  if p_value is null or p_value not in (-1, 0, 1) then
    perform private.raise_error('vote_value');
  elsif length(v_comment) > 280 then
    perform private.raise_error('vote_comment');
  end if;
  v_user := private.require_person(p_user_id);
  if v_user = private.require_caller() then
    perform private.raise_error('vote_oneself');
  elsif private.is_bot(v_user) then
    perform private.raise_error('vote_bot');
  end if;
  perform private.require_interest(p_interest_id);
  if not exists (select from app.user_interests u where u.user_id = app.uid() and u.interest_id = p_interest_id) then
    perform private.raise_error('interest_not_held');
  end if;

  perform private.count_writes('votes');
  v_cast := private.cast_vote(v_user, p_interest_id, p_value, case when p_value <> 0 then v_comment end);
  return json_build_object(
    'userId', (select actor_id from app.person_card where id = v_user),
    'interestId', (v_cast.vote).interest_id,
    'value', (v_cast.vote).value,
    'comment', (v_cast.vote).comment,
    'weight', v_cast.weight,
    'impact', (v_cast.vote).impact,
    'createdAt', private.utc((v_cast.vote).created_at),
    'updatedAt', private.utc((v_cast.vote).updated_at));
end $$;
comment on function api.vote_reputation is
  'Sets the caller''s vote on a person in an interest that the caller has chosen. The value 0 takes back the vote '
  'and its comment. Returns {userId, interestId, value, comment, weight, impact, createdAt, updatedAt}.';

create view app.reputation_vote_card with (security_invoker) as
select v.id,
       json_build_object(
         'id', v.id,
         'voterId', voter.actor_id,
         'voter', voter.card,
         'interestId', i.id,
         'slug', i.slug,
         'value', v.value,
         'comment', v.comment,
         'impact', v.impact,
         'createdAt', private.utc(v.created_at)) as card
from app.reputation_votes v
join app.person_card voter on voter.id = v.voter_id
join app.interests i on i.id = v.interest_id;
comment on view app.reputation_vote_card is
  'A vote as its receiver sees it: {id, voterId, voter, interestId, slug, value, comment, impact, createdAt}. The '
  'view leaves out votes of hidden voters.';

create function private.find_vote_time(p_vote uuid) returns timestamptz
language plpgsql stable security definer   -- a cursor remains valid if its vote is taken back or its voter is hidden
set search_path = ''
as $$
begin
  return (select created_at from app.reputation_votes where id = p_vote and user_id = app.uid());
end $$;
comment on function private.find_vote_time is
  'The time of the vote in a cursor, if the vote is for the caller, even if they can no longer see it.';

create function private.find_votes(p_from app.place) returns app.found
language plpgsql stable security definer   -- a policy could make the query scan any number of hidden voters
set search_path = ''
as $$
declare
  v_me     uuid := app.uid();
  v_from   timestamptz := p_from.at;
  v_before uuid := p_from.id;
  v_found  app.found;
begin
  with looked as materialized (
    select v.created_at as at, v.id, v.voter_id
    from app.reputation_votes v
    where v.user_id = v_me and v.value <> 0 and (v.created_at, v.id) < (v_from, v_before)
    order by v.created_at desc, v.id desc limit 400
  ), seen as materialized (
    select array(select l.id from looked l join private.visible_people p on p.id = l.voter_id
                 order by l.at desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor('received votes', l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $$;
comment on function private.find_votes is
  'The next votes for the caller by people that the caller can see, among the next 400 votes that were not taken '
  'back.';
call private.force_index_scans('private.find_votes');

create function api.list_received_votes(p_limit integer default 20, p_cursor text default null) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_from  app.place := ('infinity', private.require_caller())::app.place;   -- no row has this time, so any id works
  v_found app.found;
begin
  if p_cursor is not null then
    v_from := private.require_place('received votes', p_cursor);
    v_from.at := coalesce(v_from.at, private.find_vote_time(v_from.id));
    if v_from.at is null then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  v_found := private.find_votes(v_from);
  return private.page((select json_agg(c.card order by p.place)
                       from unnest(v_found.ids[:p_limit]) with ordinality as p (id, place)
                       join app.reputation_vote_card c on c.id = p.id), v_found.ids::text[], p_limit, v_found.next);
end $$;
comment on function api.list_received_votes is
  'The votes for the caller that were not taken back, newest first by the time when each was first cast, without '
  'votes of people that the caller can''t see.';
call private.force_index_scans('api.list_received_votes');

insert into private.links (type, path) values ('vote', '/reputation');
