-- Co-authors are the people who wrote a post with its author. Each receives a share of its payments.
-- docs/decisions.md, Posts.

create table app.post_co_authors (
  id          uuid primary key default gen_random_uuid(),
  post_id     uuid not null references app.posts on delete cascade,
  user_id     uuid not null references app.users on delete cascade,
  author_id   uuid not null,
  split_share smallint not null check (split_share between 0 and 100),
  status      text not null default 'pending' check (status in ('pending', 'accepted')),
  created_at  timestamptz not null default now(),
  constraint co_author_already unique (post_id, user_id)
);
create index post_co_authors_user_id_idx on app.post_co_authors (user_id, id);
create index post_co_authors_pending_idx on app.post_co_authors (user_id, author_id) where status = 'pending';
comment on table app.post_co_authors is
  'The invited and accepted co-authors of a post, at most four; id is that of the invitation. Only accepted ones take '
  'part in splits. Declining an invitation or leaving deletes the row.';
comment on column app.post_co_authors.author_id is
  'The post''s author, who invites and never changes. A trigger writes the column, so that a block finds the '
  'invitations between two people.';
comment on column app.post_co_authors.status is 'pending or accepted. Declining or leaving deletes the row.';
comment on column app.post_co_authors.split_share is 'Percent of a payment for the post, rounded down to whole mana.';

insert into private.event_types (name, payload, happens) values
  ('posts.co_author.invited', '{inviteId,postId,inviterId,inviteeId}',
   'the author invites a co-author'),
  ('posts.co_author.accepted', '{inviteId,postId,userId}',
   'the invited person becomes a co-author');
insert into private.outbound_events (event, subject_type, subject_field, fields, people) values
  ('posts.co_author.accepted', 'post', 'postId', '{postId}', '{userId}');

insert into private.errors (code, status, text) values
  ('split_share', 422, 'splitShare must be a whole number from 0 to 100.'),
  ('split_share_exceeded', 422, 'The shares of all co-authors of a post can add up to at most 90 percent.'),
  ('co_author_repost', 422, 'A repost cannot have co-authors.'),
  ('co_author_oneself', 400, 'You cannot be your own co-author.'),
  ('co_author_already', 409, 'This person is already a co-author of the post, or invited to be one.'),
  ('co_authors_exhausted', 409, 'A post can have at most 4 co-authors, including those who are invited.'),
  ('co_author_outside', 422, 'A co-author must be able to see the post.'),
  ('co_author_invitation_unknown', 404, 'There is no such invitation.'),
  ('co_author_resolved', 409, 'This invitation has already been accepted.');

create function private.name_inviter() returns trigger
language plpgsql security definer   -- reads the post regardless of who may see it
set search_path = ''
as $$
begin
  select author_id into new.author_id from app.posts where id = new.post_id;
  return new;
end $$;
comment on function private.name_inviter is 'Trigger: copies the author of the post to a co-author''s row.';
create trigger name_inviter before insert on app.post_co_authors
  for each row execute function private.name_inviter();

create function private.end_co_author_invitations() returns trigger
language plpgsql security definer   -- a block also ends the other person's invitations
set search_path = ''
as $$
begin
  delete from app.post_co_authors c
  using blocked b
  where c.status = 'pending'
    and c.user_id = any (array[b.blocker_id, b.blocked_id]) and c.author_id = any (array[b.blocker_id, b.blocked_id]);
  return null;
end $$;
comment on function private.end_co_author_invitations is
  'Trigger: after a block, ends pending invitations between the two people, in both directions. Accepted co-authors '
  'keep their share.';
call private.force_index_scans('private.end_co_author_invitations');
create trigger _210_end_co_author_invitations after insert on app.blocks
  referencing new table as blocked for each statement execute function private.end_co_author_invitations();

create function private.co_author_list(p_post uuid) returns json
language plpgsql stable security definer   -- calling functions must check that the caller sees the post
set search_path = ''
as $$
declare
  v_me uuid := app.uid();
begin
  return (
    select coalesce(json_agg(json_build_object('id', ca.id, 'userId', person.actor_id, 'user', person.card,
                                               'splitShare', ca.split_share, 'status', ca.status)
                             order by ca.created_at, ca.id), '[]')
    from app.post_co_authors ca
    join app.posts p on p.id = ca.post_id
    join app.users u on u.id = ca.user_id and u.banned_at is null and u.erased_at is null
    join app.person_card person on person.id = ca.user_id
    where ca.post_id = p_post
      and (ca.status = 'accepted' or v_me in (p.author_id, ca.user_id))
      and private.may_meet((select a.level from app.audience a
                            where a.viewer_id = v_me and a.author_id = ca.user_id)));
end $$;
comment on function private.co_author_list is
  'The co-authors whom the caller may see, as in the card of the post. The author and the invited person also see '
  'pending invitations.';
call private.force_index_scans('private.co_author_list');

create function private.co_author(p_row app.post_co_authors) returns json
language plpgsql stable   -- takes a row instead of an id, because the row of a declined invitation is deleted
set search_path = ''
as $$
begin
  return (
    select json_build_object(
      'id', p_row.id,
      'postId', p_row.post_id,
      'userId', p.actor_id,
      'user', p.card,
      'splitShare', p_row.split_share,
      'status', p_row.status,
      'createdAt', private.utc(p_row.created_at))
    from app.person_card p where p.id = p_row.user_id);
