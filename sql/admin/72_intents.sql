-- What staff sees of connection intents.
-- docs/decisions.md, Staff.

create index connection_intents_since_idx on app.connection_intents (created_at desc, user_id desc);

create view private.staff_intents with (security_invoker) as
select i.created_at as at, i.user_id as id, i.intent, i.is_active as active,
       concat_ws(' ', u.username, i.note) as said,
       json_build_object(
         'id', i.user_id,
         'user', person.card,
         'intent', i.intent,
         'note', i.note,
         'isActive', i.is_active,
         'createdAt', private.utc(i.created_at),
         'updatedAt', private.utc(i.updated_at)) as card
from app.connection_intents i
join app.users u on u.id = i.user_id
join app.person_card person on person.id = i.user_id;
comment on view private.staff_intents is 'Intents as staff sees them; id is the UUID of the person.';

create function api.list_intents(
  p_intent text default null, p_active boolean default null, p_q text default null, p_from timestamptz default null,
  p_to timestamptz default null, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.staff_page('intents', json_build_object('intent', p_intent, 'active', p_active), null, p_q, p_from,
                            p_to, p_limit, p_cursor);
end $$;
comment on function api.list_intents is 'Connection intents, latest change first.';
