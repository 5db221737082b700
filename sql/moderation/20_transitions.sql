-- What staff may do in a case. The table private.case_transitions says who may take which action in which state, with
-- which input. The table private.case_handlers says how an action changes a thing of each type. docs/decisions.md,
-- Staff.

create table private.case_transitions (
  status text not null check (status in ('open', 'closed')),
  action text not null check (action ~ '^[a-z]+$'),
  next   text not null check (next in ('open', 'closed')),
  roles  text[] not null check (roles <> '{}' and roles <@ '{moderator,admin}'),
  needs  text[] not null default '{}' check (needs <@ '{claim,reason,until,person}'),
  primary key (status, action)
);
comment on table private.case_transitions is
  'Registry: the actions that staff may take in each state of a case, and the state after each action.';
comment on column private.case_transitions.status is 'The state of the case before the action.';
comment on column private.case_transitions.needs is
  'What the action requires. claim: nobody else has a claim. reason: a reason. until: a time in the future, which '
  'no other action takes. person: somebody who is responsible for the thing.';
insert into private.case_transitions (status, action, next, roles, needs)
select s.status, a.action, case when s.status = 'closed' then 'closed' else a.next end, a.roles::text[],
       a.needs::text[]
from unnest(array['open', 'closed']) s (status)
cross join (values
  ('note', 'open', '{moderator,admin}', '{}'),
  ('warn', 'closed', '{moderator,admin}', '{claim,reason,person}'),
  ('hide', 'closed', '{moderator,admin}', '{claim}'),
  ('unhide', 'open', '{moderator,admin}', '{claim}'),
  ('remove', 'closed', '{admin}', '{claim}'),
  ('restore', 'open', '{admin}', '{claim}'),
  ('limit', 'closed', '{admin}', '{claim,reason,person}'),
  ('unlimit', 'open', '{admin}', '{claim,person}'),
  ('suspend', 'closed', '{admin}', '{claim,reason,person,until}'),
  ('ban', 'closed', '{admin}', '{claim,reason,person}'),
  ('unban', 'open', '{admin}', '{claim,person}')) a (action, next, roles, needs);
insert into private.case_transitions (status, action, next, roles, needs) values
  ('open', 'claim', 'open', '{moderator,admin}', '{claim}'),
  ('open', 'release', 'open', '{moderator,admin}', '{}'),
  ('open', 'change', 'open', '{moderator,admin}', '{claim}'),
  ('open', 'propose', 'open', '{moderator,admin}', '{reason}'),
  ('open', 'accept', 'open', '{admin}', '{claim}'),
  ('open', 'decline', 'open', '{admin}', '{claim}'),
  ('open', 'dismiss', 'closed', '{moderator,admin}', '{claim}');

create table private.case_handlers (
  target_type text not null references private.report_targets on delete restrict,
  action      text not null check (action ~ '^[a-z]+$'),
  statement   text not null,
  undo        text,
  place       smallint not null check (place between 1 and 9),
  by_space    text,
  primary key (target_type, action)
);
comment on table private.case_handlers is
  'Registry: how an action changes a thing of a type. Actions of the type `user` change the person who is '
  'responsible for a thing.';
comment on column private.case_handlers.statement is
  'The statement, where $1 is the id of the thing or of the person, $2 the reason and $3 the end. It leaves the audit '
  'entry.';
comment on column private.case_handlers.undo is 'The action that undoes this action; null if none does.';
comment on column private.case_handlers.place is
  'The order of several actions. Actions on the thing come before actions on the person.';
comment on column private.case_handlers.by_space is
  'The statement for the owner and moderators of the group or guild of the thing; null if only staff can take the '
  'action.';

create function private.warn_person(p_person uuid, p_reason text) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.lock_account(p_person);
  perform private.audit('user.warned', 'user', p_person::text, json_build_object('reason', p_reason), p_person);
end $$;
comment on function private.warn_person is
  'Warns a person, who reads the reason at /me/standing. Leaves an audit entry.';

insert into private.case_handlers (target_type, action, statement, undo, place, by_space) values
  ('post', 'hide', 'select private.set_post_hidden($1, true, $2)', 'unhide', 1,
   'select private.write_post_hidden($1, true, $2)'),
  ('post', 'unhide', 'select private.set_post_hidden($1, false, $2)', null, 1,
   'select private.write_post_hidden($1, false, $2)'),
  ('reply', 'hide', 'select private.set_reply_hidden($1, true, $2)', 'unhide', 1,
   'select private.write_reply_hidden($1, true, $2)'),
  ('reply', 'unhide', 'select private.set_reply_hidden($1, false, $2)', null, 1,
   'select private.write_reply_hidden($1, false, $2)');
insert into private.case_handlers (target_type, action, statement, undo, place) values
  ('post', 'remove', 'select api.remove_post($1, $2)', null, 2),
  ('user', 'warn', 'select private.warn_person($1, $2)', null, 8),
  ('user', 'limit', 'select api.limit_person($1::text, $2)', 'unlimit', 9),
  ('user', 'unlimit', 'select api.unlimit_person($1::text, $2)', null, 9),
  ('user', 'suspend', 'select api.ban_person($1::text, $2, $3)', 'unban', 9),
  ('user', 'ban', 'select api.ban_person($1::text, $2)', 'unban', 9),
  ('user', 'unban', 'select api.unban_person($1::text, $2)', null, 9);
insert into private.case_handlers (target_type, action, statement, undo, place)
select k.kind, a.action, format('select private.set_content_removed(%L, $1, %s, $2)', k.plural, a.removed), a.undo, 2
from (select kind, plural from private.content_kinds
      union all select kind, plural from private.content_child_kinds) k
cross join (values ('remove', 'true', 'restore'), ('restore', 'false', null)) a (action, removed, undo);
