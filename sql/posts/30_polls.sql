-- A poll is a question on a post with 2 to 6 answers. Each person has one vote and may change it until the poll
-- closes. docs/decisions.md, Posts.

create table app.polls (
  id                uuid primary key default gen_random_uuid(),
  post_id           uuid not null unique references app.posts on delete cascade,
  author_id         uuid not null references app.users on delete restrict,
  closes_at         timestamptz,
  close_again_at    timestamptz,
  closed_emitted_at timestamptz
);
create index polls_due_idx on app.polls (greatest(closes_at, close_again_at))
  where closes_at is not null and closed_emitted_at is null;
create index polls_author_id_idx on app.polls (author_id, greatest(closes_at, close_again_at))
  where closes_at is not null and closed_emitted_at is null;
comment on table app.polls is 'The poll of a post. It accepts votes until closes_at, or forever if closes_at is null.';
comment on column app.polls.closes_at is 'The time after which the poll accepts no votes; null if it never closes.';
comment on column app.polls.author_id is 'The author of the post. Jobs use the column to alternate between authors.';
comment on column app.polls.close_again_at is
  'When the job tries again to close the poll, after closing failed, or while the poll yields to polls of other '
  'authors. Until then other polls come first.';
comment on column app.polls.closed_emitted_at is
  'When the author and the voters were notified of the end of the poll, which happens only once.';

create table app.poll_options (
  id       uuid primary key default gen_random_uuid(),
  poll_id  uuid not null references app.polls on delete cascade,
  position smallint not null check (position between 1 and 6),
  text     text not null,
  votes    integer not null default 0 check (votes >= 0),
  unique (poll_id, position),
  unique (poll_id, id)
);
comment on table app.poll_options is
  'The options of a poll, in order, with their numbers of votes, which a trigger maintains.';

create table app.poll_votes (
  poll_id    uuid not null references app.polls on delete cascade,
  user_id    uuid not null references app.users on delete cascade,
  option_id  uuid not null,
  created_at timestamptz not null default now(),
  primary key (poll_id, user_id),
  foreign key (poll_id, option_id) references app.poll_options (poll_id, id) on delete cascade
);
create index poll_votes_option_id_idx on app.poll_votes (poll_id, option_id);
create index poll_votes_user_id_idx on app.poll_votes (user_id, poll_id);
comment on table app.poll_votes is 'The votes of people, one per person and poll. Others see only the totals.';

insert into private.event_types (name, payload, happens) values
  ('posts.poll.closed', '{postId,pollId}',
   'the time of a poll has ended');
insert into private.outbound_events (event, subject_type, subject_field, fields, people) values
  ('posts.poll.closed', 'post', 'postId', '{postId,pollId}', '{}');

insert into private.errors (code, status, text) values
  ('poll_options', 422, 'A poll must have 2 to 6 options of 1 to 200 characters each.'),
  ('poll_closes_at', 422, 'closesAt must be in the future, after the publication of the post, and before 9999-12-31.'),
  ('poll_unknown', 404, 'This post has no poll.'),
  ('option_unknown', 404, 'This poll has no such option.'),
  ('poll_closed', 422, 'This poll is closed.');

insert into private.lock_kinds (kind, position) values ('poll', 515);

create function private.count_votes() returns trigger
language plpgsql security definer   -- only this trigger may write tallies
set search_path = ''
as $$
begin
  -- sort the options, because a changed vote and an erasure lock several of them: ARCHITECTURE.md, Locks
  perform from app.poll_options where id in (old.option_id, new.option_id) order by id for no key update;
  update app.poll_options set votes = votes + case id when new.option_id then 1 else -1 end
  where id in (old.option_id, new.option_id);
  return null;
end $$;
comment on function private.count_votes is 'Trigger: counts the votes for each option of a poll.';
create trigger count_votes after insert or delete on app.poll_votes
  for each row execute function private.count_votes();
create trigger count_moved_votes after update on app.poll_votes
  for each row when (new.option_id <> old.option_id) execute function private.count_votes();

create function private.check_poll_time() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if exists (select from app.polls l where l.post_id = new.id and l.closes_at <= new.publish_at) then
    perform private.raise_error('poll_closes_at');
  end if;
  return null;
end $$;
comment on function private.check_poll_time is
  'Trigger: rejects a publication time of a scheduled post that is not before its poll closes.';
