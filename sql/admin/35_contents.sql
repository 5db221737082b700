-- How staff finds contents of every kind, removes them for everyone except their author, and restores them.
-- docs/decisions.md, Staff; Contents.

insert into private.errors (code, status, text) values
  ('content_unknown', 404, 'There is no such content of this kind.'),
  ('content_kind', 422, 'There is no such kind of content. The names of kinds are plural, such as videos.');

create function private.require_content_kind(p_plural text) returns text
language plpgsql stable security definer   -- callers may not read the registry
set search_path = ''
as $$
declare
  v_kind text;
begin
  select kind into v_kind from private.content_kinds where plural = p_plural
  union all select kind from private.content_child_kinds where plural = p_plural;
  if not found then
    perform private.raise_error('content_kind');
  end if;
  return v_kind;
end $$;
comment on function private.require_content_kind is
  'Returns the kind of contents or of children that a path of /admin/content names.';

create function private.staff_contents(p_ids uuid[]) returns json
language plpgsql stable security definer   -- reads in the registry which view has the details of each kind
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
  'Contents as staff sees them, in order: the head with the author''s UUID, and the details of their kind.';

create function private.find_staff_contents(
  p_kind text, p_id uuid, p_removed boolean, p_words text[], p_since timestamptz, p_from app.place
) returns app.found
language plpgsql stable security definer   -- reads the registry, and the contents and children that it names
set search_path = ''
as $$
declare
  v_child regclass := (select details from private.content_child_kinds where kind = p_kind);
  v_found app.found;
begin
  execute format($q$
    with looked as materialized (
      select * from %s
      where (created_at, id) < ($1, $2) and created_at >= coalesce($3, '-infinity') and %s
    ), seen as materialized (
      select array(
        select l.id from looked l
        join app.users u on u.id = l.author_id and u.erased_at is null
        where %s
          and ($5 is null or (l.removed_at is not null) = $5)
          and ($6 is null or $6 <@ tsvector_to_array(l.words))
        order by l.created_at desc, l.id desc limit 51) as ids
    )
    select s.ids, case when cardinality(s.ids) < 51
                       then (select private.place_cursor($8, l.created_at, l.id)
                             from (select * from looked offset 399 limit 1) l) end
    from seen s $q$,
    coalesce(v_child::text, 'app.contents'),
    case when v_child is null then 'deleted_at is null and ' else '' end
    || case when p_id is not null then 'id = $7' else 'true order by created_at desc, id desc limit 400' end,
    case when v_child is null then '($4 is null or l.kind = $4)' else 'true' end)
  into v_found
  using p_from.at, p_from.id, p_since, p_kind, p_removed, p_words, p_id,
        case when v_child is null then 'all contents' else 'all ' || p_kind end;
  return v_found;
end $$;
comment on function private.find_staff_contents is
  'Returns the content or child with this id, or the next ones among the next 400 rows: contents of one kind or all, '
  'or children of one kind. Each filter may be null: the kind, removed or not, all these words, not older than a '
  'time. Leaves out contents of erased people, which are empty.';
call private.force_index_scans('private.find_staff_contents');

create function private.find_staff_child(p_kind text, p_id uuid) returns app.place
language plpgsql stable security definer   -- reads the registry, and the details that it names
set search_path = ''
as $$
declare
  v_place app.place;
begin
  execute format('select created_at, id from %s where id = $1',
                 (select details from private.content_child_kinds where kind = p_kind)) into v_place using p_id;
  return v_place;
end $$;
comment on function private.find_staff_child is
  'Returns the place of a child of this kind; null if there is no such child.';

create function private.staff_children(p_kind text, p_ids uuid[]) returns json
language plpgsql stable security definer   -- reads the registry, and the details that it names
set search_path = ''
as $$
declare
  v_children json;
begin
  execute format($q$
    select json_agg(json_build_object(
             'id', d.id, 'kind', $1, 'authorId', d.author_id, 'author', author.card,
             'interestId', c.interest_id, 'title', null,
             'groupId', case s.kind when 'group' then s.id end, 'guildId', case s.kind when 'guild' then s.id end,
             'detail', d.detail,
             'createdAt', private.utc(d.created_at),
             'editedAt', null,
             'removedAt', private.utc(d.removed_at)) order by p.place)
    from unnest($2) with ordinality as p (id, place)
    join %s d on d.id = p.id
    join app.person_card author on author.id = d.author_id
    left join app.contents c on c.id = d.content_id
    left join app.spaces s on s.id = c.space_id $q$,
    (select details from private.content_child_kinds where kind = p_kind))
  into v_children using p_kind, p_ids;
  return v_children;
end $$;
comment on function private.staff_children is
  'Children of one kind as staff sees them, in order, like private.staff_contents; the details name their content, '
  'which may be deleted.';

create function private.is_child_kind(p_kind text) returns boolean
language plpgsql stable security definer   -- reads the registry
set search_path = ''
as $$ begin return exists (select from private.content_child_kinds where kind = p_kind); end $$;
comment on function private.is_child_kind is 'Returns whether this is a kind of children, and not of contents.';

