-- What staff sees of uploads and reflections. Staff sees that they exist, but nothing that is private to a person.
-- docs/decisions.md, Staff.

create index media_assets_created_at_idx on app.media_assets (created_at desc, id desc);
create index ai_sessions_created_at_idx on app.ai_sessions (created_at desc, id desc);

create view private.staff_media with (security_invoker) as
select a.created_at as at, a.id, a.kind, a.status, a.owner_id,
       a.kind = 'attachment' or exists (select from app.messages m where m.asset_id = a.id)
         or exists (select from app.media_assets v join app.messages m on m.asset_id = v.id where v.poster_id = a.id)
         as in_messages,
       concat_ws(' ', a.key, a.content_type, u.username) as said,
       json_build_object(
         'id', a.id,
         'ownerId', a.owner_id,
         'owner', owner.card,
         'kind', a.kind,
         'contentType', a.content_type,
         'mimeType', a.mime_type,
         'size', a.size,
         'alt', a.alt,
         'width', a.width,
         'height', a.height,
         'blurhash', a.blurhash,
         'posterUrl', private.asset_url(a.poster_id::text),
         'status', a.status,
         'url', case when a.status = 'committed' then private.asset_url(a.key) end,
         'committedAt', private.utc(a.committed_at),
         'createdAt', private.utc(a.created_at)) as card
from app.media_assets a
join app.users u on u.id = a.owner_id
join app.person_card owner on owner.id = a.owner_id;
comment on view private.staff_media is
  'Uploads as staff sees them. in_messages says whether the upload, or the video whose poster it is, was sent in a '
  'message, or the upload is meant for a message.';

create function api.list_media(
  p_kind text default null, p_status text default null, p_owner_id text default null, p_q text default null,
  p_from timestamptz default null, p_to timestamptz default null, p_limit integer default 20,
  p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.staff_page(
    'media',
    json_build_object('kind', p_kind, 'status', p_status, 'owner_id', private.find_staff_person(p_owner_id),
                      'in_messages', false),
    array['owner_id'], p_q, p_from, p_to, p_limit, p_cursor);
end $$;
comment on function api.list_media is
  'Uploads, newest first, without those that were sent in messages and without their posters.';

create view private.staff_ai_sessions with (security_invoker) as
select s.created_at as at, s.id, s.user_id, private.ai_status(s) as status, u.username as said,
       json_build_object(
         'id', s.id,
         'userId', s.user_id,
         'user', person.card,
         'status', private.ai_status(s),
         'questionCount', t.questions,
         'answerCount', t.answers,
         'fallbackCount', t.fallbacks,
         'answeredAt', private.utc(s.answered_at),
         'completedAt', private.utc(s.completed_at),
         'createdAt', private.utc(s.created_at)) as card
from app.ai_sessions s
join app.users u on u.id = s.user_id
join app.person_card person on person.id = s.user_id
cross join lateral (
  select count(*) as questions, count(t.answered_at) as answers, count(*) filter (where t.fallback) as fallbacks
  from app.ai_turns t where t.session_id = s.id) t;
comment on view private.staff_ai_sessions is
  'Reflections as staff sees them: their progress, but no topic, question or answer.';

create function api.list_assistant_sessions(
  p_status text default null, p_user_id text default null, p_q text default null, p_from timestamptz default null,
  p_to timestamptz default null, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.staff_page(
    'ai_sessions', json_build_object('status', p_status, 'user_id', private.find_staff_person(p_user_id)),
    array['user_id'], p_q, p_from, p_to, p_limit, p_cursor, case when p_user_id is not null then 'id' end);
end $$;
comment on function api.list_assistant_sessions is 'Everybody''s reflections, newest first, without their texts.';