create trigger _130_check_poll_time after update of publish_at on app.posts
  for each row when (new.publish_at > old.publish_at) execute function private.check_poll_time();

create view app.poll_card with (security_invoker) as
select l.post_id,
       json_build_object(
         'id', l.id,
         'options', o.options,
         'totalVotes', o.total,
         'closesAt', private.utc(l.closes_at),
         'closed', coalesce(l.closes_at <= now(), false),
         'myOptionId', (select v.option_id from app.poll_votes v
                        where v.poll_id = l.id and v.user_id = (select app.uid()))) as card
from app.polls l
cross join lateral (
  select json_agg(json_build_object('id', po.id, 'text', po.text, 'votes', po.votes) order by po.position) as options,
         sum(po.votes) as total
  from app.poll_options po where po.poll_id = l.id) o;
comment on view app.poll_card is
  'A poll as its viewer sees it: {id, options [{id, text, votes}], totalVotes, closesAt, closed, myOptionId}.';

create function private.require_poll_card(p_post uuid) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  -- the post may have been hidden from the caller in the meantime
  return private.require_card('post_unknown', (select card from app.poll_card where post_id = p_post));
end $$;
comment on function private.require_poll_card is 'The card of a post''s poll.';

create function private.add_poll(p_post uuid, p_poll jsonb, p_publish_at timestamptz default null) returns void
language plpgsql volatile security definer   -- no policy allows adding a poll, because others may have read the post
set search_path = ''
as $$
declare
  v_texts     text[];
  v_closes_at timestamptz;
  v_poll      uuid;
begin
  perform from app.posts
  where id = p_post and author_id = private.require_caller() and created_at = now() and format <> 'repost';
  if not found then
    perform private.raise_error('post_unknown');
  end if;

  if jsonb_typeof(p_poll -> 'options') is distinct from 'array' then
    perform private.raise_error('poll_options');
  end if;
  v_texts := array(select private.require_name(o.text)
                   from jsonb_array_elements_text(p_poll -> 'options') with ordinality as o (text, place)
                   where o.place <= 6 order by o.place);
  if cardinality(v_texts) < 2
     or exists (select from unnest(v_texts) t where coalesce(length(t), 0) not between 1 and 200) then
    perform private.raise_error('poll_options');
  end if;

  if pg_input_is_valid(p_poll ->> 'closesAt', 'timestamptz') then
    v_closes_at := p_poll ->> 'closesAt';
  end if;
  if p_poll ->> 'closesAt' is not null
     and (private.is_ahead(v_closes_at) and v_closes_at > greatest(now(), p_publish_at)) is not true then
    perform private.raise_error('poll_closes_at');
  end if;

  insert into app.polls (post_id, author_id, closes_at)
  select id, author_id, v_closes_at from app.posts where id = p_post returning id into v_poll;
  insert into app.poll_options (poll_id, position, text)
  select v_poll, o.place, o.text from unnest(v_texts) with ordinality as o (text, place);
end $$;
comment on function private.add_poll is
  'Adds the poll {options, closesAt?} to a post that the caller publishes in this transaction. Options after the '
  'sixth are dropped.';

create function private.lock_running_poll(p_post uuid) returns app.polls
language plpgsql volatile   -- locks the row; runs as the invoker: rows that policies hide count as unknown
set search_path = ''
as $$
declare
  v_poll app.polls;
begin
  select * into v_poll from app.polls where post_id = p_post;
  perform private.require_published_post(p_post);
  if v_poll.id is null then
    perform private.raise_error('poll_unknown');
  end if;
  -- the end of a poll waits for votes in progress, so that these voters are also notified; don't lock a closed poll
  perform private.lock('poll', v_poll.id::text)
  where v_poll.closes_at is null or v_poll.closes_at > clock_timestamp();
  if v_poll.closes_at <= clock_timestamp() then   -- the poll may have closed during the wait
    perform private.raise_error('poll_closed');
  end if;
  return v_poll;
end $$;
comment on function private.lock_running_poll is
  'Returns the poll of a published post if the caller may see it and it accepts votes. Until the transaction ends, '
  'nobody else can vote in it.';

insert into private.operations_of_people (operation) values ('vote_poll');

