-- Contents are what people publish besides posts. Each content of any kind (videos, events and so on) has one head
-- here and a row in the detail table of its kind. Only the head decides who sees a content, and what staff, reports
-- and an erasure do with it. docs/decisions.md, Contents.

create table private.content_kinds (
  kind     text primary key check (kind ~ '^[a-z]+$'),
  plural   text not null unique check (plural ~ '^[a-z]+$'),
  relation regclass not null unique,
  details  regclass not null unique,
  eraser   text not null check (eraser ~ '^private\.[a-z_]+$'),
  filter   text check (filter ~ '^private\.[a-z_]+$'),
  titled   boolean not null default true
);
comment on table private.content_kinds is
  'Registry: the kinds of contents. relation is the kind''s detail table, whose key is the head''s id. details is a '
  'view (id, detail) of what a card shows for this kind only. eraser(uuid[]) empties the texts of these contents '
  'when their author is erased. test/model/contents.test.ts checks that each kind is complete.';
comment on column private.content_kinds.filter is
  'filter(uuid, jsonb) returns whether a content matches the filters that only lists of this kind have; null if the '
  'kind has none.';
comment on column private.content_kinds.titled is
  'Whether contents of this kind have a title, and an interest that must be in the catalog. Videos and audio have '
  'neither.';
comment on column private.content_kinds.plural is 'The kind''s name under /admin/content.';

create table app.contents (
  id             uuid primary key default gen_random_uuid(),
  kind           text not null references private.content_kinds on delete restrict,
  author_id      uuid not null references app.users on delete restrict,
  interest_id    uuid,
  title          text,
  space_id       uuid references app.spaces on delete restrict,
  is_draft       boolean not null default false,
  words          tsvector not null default '',
  edited_at      timestamptz,
  removed_at     timestamptz,
  deleted_at     timestamptz,
  author_hidden  boolean not null default false,
  created_at     timestamptz not null default now(),
  required_level smallint not null generated always as (
    case when deleted_at is not null or author_hidden then 4 when removed_at is not null or is_draft then 3
         else 0 end) stored,
  constraint content_title check (length(private.trimmed(title)) between 1 and 200)
);
create domain app.markdown as text constraint content_body check (length(value) between 1 and 20000);
comment on domain app.markdown is 'The body or summary of a content: Markdown, stored as it was written.';

-- The indexes of lists have only contents that everybody sees, or that all members of a space see. Therefore, a
-- person's hundreds of drafts, or contents in a private group, can't slow down other people's pages. Contents that
-- only their author sees have a separate index.
create index contents_kind_idx on app.contents (kind, created_at desc, id desc)
  where required_level = 0 and space_id is null;
create index contents_interest_id_idx on app.contents (interest_id, kind, created_at desc, id desc)
  where required_level = 0 and space_id is null;
create index contents_open_idx on app.contents (created_at desc, id desc)
  where required_level = 0 and space_id is null;
create index contents_open_author_idx on app.contents (author_id, kind, created_at desc, id desc)
  where required_level = 0 and space_id is null;
create index contents_within_author_idx on app.contents (author_id, kind, created_at desc, id desc)
  where required_level = 0 and space_id is not null;
create index contents_own_idx on app.contents (author_id, kind, created_at desc, id desc) where required_level = 3;
create index contents_space_id_idx on app.contents (space_id, kind, created_at desc, id desc)
  where required_level = 0 and space_id is not null;
create index contents_author_id_idx on app.contents (author_id, kind desc, created_at desc, id desc);
create index contents_created_at_idx on app.contents (created_at desc, id desc) where deleted_at is null;
create index contents_deleted_at_idx on app.contents (deleted_at) where deleted_at is not null;
comment on table app.contents is
  'The head of every content: its kind, its author, its space, and who sees it. Columns that only one kind has are in '
  'that kind''s detail table.';
comment on column app.contents.interest_id is
  'The column has no foreign key, because a video may have any id as its interest. A list of an interest also has '
  'the contents of the interests below it.';
comment on column app.contents.title is 'The title, for kinds that have one; null for videos and audio.';
comment on column app.contents.is_draft is 'Whether the content is still a draft, which only its author sees.';
comment on column app.contents.words is 'The words of its title and text, for searches.';
comment on column app.contents.edited_at is 'When its author last edited it; null if never.';
comment on column app.contents.removed_at is
  'When staff removed it, so that only its author sees it; null if it is not removed.';
comment on column app.contents.deleted_at is
  'When its author deleted it permanently. The detail is deleted immediately, and the head 31 days later, so that '
  'cursors stay valid and clients learn of the deletion (private.changes).';
comment on column app.contents.author_hidden is
  'Whether the author is banned or erased. A ban or an erasure sets it immediately for the newest 500 contents, and '
  'the worker for the others (private.hide_or_show_contents). Until then app.hidden_people hides them.';
