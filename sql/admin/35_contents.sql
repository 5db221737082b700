-- How staff finds contents of every kind, takes them away from all but their author and gives them back.
-- docs/decisions.md, Staff; Contents.

insert into private.errors (code, status, text) values
  ('content_unknown', 404, 'There is no such content of this kind.'),
  ('content_kind', 422, 'There is no such kind of contents. They are named in the plural, such as videos.');

create function private.require_content_kind(p_plural text) returns text
language plpgsql stable security definer   -- reads the registry for callers who may not
set search_path = ''
as $$
declare
  v_kind text;
begin
  select kind into v_kind from private.content_kinds where plural = p_plural;
  if not found then
    perform private.fail('content_kind');
  end if;
  return v_kind;
end $$;
comment on function private.require_content_kind is
  'The kind that a path of /admin/content names. Fails: content_kind.';

create function private.staff_contents(p_ids uuid[]) returns json
language plpgsql stable security definer   -- asks the registry which view has the detail of each kind
set search_path = ''
as $$
declare
  v_view    regclass;
  v_ids     uuid[] := '{}';
  v_details json[] := '{}';
begin
  for v_view in
    select distinct k.details from app.contents c join private.content_kinds k on k.kind = c.kind
    where c.id = any (p_ids)
  loop
    execute format('select $1 || array_agg(d.id), $2 || array_agg(d.detail) from %s d where d.id = any ($3)', v_view)
      into v_ids, v_details using v_ids, v_details, p_ids;
  end loop;
  return (
    select json_agg(json_build_object(
             'id', c.id,
             'kind', c.kind,
             'authorId', c.author_id,
             'author', author.card,
             'interestId', c.interest_id,
             'title', c.title,
             'groupId', case s.kind when 'group' then s.id end,
             'guildId', case s.kind when 'guild' then s.id end,
             'detail', d.detail,
             'createdAt', private.utc(c.created_at),
             'editedAt', private.utc(c.edited_at),
             'removedAt', private.utc(c.removed_at)) order by p.place)
    from unnest(p_ids) with ordinality as p (id, place)
    join app.contents c on c.id = p.id
    join app.person_card author on author.id = c.author_id
    join unnest(v_ids, v_details) as d (id, detail) on d.id = c.id
    left join app.spaces s on s.id = c.space_id);
end $$;
comment on function private.staff_contents is
  'Contents as staff sees them, in order: the head with the author''s UUID, and the detail of their kind.';

create function private.find_staff_contents(
  p_kind text, p_removed boolean, p_words text[], p_since timestamptz, p_from app.place
) returns app.found
language plpgsql stable security definer   -- the registry and the walk are its own
set search_path = ''
as $$
declare
  v_from   timestamptz := p_from.at;   -- plain variables: an expression makes no index condition
  v_before uuid := p_from.id;
  v_since  timestamptz := coalesce(p_since, '-infinity');
  v_found  app.found;
begin
  with looked as materialized (
    select created_at as at, id from app.contents
    where deleted_at is null and (created_at, id) < (v_from, v_before) and created_at >= v_since
    order by created_at desc, id desc limit 400
  ), seen as materialized (
    select array(
      select l.id from looked l
      join app.contents c on c.id = l.id
      join app.users u on u.id = c.author_id and u.erased_at is null
      where (p_kind is null or c.kind = p_kind)
        and (p_removed is null or (c.removed_at is not null) = p_removed)
        and (p_words is null or p_words <@ tsvector_to_array(c.words))
      order by l.at desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor(l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $$;
comment on function private.find_staff_contents is
  'The next contents that are of a kind, removed or not, say all these words, and are not older than a moment, as '
  'far as each is asked for, among the next 400. Those of erased people are empty, and left out.';
call private.make_walk('private.find_staff_contents');

create function api.list_contents(
  p_kind text default null, p_status text default null, p_q text default null, p_from timestamptz default null,
  p_to timestamptz default null, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_cursor uuid := private.require_cursor(p_cursor);
  v_kind   text;
  v_from   app.place := (coalesce(p_to, 'infinity'), '00000000-0000-0000-0000-000000000000')::app.place;
  v_words  text[];
  v_found  app.found;
begin
  perform private.require_role('moderator', 'admin');
  if p_kind is not null then
    v_kind := private.require_content_kind(p_kind);
  end if;
  if v_cursor is not null then
    v_from := coalesce(private.cursor_place(v_cursor),
                       (select (c.created_at, c.id)::app.place from app.contents c where c.id = v_cursor));
    if v_from.at is null then
      perform private.fail('cursor_unknown');
    end if;
  end if;
  if pg_input_is_valid(p_q, 'uuid') then
    v_found.ids := array(select id from app.contents
                         where id = p_q::uuid and kind = coalesce(v_kind, kind) and deleted_at is null
                           and (p_status is null or (removed_at is not null) = (p_status = 'removed')));
  else
    v_words := tsvector_to_array(private.words_in(array[p_q]));
    if p_q is null or v_words <> '{}' then
      v_found := private.find_staff_contents(
        v_kind, p_status = 'removed', nullif(v_words, '{}'), p_from, v_from);
    else
      v_found.ids := '{}';   -- no word is nowhere
    end if;
  end if;
  return private.page(private.staff_contents(v_found.ids[:p_limit]), v_found.ids::text[], p_limit, v_found.next);
end $$;
comment on function api.list_contents is
  'Contents of every kind, or of one, newest first, whoever may see them, all, visible or removed ones, since a '
  'moment and before another, of these words or this id. Fails: role_required, content_kind, cursor_unknown, '
  'limit_out_of_range.';

create function private.set_content_removed(p_kind text, p_id uuid, p_removed boolean, p_reason text) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_content app.contents;
  v_kind    text;
begin
  perform private.require_role('admin');
  v_kind := private.require_content_kind(p_kind);
  select * into v_content from app.contents
  where id = p_id and kind = v_kind and deleted_at is null for no key update;
  if not found then
    perform private.fail('content_unknown');
  end if;
  if (v_content.removed_at is not null) <> p_removed then
    update app.contents set removed_at = case when p_removed then now() end
    where id = p_id
    returning removed_at into v_content.removed_at;
    perform private.record_moderation(v_kind, p_id, case when p_removed then 'removed' else 'restored' end,
                                      v_content.author_id, p_reason);
  end if;
  return json_build_object('id', p_id, 'kind', v_kind, 'removedAt', private.utc(v_content.removed_at));
end $$;
comment on function private.set_content_removed is
  'Takes a content from all but its author, or gives it back: {id, kind, removedAt}. Repeating it changes nothing '
  'and leaves no entry; a deleted content is unknown. Fails: role_required, content_kind, content_unknown, '
  'text_unfit, reason_length.';

create function api.remove_content(p_kind text, p_id uuid, p_reason text default null) returns json
language plpgsql volatile
set search_path = ''
as $$ begin return private.set_content_removed(p_kind, p_id, true, p_reason); end $$;
comment on function api.remove_content is
  'Takes a content from all but its author; repeating it changes nothing. {id, kind, removedAt}. Leaves an audit '
  'entry. Fails: role_required, content_kind, content_unknown, text_unfit, reason_length.';

create function api.restore_content(p_kind text, p_id uuid, p_reason text default null) returns json
language plpgsql volatile
set search_path = ''
as $$ begin return private.set_content_removed(p_kind, p_id, false, p_reason); end $$;
comment on function api.restore_content is
  'Gives a removed content back to whoever saw it; repeating it changes nothing. {id, kind, removedAt}. Leaves an '
  'audit entry. Fails: role_required, content_kind, content_unknown, text_unfit, reason_length.';
