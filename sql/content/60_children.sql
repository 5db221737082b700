-- Children are what people leave within the contents of others, such as arguments and solutions. Staff can remove the
-- registered kinds of children in the same way as contents. A ban hides children and an erasure empties them, whatever
-- their kind. docs/decisions.md, Contents; Staff; Erasure and export.

create table private.content_child_kinds (
  kind     text primary key check (kind ~ '^[a-z]+$'),
  plural   text not null unique check (plural ~ '^[a-z]+$'),
  relation regclass not null unique,
  details  regclass not null unique
);
comment on table private.content_child_kinds is
  'Registry: kinds of children of contents that staff can remove and restore, by setting removed_at of relation. '
  'details is a view (id, content_id, author_id, created_at, removed_at, words, detail) of the children that are '
  'not deleted.';
comment on column private.content_child_kinds.plural is 'The kind''s name under /admin/content.';

create table private.content_child_tables (
  relation regclass primary key,
  person   name not null,
  key      name not null,
  words    name,
  stays    boolean not null default false
);
comment on table private.content_child_tables is
  'Registry: tables of what people leave within contents. Their column author_hidden says whether the author is '
  'banned or erased. person and key are the columns that identify a person''s rows; an index covers both. An '
  'erasure empties the column words. If words is null, an erasure deletes the rows, unless stays is true; then the '
  'feature erases them itself.';

create function private.prepare_child() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.words := private.words_in(array[new.body]);
  return new;
end $$;
comment on function private.prepare_child is
  'Trigger: fills the words of a child from its body, because a search by staff would otherwise parse 400 texts.';

create function private.count_children() returns trigger
language plpgsql security definer   -- only triggers may write counts
set search_path = ''
as $$
declare
  v_children text := format('select %I, 1 from written where %s', tg_argv[0], tg_argv[3]);
  v_content  uuid;
  v_more     integer;
begin
  if tg_op = 'UPDATE' then
    v_children := v_children || format(' union all select %I, -1 from overwritten where %s', tg_argv[0], tg_argv[3]);
  end if;
  for v_content, v_more in execute format(
    'select c.id, sum(c.one) from (%s) c (id, one) group by c.id having sum(c.one) <> 0 order by c.id', v_children)
  loop
    execute format('update %1$s set %2$I = %2$I + $1 where id = $2', tg_argv[1], tg_argv[2]) using v_more, v_content;
  end loop;
  return null;
end $$;
comment on function private.count_children is
  'Trigger: counts the children that everybody may see, as replies to posts are counted. Its arguments are the column '
  'that names the content, the detail table, that table''s column for the count, and the condition for children that '
  'count. The transition tables must have the names `written` and, for an update, `overwritten`.';

create function private.next_children(p_author uuid, p_kind text, p_after uuid) returns uuid[]
language plpgsql stable security definer   -- called by definer functions that change a person's rows
set search_path = ''
as $$
declare
  v_ids uuid[];
begin
  execute format('select array(select id from %s where author_id = $1 and id > $2 order by id limit 500)',
                 (select relation from private.content_child_kinds where kind = p_kind))
    into v_ids using p_author, coalesce(p_after, '00000000-0000-0000-0000-000000000000');
  return v_ids;
end $$;
comment on function private.next_children is
  'The next 500 children of this kind by a person, in the order of their ids, after the child p_after.';
call private.force_index_scans('private.next_children');

create function private.hide_or_show_children(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- a ban and an erasure change rows of the banned or erased person
set search_path = ''
as $$
declare
  v_user    uuid := (p_job ->> 'userId')::uuid;
  v_child   private.content_child_tables;
  v_hidden  boolean;
  v_erased  boolean;
  v_ids     uuid[];
  v_changed integer;
begin
  -- see private.hide_or_show_contents
  select banned_at is not null or erased_at is not null, erased_at is not null into v_hidden, v_erased
  from app.users where id = v_user for share;
  select * into v_child from private.content_child_tables where relation = (p_job ->> 'relation')::regclass;
  execute format('select array(select %1$I from %2$s where %3$I = $1 and %1$I > $2 order by %1$I limit 500)',
                 v_child.key, v_child.relation, v_child.person)
    into v_ids using v_user, coalesce(p_after, '00000000-0000-0000-0000-000000000000');
  execute case
    when v_erased and v_child.words is null and not v_child.stays then
      format('delete from %2$s where %3$I = $1 and %1$I = any ($2)', v_child.key, v_child.relation, v_child.person)
    when v_erased and v_child.words is not null then
      format('update %2$s set author_hidden = true, %4$I = %5$L
              where %3$I = $1 and %1$I = any ($2) and (not author_hidden or %4$I <> %5$L)',
             v_child.key, v_child.relation, v_child.person, v_child.words, '')
    else
      format('update %2$s set author_hidden = $3 where %3$I = $1 and %1$I = any ($2) and author_hidden <> $3',
             v_child.key, v_child.relation, v_child.person) end
    using v_user, v_ids, v_hidden;
  get diagnostics v_changed = row_count;
  return json_build_object('changed', v_changed, 'next', v_ids[500]);
end $$;
comment on function private.hide_or_show_children is
  'For the worker alone: does the same as private.hide_or_show_contents, for the children in one table. p_job is '
  '{userId, relation}. private.hide_children calls this function for the first 500.';
call private.force_index_scans('private.hide_or_show_children');
call private.make_batch_queue('hidden-children', 'private.hide_or_show_children');

create function private.hide_children(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_job json;
begin
  for v_job in
    select json_build_object('userId', p_user.id, 'relation', relation::text) from private.content_child_tables
    order by relation::text
  loop
    continue when private.hide_or_show_children(v_job::jsonb) ->> 'next' is null;
    if p_user.erased_at is not null then
      perform private.erase_later('hidden-children', v_job);
    else
      perform private.enqueue('hidden-children', v_job);
    end if;
  end loop;
end $$;
comment on function private.hide_children is
  'Step: does the same as private.hide_contents, for 500 rows of each table of children.';
insert into private.account_steps (step, events, position) values
  ('private.hide_children', '{ban,unban,erasure}', 166);
