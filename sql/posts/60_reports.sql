-- How a report finds the reported post or reply. The reports are in sql/social/70_reports.sql.

create function private.require_reported_post(p_type text, p_target text) returns uuid
language plpgsql stable   -- runs as the invoker: rows that policies hide count as unknown
set search_path = ''
as $$ begin return (private.require_post(private.require_uuid(p_target, 'post_unknown'))).id; end $$;
comment on function private.require_reported_post is 'Returns the post that a report names, if the caller may see it.';

create function private.require_reported_reply(p_type text, p_target text) returns uuid
language plpgsql stable   -- runs as the invoker: rows that policies hide count as unknown
set search_path = ''
as $$ begin return (private.require_reply(private.require_uuid(p_target, 'reply_unknown'))).id; end $$;
comment on function private.require_reported_reply is
  'Returns the reply that a report names, if the caller may see it.';

insert into private.report_targets (type, finder, author, place, co_authors) values
  ('post', 'private.require_reported_post', 'select author_id from app.posts where id = $1',
   'select space_id, title, body, hidden_at is not null from app.posts where id = $1 and deleted_at is null',
   'select user_id from app.post_co_authors where post_id = $1 and status = ''accepted'''),
  ('reply', 'private.require_reported_reply', 'select author_id from app.replies where id = $1',
   'select p.space_id, null::text, r.body, r.hidden_at is not null
    from app.replies r join app.posts p on p.id = r.post_id where r.id = $1 and r.deleted_at is null', null);