end $$;
comment on function private.co_author is 'A co-author: {id, postId, userId, user, splitShare, status, createdAt}.';

create function private.require_split(p_post uuid, p_share integer) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if p_share + coalesce((select sum(split_share) from app.post_co_authors
                         where post_id = p_post and status = 'accepted'), 0) > 90 then
    perform private.raise_error('split_share_exceeded');
  end if;
end $$;
comment on function private.require_split is
  'Fails if this share and the accepted shares of a post add up to more than 90 percent. Lock the post first.';

insert into private.operations_of_people (operation) values ('invite_co_author');

create function api.invite_co_author(p_id uuid, p_user_id text, p_split_share integer) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept   json := private.begin_idempotent('invite_co_author', json_build_array(p_id, p_user_id, p_split_share));
  v_person uuid;
  v_post   app.posts;
  v_row    app.post_co_authors;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  perform private.count_writes('invitations');
  v_person := private.lock_person(p_user_id);
  v_post := private.lock_own_post(p_id);
  if v_post.format = 'repost' then
    perform private.raise_error('co_author_repost');
  elsif v_post.published_at is null then
    perform private.raise_error('post_not_out');   -- the invited person could not see the post
  elsif v_person = app.uid() then
    perform private.raise_error('co_author_oneself');
  elsif (p_split_share between 0 and 100) is not true then
    perform private.raise_error('split_share');
  elsif exists (select from app.post_co_authors where post_id = p_id and user_id = v_person) then
    perform private.raise_error('co_author_already');
  elsif (select count(*) from app.post_co_authors where post_id = p_id) >= 4 then
    perform private.raise_error('co_authors_exhausted');
  elsif private.post_visible_to(p_id, v_person) is not true then
    perform private.raise_error('co_author_outside');
  end if;
  perform private.require_split(p_id, p_split_share);

  -- check and insert in one statement, because a ban does not lock the pair
  insert into app.post_co_authors (post_id, user_id, split_share)
  select p_id, u.id, p_split_share from app.users u where u.id = v_person
  returning * into v_row;
  if not found then
    perform private.raise_error('person_unknown');
  end if;
  perform private.emit('posts.co_author.invited', json_build_object(
    'inviteId', v_row.id, 'postId', p_id, 'inviterId', app.uid(), 'inviteeId', v_person),
    array[v_person]);
  return private.finish_idempotent('invite_co_author', private.co_author(v_row));
end $$;
comment on function api.invite_co_author is
  'Invites a person to be a co-author of the caller''s post, with a share of its payments.';

create function private.settle_co_author(p_post uuid, p_invite uuid, p_accept boolean) returns app.post_co_authors
language plpgsql volatile security definer   -- the post and its other shares belong to others
set search_path = ''
as $$
declare
  v_row app.post_co_authors;
begin
  perform private.check_lock_order('post');
  perform from app.posts where id = p_post for no key update;
  -- read after the lock, because only then the row is final
  select * into v_row from app.post_co_authors
  where id = p_invite and post_id = p_post and user_id = private.require_caller() for update;
  if (p_accept is not false or v_row.status is distinct from 'accepted')
     and private.post_visible_to(p_post, app.uid()) is not true then
    perform private.raise_error('post_unknown');
  elsif v_row.id is null then
    -- if the card of the post shows the caller this invitation, it is another person's
    perform from json_array_elements(private.co_author_list(p_post)) i (item)
    where i.item ->> 'id' = p_invite::text;
    if found then
      perform private.raise_error('invitation_not_yours');
    end if;
    perform private.raise_error('co_author_invitation_unknown');
  elsif v_row.status = 'accepted' and p_accept is not false then
    perform private.raise_error('co_author_resolved');
  end if;

  if p_accept then
    perform private.require_split(p_post, v_row.split_share);
    update app.post_co_authors set status = 'accepted' where id = p_invite returning * into v_row;
    perform private.emit('posts.co_author.accepted', json_build_object(
      'inviteId', p_invite, 'postId', p_post, 'userId', v_row.user_id),
      array(select p.author_id from app.posts p where p.id = p_post));
  else
    delete from app.post_co_authors where id = p_invite;
    v_row.status := 'declined';
  end if;
  return v_row;
end $$;
comment on function private.settle_co_author is
  'Accepts the caller''s invitation, or declines it, which deletes it. An accepted co-author can also decline, even '
  'for a post that they can no longer see; this removes them.';

insert into private.operations_of_people (operation) values ('respond_co_author');

create function api.respond_co_author(p_id uuid, p_invite_id uuid, p_accept boolean) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  if p_accept is null then
    perform private.raise_error('value_invalid');   -- null would count as declining, which is final
  end if;
  -- check this before locking the post
  if p_accept is not false or not exists (
       select from app.post_co_authors
       where id = p_invite_id and post_id = p_id and user_id = app.uid() and status = 'accepted') then
    perform private.require_post(p_id);
  end if;
  return private.co_author(private.settle_co_author(p_id, p_invite_id, p_accept));
end $$;
comment on function api.respond_co_author is
  'Accepts or declines the caller''s invitation to be a co-author. A co-author can also decline later, which removes '
  'them. Fails: value_invalid (neither).';
