-- The channel feed:public has the id of every new public post, and nothing else. docs/decisions.md, Realtime.

create function private.may_listen_to_feed(p_rest text) returns boolean
language plpgsql stable
set search_path = ''
as $$ begin return p_rest = 'public'; end $$;
comment on function private.may_listen_to_feed is
  'Returns whether the caller may listen to feed:public, which everyone with a valid token may.';
insert into private.realtime_topics (prefix, audience, events, scopes) values
  ('feed', 'private.may_listen_to_feed', '`feed:public`: `post` {id} of a new public post, except of limited people',
   '{posts:read}');

create function private.broadcast_posts(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.broadcast('feed:public', 'post', jsonb_build_object('id', p.id))
  from unnest(p_effects) e
  join app.posts p on p.id = (e.payload ->> 'postId')::uuid
  left join app.posts o on o.id = p.quoted_post_id and p.format = 'repost'
  where p.required_level = 0 and p.within_id is null and p.closer_id is null
    and not exists (select from app.limited_people l where l.user_id in (p.author_id, o.author_id));
end $$;
comment on function private.broadcast_posts is
  'Listener: announces a public post when it is published, which for a scheduled post is later than its insert. It '
  'does not announce posts of limited people, or reposts of them, because strangers also listen.';
insert into private.event_listeners (event, listener, position, timing) values
  ('posts.post.published', 'private.broadcast_posts', 700, 'soon');
