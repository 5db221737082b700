-- The words of targets of notifications, for the features that are created before the notifications. Later features
-- register the words of their targets.

create function private.post_words(p_ids uuid[]) returns table (id uuid, title text, body text)
language plpgsql stable security definer   -- checks each post once: see private.visible_posts
set search_path = ''
as $$
begin
  return query select p.id, p.title, p.body from private.visible_posts p where p.id = any (p_ids);
end $$;
comment on function private.post_words is 'The words of the posts that the caller sees.';
call private.force_index_scans('private.post_words');

insert into private.notification_targets (type, words) values
  ('post', 'select * from private.post_words($1)'),
  ('reply', 'select id, null::text, body from app.replies where id = any ($1)'),
  ('circle', 'select c.id, c.name, null::text from app.circles c join app.users u on u.id = c.owner_id
              where c.id = any ($1)'),
  ('invitation', 'select i.id, private.circle_name(i.circle_id), null::text
                  from app.circle_invitations i join app.users u on u.id = i.inviter_id
                  where i.id = any ($1) and i.status in (''pending'', ''accepted'')'),
  ('report', 'select id, null::text, reason from app.reports where id = any ($1)'),
  ('interest', 'select id, name, null::text from app.interests where id = any ($1)'),
  ('group', 'select id, name, about from app.spaces where id = any ($1)'),
  ('guild', 'select id, name, about from app.spaces where id = any ($1)');
