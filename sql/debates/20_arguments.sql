-- Arguments in debates and answers to them, at most four levels deep, and who sees them.
-- docs/decisions.md, Debates.

create table app.debate_arguments (
  id             uuid primary key default private.timed_id(),
  debate_id      uuid not null references app.contents on delete cascade,
  author_id      uuid not null references app.users on delete restrict,
  parent_id      uuid,
  side           text not null check (side in ('for', 'against')),
  body           text not null,
  depth          smallint not null,
  votes          integer not null default 0 check (votes >= 0),
  answered       boolean not null default false,
  words          tsvector not null default '',
  removed_at     timestamptz,
  deleted_at     timestamptz,
  author_hidden  boolean not null default false,
  created_at     timestamptz not null default now(),
  required_level smallint not null generated always as (
    case when author_hidden or (deleted_at is not null and not answered) then 4
         when removed_at is not null then 3 else 0 end) stored,
  constraint argument_depth check (depth between 1 and 4),
  -- deleted arguments and those of erased people have no words
  constraint argument_body check (deleted_at is not null or author_hidden or length(body) between 50 and 2000)
);
-- these indexes have what everybody sees, so that readers don't scan hundreds of arguments that were removed or are by
-- banned people
create index debate_arguments_top_idx on app.debate_arguments (debate_id, votes desc, id desc)
  where required_level = 0;
create index debate_arguments_new_idx on app.debate_arguments (debate_id, id) where required_level = 0;
create index debate_arguments_parent_top_idx on app.debate_arguments (parent_id, votes desc, id desc)
  where parent_id is not null and required_level = 0;
create index debate_arguments_parent_new_idx on app.debate_arguments (parent_id, id)
  where parent_id is not null and required_level = 0;
create index debate_arguments_own_top_idx on app.debate_arguments (debate_id, author_id, votes desc, id desc)
  where required_level = 3;
create index debate_arguments_own_new_idx on app.debate_arguments (debate_id, author_id, id)
  where required_level = 3;
create index debate_arguments_debate_id_idx on app.debate_arguments (debate_id, author_id, id);
create index debate_arguments_author_id_idx on app.debate_arguments (author_id, id);
create index debate_arguments_created_at_idx on app.debate_arguments (created_at desc, id desc)
  where deleted_at is null;
comment on table app.debate_arguments is
  'Arguments. A deleted argument keeps its row and, if it was answered, its place in lists. Ids follow the order of '
  'time.';
call private.make_nulls_raise_codes('app.debate_arguments');
comment on column app.debate_arguments.words is
  'The words of the body, for the search by staff. A trigger maintains them.';
comment on column app.debate_arguments.parent_id is
  'The column has no foreign key, because rows are deleted only with their debate, 500 at a time, in any order.';
comment on column app.debate_arguments.depth is
  '1 for a top-level argument, otherwise one more than the depth of the argument that it answers.';
comment on column app.debate_arguments.votes is
  'The number of people who find the argument helpful, including those whom the viewer cannot see. A trigger '
  'maintains it.';
comment on column app.debate_arguments.answered is
  'Whether the argument was ever answered. The transaction of an answer sets the column.';
comment on column app.debate_arguments.removed_at is
  'When staff hid the argument from everybody but its author; null otherwise.';
comment on column app.debate_arguments.deleted_at is
  'When its author deleted the argument, which is final; null otherwise.';
comment on column app.debate_arguments.author_hidden is
  'Whether the author is banned or erased, as set by private.hide_children. Until then app.hidden_people hides the '
  'argument.';
comment on column app.debate_arguments.required_level is
  'The same as app.contents.required_level. The required level of the debate applies, too.';

create table app.argument_votes (
  argument_id uuid not null references app.debate_arguments on delete cascade,
  user_id     uuid not null references app.users on delete cascade,
  created_at  timestamptz not null default now(),
  primary key (argument_id, user_id)
);
create index argument_votes_user_id_idx on app.argument_votes (user_id, created_at desc);
comment on table app.argument_votes is 'The people who find an argument helpful. Others see only a count.';

insert into private.errors (code, status, text) values
  ('argument_unknown', 404, 'There is no such argument.'),
  ('argument_not_yours', 403, 'Only the author can do this.'),
  ('argument_body', 422, 'An argument must have 50 to 2000 characters.'),
  ('argument_depth', 422, 'Arguments answer each other at most four levels deep.'),
  ('argument_own', 400, 'You cannot vote for your own argument.');
insert into private.event_types (name, payload, happens) values
  ('debates.argument.created', '{argumentId,debateId,authorId}', 'somebody argues in a debate'),
  ('debates.argument.deleted', '{argumentId,debateId,authorId}', 'somebody deletes their argument');
insert into private.outbound_events (event, subject_type, subject_field, fields, people) values
  ('debates.argument.created', 'debate', 'debateId', '{debateId,argumentId}', '{authorId}'),
  ('debates.argument.deleted', 'debate', 'debateId', '{debateId,argumentId}', '{authorId}');

insert into private.content_child_tables (relation, person, key, words) values
  ('app.debate_arguments', 'author_id', 'id', 'body');