create function api.vote_poll(p_id uuid, p_option_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_post uuid := (private.require_original(p_id)).id;
  v_poll app.polls;
begin
  perform private.lock_open_post_space(v_post);
  v_poll := private.lock_running_poll(v_post);
  insert into app.poll_votes (poll_id, user_id, option_id)
  select o.poll_id, private.require_caller(), o.id
  from app.poll_options o where o.id = p_option_id and o.poll_id = v_poll.id
  on conflict (poll_id, user_id) do update set option_id = excluded.option_id;
  if not found then
    perform private.require_post(v_post);   -- somebody may have made a block since the check above
    perform private.raise_error('option_unknown');
  end if;
  return private.require_poll_card(v_post);
end $$;
comment on function api.vote_poll is
  'Votes in the poll of a post (of the original of a repost), or changes the caller''s vote. Returns the poll.';

create function private.withdraw_vote(p_post uuid) returns boolean
language plpgsql volatile security definer   -- people can take a vote back even if they no longer see the poll
set search_path = ''
as $$
declare
  v_poll app.polls;
begin
  select l.* into v_poll
  from app.polls l join app.poll_votes v on v.poll_id = l.id
  where l.post_id = p_post and v.user_id = private.require_caller();
  if not found or v_poll.closes_at <= clock_timestamp() then
    return false;
  end if;
  perform private.lock('poll', v_poll.id::text);   -- see private.lock_running_poll
  delete from app.poll_votes
  where poll_id = v_poll.id and user_id = private.require_caller()
    and (v_poll.closes_at is null or v_poll.closes_at > clock_timestamp());
  return found;
end $$;
comment on function private.withdraw_vote is
  'Takes the caller''s vote back from a poll that is not closed, even if they can no longer see its post. Returns '
  'false if there was no vote.';

create function api.unvote_poll(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_post uuid := private.withdrawal_target(p_id);
begin
  if not private.withdraw_vote(v_post) then
    perform private.lock_running_poll(v_post);   -- this fails if the caller could not vote
  elsif not exists (select from app.posts where id = v_post) then
    return private.error_response('post_unknown');   -- the vote is taken back, but nothing of the poll is shown
  end if;
  return private.require_poll_card(v_post);
end $$;
comment on function api.unvote_poll is
  'Takes the caller''s vote back; repeating it changes nothing. It also works on the poll of a post that the caller '
  'can no longer see, but then the answer is post_unknown. Returns the poll.';

create function private.job_close_polls() returns integer
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
declare
  v_poll app.polls;
begin
  -- Close one poll per transaction, regardless of the number of votes. Don't lock for update, because a vote in
  -- progress would wait for that lock while this job waits for the vote.
  select * into v_poll from app.polls
  where closes_at is not null and closed_emitted_at is null and greatest(closes_at, close_again_at) <= now()
  order by greatest(closes_at, close_again_at) limit 1
  for no key update skip locked;
  if not found then
    return 0;
  end if;
  perform private.lock('poll', v_poll.id::text);
  begin
    update app.polls set closed_emitted_at = now() where id = v_poll.id;
    perform private.emit('posts.poll.closed', json_build_object('postId', v_poll.post_id, 'pollId', v_poll.id));
  exception when others or query_canceled then   -- "others" does not include a timeout
    raise warning 'the end of the poll % could not be announced: % %', v_poll.id, sqlstate, sqlerrm;
    update app.polls set close_again_at = clock_timestamp() + interval '5 seconds' where id = v_poll.id;
    return -1;
  end;
  -- call this last, because it locks other polls
  perform private.yield_turn('app.polls', 'author_id', v_poll.author_id,
                           'closes_at is not null and closed_emitted_at is null',
                           'greatest(closes_at, close_again_at)', 'close_again_at');
  return 1;
end $$;
comment on function private.job_close_polls is
  'Job: notifies the author and the voters of the poll that has been closed the longest, and returns 1. Of the '
  'author''s other due polls, 100 keep their turn, and the 500 after them yield to polls of others. If notifying '
  'fails, the job puts the poll behind the others and returns -1. A later run tries it again, after 5 seconds at the '
  'earliest. May run twice: it takes only due polls, each once, and skips locked ones. The worker repeats it until it '
  'returns 0, which means that no poll is due.';
insert into private.jobs (name, cron, expires, repeats) values ('close-polls', '* * * * *', 60, true);