comment on column app.contents.required_level is
  'Who may see it: 0 everybody (or the members of the space), 3 only the author (removed, draft), 4 nobody '
  '(deleted, author banned or erased). See private.visibility.';
insert into private.retention (relation, counts_from, keep) values ('app.contents', 'deleted_at', '31 days');

insert into private.write_limits (kind, per_hour) values ('contents', 300), ('likes', 2000);

insert into private.errors (code, status, text) values
  ('content_title', 422, 'A title must have 1 to 200 characters.'),
  ('content_body', 422, 'A body or summary must have 1 to 20000 characters.'),
  ('content_not_yours', 403, 'Only the author can do this.');

create trigger _100_check_author before insert on app.contents
  for each row execute function private.check_author();

create view private.visible_contents with (security_invoker) as
select c.*
from app.contents c
cross join lateral private.visibility(c.author_id, c.required_level, c.space_id) v
where v.is_visible;
comment on view private.visible_contents is
  'The contents that the caller may see, for definer functions, to which policies do not apply.';

create view private.listed_contents with (security_invoker) as
select c.*
from private.visible_contents c cross join lateral private.limited_for(c.author_id) l
where not l.is_limited;
comment on view private.listed_contents is
  'The contents that the caller may find in searches, and in lists that name neither author nor space: visible '
  'contents whose author is not limited for the caller (private.limited_for). The view is for definer functions.';

create view private.written_heads with (security_invoker) as
select c.id, c.kind,
       json_build_object(
         'id', c.id,
         'kind', c.kind,
         'authorId', author.actor_id,
         'author', author.card,
         'interestId', c.interest_id,
         'interest', (select json_build_object('id', i.id, 'slug', i.slug, 'name', i.name,
                                               'accentColor', i.accent_color)
                      from app.interests i where i.id = c.interest_id),
         'title', c.title,
         'groupId', s.group_id,
         'guildId', s.guild_id,
         'createdAt', private.utc(c.created_at),
         'editedAt', private.utc(c.edited_at),
         'removedAt', private.utc(c.removed_at)) as head
from app.contents c
join app.person_card author on author.id = c.author_id
left join lateral (
  select case p.kind when 'group' then p.id end as group_id, case p.kind when 'guild' then p.id end as guild_id
  from app.spaces p where p.id = c.space_id) s on true;
comment on view private.written_heads is
  'The heads of contents, whoever may see them. The view is for kinds whose contents some people may see even if '
  'they can''t see the head.';

create view private.content_heads with (security_invoker) as
select h.id, h.kind, h.head from private.visible_contents c join private.written_heads h on h.id = c.id;
comment on view private.content_heads is
  'The heads of the contents that the caller may see, with which the card of every kind begins: {id, kind, '
  'authorId, author, interestId, interest, title, groupId, guildId, createdAt, editedAt, removedAt}. The view is '
  'for definer functions.';

insert into private.lock_kinds (kind, position) values ('content', 560);

create function private.words_in(p_texts text[]) returns tsvector
language plpgsql stable security definer   -- people may not call the functions that it calls
set search_path = ''
as $$ begin return private.keyword_words(private.fold(left(array_to_string(p_texts, e'\x1f'), 25000))); end $$;
comment on function private.words_in is
  'The words of these texts, without case and accents, as stored in app.contents.words.';

create function private.require_body(p_text text) returns app.markdown
language plpgsql stable
set search_path = ''
as $$ begin return coalesce(private.require_markdown(p_text), ''); end $$;
comment on function private.require_body is 'Returns a body or summary as it is stored. Fails: content_body.';

create function private.add_content(
  p_kind text, p_interest uuid, p_title text, p_texts text[], p_group_id text default null,
  p_guild_id text default null
) returns uuid
language plpgsql volatile security definer   -- callers may not write a head or read the registry
set search_path = ''
as $$
declare
  v_id     uuid;
  v_title  text := p_title;
  v_space  uuid := private.find_named_space(p_group_id, p_guild_id);
  v_titled boolean := (select titled from private.content_kinds where kind = p_kind);
begin
  perform private.count_writes('contents');
  perform private.write_in_space(v_space);
  if v_titled then
    v_title := coalesce(private.require_name(p_title), '');
  end if;
  if v_titled and p_interest is not null then
    perform private.require_interest(p_interest);
  end if;
  insert into app.contents (kind, author_id, interest_id, title, space_id, words)
  values (p_kind, private.require_caller(), p_interest, v_title, v_space, private.words_in(v_title || p_texts))
  returning id into v_id;
  return v_id;
end $$;
comment on function private.add_content is
  'Writes the head of a new content of the caller, optionally in a group or guild. Searches find the content by the '
  'words of its title and of these texts. The function of its kind writes the detail. Fails: content_title.';

