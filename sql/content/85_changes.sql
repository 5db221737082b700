-- The changes of contents that GET /sync lists (sql/base/63_changes.sql). docs/decisions.md, Feed.

create function private.note_changed_content() returns trigger
language plpgsql security definer   -- people may not write changes
set search_path = ''
as $$
begin
  -- only its author can see a draft
  perform private.note_changed('content', new.id, case when old.is_draft then 3
                                                       else least(old.required_level, new.required_level) end);
  return null;
end $$;
comment on function private.note_changed_content is
  'Trigger: notes a change of a content''s text, interest or visibility.';
create constraint trigger _900_note_changed_content
  after update of title, interest_id, edited_at, is_draft, removed_at, deleted_at, author_hidden on app.contents
  deferrable initially deferred
  for each row when ((old.title, old.interest_id, old.edited_at, old.required_level)
                     is distinct from (new.title, new.interest_id, new.edited_at, new.required_level))
  execute function private.note_changed_content();

create function private.find_changed_contents(p_ids uuid[], p_levels smallint[]) returns setof app.change
language plpgsql stable security definer   -- deleted contents are included
set search_path = ''
as $$
begin
  return query
  select c.id, c.kind, not present.is_visible
  from unnest(p_ids, p_levels) n (id, level)
  join app.contents c on c.id = n.id
  cross join lateral private.visibility(c.author_id, n.level, c.space_id) noted
  cross join lateral private.visibility(c.author_id, c.required_level, c.space_id) present
  where noted.is_addressed;
end $$;
comment on function private.find_changed_contents is
  'Returns the changed contents for which the caller has the level of the change: {id, type, gone}.';
call private.force_index_scans('private.find_changed_contents');
insert into private.change_sources (source, finder) values ('content', 'private.find_changed_contents');