create function api.list_contents(
  p_kind text default null, p_status text default null, p_q text default null, p_from timestamptz default null,
  p_to timestamptz default null, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_kind   text;
  v_from   app.place := (coalesce(p_to, 'infinity'), '00000000-0000-0000-0000-000000000000')::app.place;
  v_id     uuid;
  v_words  text[];
  v_found  app.found := ('{}', null)::app.found;
begin
  perform private.require_role('moderator', 'admin');
  if p_kind is not null then
    v_kind := private.require_content_kind(p_kind);
  end if;
  if p_cursor is not null then
    v_from := private.require_place(
      case when private.is_child_kind(v_kind) then 'all ' || v_kind else 'all contents' end, p_cursor);
    if v_from.at is null and private.is_child_kind(v_kind) then
      v_from := private.find_staff_child(v_kind, v_from.id);
    elsif v_from.at is null then
      v_from.at := (select created_at from app.contents where id = v_from.id);
    end if;
    if v_from.at is null then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  if pg_input_is_valid(p_q, 'uuid') then
    v_id := p_q::uuid;
  else
    v_words := nullif(tsvector_to_array(private.words_in(array[p_q])), '{}');
  end if;
  if p_q is null or v_id is not null or v_words is not null then   -- a query without words finds nothing
    v_found := private.find_staff_contents(v_kind, v_id, p_status = 'removed', v_words, p_from, v_from);
  end if;
  return private.page(
    case when private.is_child_kind(v_kind) then private.staff_children(v_kind, v_found.ids[:p_limit])
         else private.staff_contents(v_found.ids[:p_limit]) end,
    v_found.ids::text[], p_limit, v_found.next);
end $$;
comment on function api.list_contents is
  'All contents, or those of one kind, or all children of one kind, newest first, whatever their visibility. Filters: '
  'visible or removed, a period, words, an id.';

create function private.set_child_removed(p_kind text, p_id uuid, p_removed boolean, p_reason text) returns json
language plpgsql volatile security definer   -- reads the registry, and changes the children that it names
set search_path = ''
as $$
declare
  v_child   private.content_child_kinds;
  v_author  uuid;
  v_removed timestamptz;
begin
  select * into v_child from private.content_child_kinds where kind = p_kind;
  execute format('select author_id, removed_at from %s where id = $1 for no key update', v_child.relation)
    into v_author, v_removed using p_id;
  if (private.find_staff_child(p_kind, p_id)).id is null then
    perform private.raise_error('content_unknown');
  end if;
  if not p_removed then
    perform private.refuse_own(p_kind, p_id, v_author);
  end if;
  if (v_removed is not null) <> p_removed then
    v_removed := case when p_removed then now() end;
    execute format('update %s set removed_at = $2 where id = $1', v_child.relation) using p_id, v_removed;
    perform private.record_moderation(p_kind, p_id, case when p_removed then 'removed' else 'restored' end, v_author,
                                      p_reason);
  elsif private.takes_over(p_kind, p_id, p_removed) then
    perform private.record_moderation(p_kind, p_id, 'removed', v_author, p_reason);
  end if;
  return json_build_object('id', p_id, 'kind', p_kind, 'removedAt', private.utc(v_removed));
end $$;
comment on function private.set_child_removed is 'Does the same as private.set_content_removed, for a child.';

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
  if private.is_child_kind(v_kind) then
    return private.set_child_removed(v_kind, p_id, p_removed, p_reason);
  end if;
  perform private.check_lock_order('content');
  select * into v_content from app.contents
  where id = p_id and kind = v_kind and deleted_at is null for no key update;
  if not found then
    perform private.raise_error('content_unknown');
  end if;
  if not p_removed then
    perform private.refuse_own(v_kind, p_id, v_content.author_id);
  end if;
  if (v_content.removed_at is not null) <> p_removed then
    update app.contents set removed_at = case when p_removed then now() end
    where id = p_id
    returning removed_at into v_content.removed_at;
    perform private.record_moderation(v_kind, p_id, case when p_removed then 'removed' else 'restored' end,
                                      v_content.author_id, p_reason);
  elsif private.takes_over(v_kind, p_id, p_removed) then
    perform private.record_moderation(v_kind, p_id, 'removed', v_content.author_id, p_reason);
  end if;
  return json_build_object('id', p_id, 'kind', v_kind, 'removedAt', private.utc(v_content.removed_at));
end $$;
comment on function private.set_content_removed is
  'Removes a content for everyone except its author, or restores it: {id, kind, removedAt}. Repeating it changes '
  'nothing and leaves no audit entry, unless staff removes what a rule has removed (private.takes_over); a deleted '
  'content is unknown. Nobody can restore what they wrote themselves.';

create function api.remove_content(p_kind text, p_id uuid, p_reason text default null) returns json
language plpgsql volatile
set search_path = ''
as $$ begin return private.set_content_removed(p_kind, p_id, true, p_reason); end $$;
comment on function api.remove_content is
  'Removes a content for everyone except its author: {id, kind, removedAt}. Repeating it changes nothing. Leaves an '
  'audit entry.';

create function api.restore_content(p_kind text, p_id uuid, p_reason text default null) returns json
language plpgsql volatile
set search_path = ''
as $$ begin return private.set_content_removed(p_kind, p_id, false, p_reason); end $$;
comment on function api.restore_content is
  'Restores a removed content for everyone who could see it: {id, kind, removedAt}. Repeating it changes nothing. '
  'Leaves an audit entry.';