create function private.require_content(p_kind text, p_id uuid) returns app.contents
language plpgsql stable   -- runs as the invoker: a row that row-level security hides is unknown
set search_path = ''
as $$
declare
  v_content app.contents;
begin
  select * into v_content from app.contents where id = p_id and kind = p_kind;
  if not found then
    perform private.raise_error(p_kind || '_unknown');
  end if;
  return v_content;
end $$;
comment on function private.require_content is
  'Returns the head of a content of this kind if the caller may see it. Fails with the code of its kind, such as '
  'video_unknown.';

create function private.require_reported_content(p_kind text, p_target text) returns uuid
language plpgsql stable   -- runs as the invoker: a row that row-level security hides is unknown
set search_path = ''
as $$
begin
  return (private.require_content(p_kind, private.require_uuid(p_target, p_kind || '_unknown'))).id;
end $$;
comment on function private.require_reported_content is
  'Returns the content of this kind that a report names, if the caller may see it. Fails with the code of its kind.';

create function private.share_lock_content(p_id uuid) returns void
language plpgsql volatile security definer   -- callers may not lock heads
set search_path = ''
as $$
begin
  perform private.check_lock_order('content', p_id::text);
  perform from app.contents where id = p_id for share;
end $$;
comment on function private.share_lock_content is
  'Locks a head until the transaction ends. Transactions that change or delete the content wait.';

create function private.require_shown(p_content app.contents) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if p_content.required_level <> 0 then
    perform private.raise_error(p_content.kind || '_unknown');
  end if;
end $$;
comment on function private.require_shown is
  'Passes if people other than the author can see the content. The author can still read, change, end and delete a '
  'content that staff removed. But nobody can add anything to the content, and the author can''t fill a role, '
  'publish an update, add a bounty or accept a solution. Fails with the code of its kind.';

create function private.lock_open_content(p_kind text, p_id uuid) returns app.contents
language plpgsql volatile
set search_path = ''
as $$
declare
  v_content app.contents := private.require_content(p_kind, p_id);
begin
  -- lock the person before the head, even for the caller's own content: ARCHITECTURE.md, Locks
  perform private.share_lock_person(private.require_caller());
  perform private.write_in_space(v_content.space_id);
  perform private.share_lock_content(p_id);
  -- check again, because the content may have changed during the wait
  v_content := private.require_content(p_kind, p_id);
  perform private.require_shown(v_content);
  return v_content;
end $$;
comment on function private.lock_open_content is
  'For callers that add something to a content: returns its head, share-locked, if the caller can see it, it is not '
  'removed, and its space is not archived.';

create function private.lock_own_content(p_kind text, p_id uuid, p_seen boolean default true) returns app.contents
language plpgsql volatile security definer   -- callers may not lock heads; the function checks who sees the head
set search_path = ''
as $$
declare
  v_content app.contents;
begin
  if p_seen then
    perform private.count_writes('edits');   -- count before any lock: ARCHITECTURE.md, Locks
  end if;
  perform private.check_lock_order('content');
  select * into v_content from app.contents
  where id = p_id and kind = p_kind and author_id = private.require_caller() and deleted_at is null for no key update;
  if found and (not p_seen or exists (select from private.visible_contents where id = p_id)) then
    return v_content;
  elsif exists (select from private.visible_contents where id = p_id and kind = p_kind and author_id <> app.uid()) then
    perform private.raise_error('content_not_yours');
  end if;
  perform private.raise_error(p_kind || '_unknown');
  return null;
end $$;
comment on function private.lock_own_content is
  'Returns the head of the caller''s own content of this kind, locked until the transaction ends. It may be removed '
  'or a draft. If p_seen is false, for deleting or settling, the call also works in a space that the caller has '
  'left, and doesn''t count as an edit.';

create function private.edit_content(p_content app.contents, p_changes jsonb, p_texts text[]) returns void
language plpgsql volatile security definer   -- callers may not change a head
set search_path = ''
as $$
declare
  v_title    text := p_content.title;
  v_interest uuid := p_content.interest_id;
begin
  if p_changes ? 'title' then
    v_title := coalesce(private.require_name(p_changes ->> 'title'), '');
  end if;
  if p_changes ? 'interestId' then
    v_interest := (p_changes ->> 'interestId')::uuid;
  end if;
  if v_interest is distinct from p_content.interest_id and v_interest is not null then
    perform private.require_interest(v_interest);
  end if;
  update app.contents
  set title = v_title, interest_id = v_interest, words = private.words_in(v_title || p_texts), edited_at = now()
  where id = p_content.id;
end $$;
comment on function private.edit_content is
  'Changes the title and the interest of a content to those in p_changes, {title?, interestId?}, and its words to '
  'the words of these texts. Call private.lock_own_content first. Fails: content_title.';