-- delete the votes on the next 500 arguments before these arguments
insert into private.content_cascades (relation, kind, position, whose) values
  ('app.argument_votes', 'debate', 1, 'argument_id = any (array(
     select a.id from app.debate_arguments a where a.debate_id = $1 order by a.author_id, a.id limit 500))'),
  ('app.debate_arguments', 'debate', 2, 'id = any (array(
     select a.id from app.debate_arguments a where a.debate_id = $1 order by a.author_id, a.id limit 500))
   and not exists (select from app.argument_votes v where v.argument_id = id)');
insert into private.personal_data (relation, person_column, section, omits) values
  ('app.debate_arguments', 'author_id', 'debateArguments', '{author_hidden,required_level,words}'),
  ('app.argument_votes', 'user_id', 'argumentVotes', '{}');

create trigger _100_check_author before insert on app.debate_arguments
  for each row execute function private.check_author();
create trigger _120_prepare_child before insert or update of body on app.debate_arguments
  for each row execute function private.prepare_child();

create trigger _200_count_arguments after insert on app.debate_arguments
  referencing new table as written for each statement execute function private.count_children(
    'debate_id', 'app.debates', 'argument_count', 'required_level = 0 and deleted_at is null');
create trigger _200_count_changed after update on app.debate_arguments
  referencing old table as overwritten new table as written for each statement execute function private.count_children(
    'debate_id', 'app.debates', 'argument_count', 'required_level = 0 and deleted_at is null');

create trigger _200_count_votes after insert or delete on app.argument_votes
  for each row execute function private.sum_votes('argument_id', 'app.debate_arguments', 'votes');

create view private.visible_arguments with (security_invoker) as
select a.*
from app.debate_arguments a
cross join lateral private.visibility(a.author_id, a.required_level) v
where v.is_visible;
comment on view private.visible_arguments is
  'The arguments that the caller may see, in debates that they see. The view is for definer functions, to which '
  'policies do not apply.';

create view private.argument_details with (security_invoker) as
select a.id, a.debate_id as content_id, a.author_id, a.created_at, a.removed_at, a.words,
       json_build_object('debateId', a.debate_id, 'parentId', a.parent_id, 'side', a.side, 'body', a.body) as detail
from app.debate_arguments a where a.deleted_at is null;
comment on view private.argument_details is
  'The details of an argument that staff see: {debateId, parentId, side, body}.';
insert into private.content_child_kinds (kind, plural, relation, details) values
  ('argument', 'arguments', 'app.debate_arguments', 'private.argument_details');

create function private.require_argument(p_id uuid) returns app.debate_arguments
language plpgsql stable   -- runs as the invoker: what row-level security hides is unknown
set search_path = ''
as $$
declare
  v_argument app.debate_arguments;
begin
  select * into v_argument from app.debate_arguments where id = p_id and deleted_at is null;
  if not found then
    perform private.raise_error('argument_unknown');
  end if;
  return v_argument;
end $$;
comment on function private.require_argument is
  'Returns an argument that was not deleted, if the caller may see it and its debate.';

create function private.require_reported_argument(p_type text, p_target text) returns uuid
language plpgsql stable   -- runs as the invoker: what row-level security hides is unknown
set search_path = ''
as $$ begin return (private.require_argument(private.require_uuid(p_target, 'argument_unknown'))).id; end $$;
comment on function private.require_reported_argument is
  'Returns the argument that a report names, if the caller may see it.';
insert into private.report_targets (type, finder, author, place) values
  ('argument', 'private.require_reported_argument', 'select author_id from app.debate_arguments where id = $1',
   'select c.space_id, null::text, a.body, a.removed_at is not null
    from app.debate_arguments a join app.contents c on c.id = a.debate_id where a.id = $1');
insert into private.notification_targets (type, words) values
  ('argument', 'select id, null::text, body from app.debate_arguments where id = any ($1)');

create function private.argument_cards(p_ids uuid[]) returns json
language plpgsql stable security definer   -- its callers check only once who sees the debate
set search_path = ''
set plan_cache_mode = force_generic_plan   -- planning the views takes longer than running them
as $$
begin
  return (
    select json_agg(json_build_object(
             'id', a.id,
             'debateId', a.debate_id,
             'side', a.side,
             'body', case when a.deleted_at is null then a.body end,
             'parentId', (select p.id from private.visible_arguments p where p.id = a.parent_id),
             'authorId', case when a.deleted_at is null then author.actor_id end,
             'author', case when a.deleted_at is null then author.card end,
             'votes', a.votes,
             'viewer', json_build_object('voted', (select true from app.argument_votes v
                                                   where v.argument_id = a.id and v.user_id = (select app.uid()))
                                                  is true),
             'removedAt', private.utc(a.removed_at),
             'deletedAt', private.utc(a.deleted_at),
             'createdAt', private.utc(a.created_at)) order by i.place)
    from unnest(p_ids) with ordinality as i (id, place)
    join private.visible_arguments a on a.id = i.id
    join app.person_card author on author.id = a.author_id);
end $$;
comment on function private.argument_cards is
  'The cards of the given arguments that the caller sees, in order. Calling functions check the debate. Shape: {id, '
  'debateId, side, body, parentId, authorId, author, votes, viewer: {voted}, removedAt, deletedAt, createdAt}. A '
  'deleted argument has neither body nor author.';
call private.force_index_scans('private.argument_cards');

insert into private.links (type, path) values ('argument', '/arguments/{id}');
