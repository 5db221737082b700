-- The types of things that can be searched for: for each type, the texts of its things, who may find them, and who may
-- see them.
-- docs/decisions.md, Discovery.

-- posts: all published posts except reposts, which have no words; a search finds the original instead

create function private.post_texts(p_ids uuid[])
returns setof private.search_text
language plpgsql stable security definer   -- the index needs all rows, no matter who may see them
set search_path = ''
as $$
begin
  return query
  select p.id, p.author_id,
         private.search_scope('post', p.author_id,
           case when p.hidden_at is not null then 3 else private.visibility_level(p.visibility) end, p.space_id),
         p.title, p.body, array(select n.interest_id from app.post_interests n where n.post_id = p.id)
  from app.posts p
  where p.id = any (p_ids) and p.published_at is not null and p.deleted_at is null and p.format <> 'repost';
end $$;
comment on function private.post_texts is 'Returns the texts of these posts, for the search.';
call private.force_index_scans('private.post_texts');

create function private.content_texts(p_ids uuid[])
returns setof private.search_text
language plpgsql stable security definer   -- the index needs all rows, no matter who may see them
set search_path = ''
as $$
begin
  return query
  select c.id, c.author_id,
         private.search_scope(c.kind, c.author_id,
           case when c.removed_at is not null or c.is_draft then 3 else 0 end, c.space_id),
         c.title,
         concat_ws(e'\n', d.detail ->> 'caption', d.detail ->> 'summary', d.detail ->> 'description',
                   d.detail ->> 'body'),
         array_remove(array[c.interest_id], null)
  from app.contents c join private.content_fields(p_ids) d on d.id = c.id
  where c.id = any (p_ids) and c.deleted_at is null;
end $$;
comment on function private.content_texts is
  'Returns the texts of these contents, for the search: the title and, from the detail, caption, summary, description '
  'and body.';
call private.force_index_scans('private.content_texts');

create function private.space_texts(p_ids uuid[])
returns setof private.search_text
language plpgsql stable security definer   -- the index needs all rows, no matter who may see them
set search_path = ''
as $$
begin
  return query
  select s.id, null::uuid, case when s.visibility = 'public' then s.kind else 'private ' || s.id end,
         s.name, s.about, array_remove(array[s.interest_id], null)
  from app.spaces s where s.id = any (p_ids);
end $$;
comment on function private.space_texts is
  'Returns the names and descriptions of these groups and guilds. A private group or guild has its own scope, '
  '"private id", because invited people may find it, but not its posts and contents.';
call private.force_index_scans('private.space_texts');

create function private.person_texts(p_ids uuid[])
returns setof private.search_text
language plpgsql stable security definer   -- the index needs all rows, no matter who may see them
set search_path = ''
as $$
begin
  return query
  select u.id, null::uuid, null, concat_ws(' ', u.first_name, u.last_name), u.username, '{}'::uuid[]
  from app.users u where u.id = any (p_ids) and u.erased_at is null;
end $$;
comment on function private.person_texts is
  'Returns the names of these people. They have no scope, because private.find_names finds them. Their interests are '
  'left out, because people may not be found by their interests.';
call private.force_index_scans('private.person_texts');

create view private.visible_spaces with (security_invoker) as
select s.id from app.spaces s where s.visibility = 'public' or private.is_let_in(s.id, (select app.uid()));
comment on view private.visible_spaces is
  'The groups and guilds that the caller may see, by the same rule as in private.find_space. The view is for '
  'definer functions.';

create function private.person_cards(p_ids uuid[]) returns json
language plpgsql stable security definer   -- the calling function has checked that they are visible
set search_path = ''
as $$
begin
  return (select json_agg(c.card order by i.place)
          from unnest(p_ids) with ordinality as i (id, place) join app.person_card c on c.id = i.id);
end $$;
comment on function private.person_cards is 'Returns the cards of these people, in order.';
call private.force_index_scans('private.person_cards');

create function private.wiki_texts(p_ids uuid[])
returns setof private.search_text
language plpgsql stable security definer   -- the same plan for all callers
set search_path = ''
as $$
begin
  return query
  select i.id, null::uuid, 'wiki', i.name, v.body, array[i.id]
  from app.interests i
  cross join lateral (select w.body from app.wiki_versions w where w.interest_id = i.id
                      order by w.version desc limit 1) v
  where i.id = any (p_ids);
end $$;
comment on function private.wiki_texts is
  'Returns the wiki entries of these interests; the title is the name of the interest.';
call private.force_index_scans('private.wiki_texts');

create view private.visible_wiki with (security_invoker) as
select i.id from app.interests i where (select f.enabled from app.feature_flags f where f.key = 'wiki');
comment on view private.visible_wiki is
  'The entries of the wiki. They are visible to everybody while its flag is on, and to nobody otherwise, by the '
  'same rule as in private.require_wiki. The view is for definer functions.';

create function private.wiki_search_cards(p_ids uuid[]) returns json
language plpgsql stable security definer   -- the same plan for all callers
set search_path = ''
as $$
begin
  return (select json_agg(json_build_object('id', n.id, 'interestId', n.id, 'slug', n.slug, 'version', v.version,
                                            'createdAt', private.utc(v.created_at)) order by i.place)
          from unnest(p_ids) with ordinality as i (id, place)
          join app.interests n on n.id = i.id
          cross join lateral (select w.version, w.created_at from app.wiki_versions w where w.interest_id = n.id
                              order by w.version desc limit 1) v);
end $$;
comment on function private.wiki_search_cards is
  'Returns wiki entries as the search shows them, in order: {id, interestId, slug, version, createdAt}.';
call private.force_index_scans('private.wiki_search_cards');

insert into private.search_types (type, texts, visible, cards, scopes) values
  ('wiki', 'private.wiki_texts', 'private.visible_wiki', 'private.wiki_search_cards', '{}'),
  ('post', 'private.post_texts', 'private.listed_posts', 'private.stream_cards', '{space,level}'),
  ('person', 'private.person_texts', 'private.listed_people', 'private.person_cards', '{}'),
  ('group', 'private.space_texts', 'private.visible_spaces', 'private.group_cards', '{private}'),
  ('guild', 'private.space_texts', 'private.visible_spaces', 'private.guild_cards', '{private}');
insert into private.search_types (type, texts, visible, cards, scopes)
select kind, 'private.content_texts', 'private.listed_contents', 'private.stream_cards', '{space,level}'
from private.content_kinds;
