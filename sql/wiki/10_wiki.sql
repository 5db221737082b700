-- The wiki has an entry for each interest, which the community writes. A version never changes. A new version is made
-- when votes or staff approve a proposal. docs/decisions.md, Wiki.

create table app.wiki_versions (
  id          uuid primary key default gen_random_uuid(),
  interest_id uuid not null references app.interests on delete restrict,
  version     integer not null check (version > 0),
  body        text not null,
  summary     text not null,
  author_id   uuid not null references app.users on delete restrict,
  created_at  timestamptz not null default now(),
  constraint wiki_versions_version_key unique (interest_id, version)
);
create index wiki_versions_author_id_idx on app.wiki_versions (author_id, id);
comment on table app.wiki_versions is
  'Every version of every entry; rows are only added. The entry is the latest version. The text remains when its '
  'author is banned or erased, and then has no author.';
comment on column app.wiki_versions.version is
  'The number of the version, from 1 without gaps. An interest without an entry is at 0.';
call private.make_append_only('app.wiki_versions');

create table app.wiki_proposals (
  id            uuid primary key default gen_random_uuid(),
  interest_id   uuid not null references app.interests on delete restrict,
  author_id     uuid not null references app.users on delete restrict,
  base_version  integer not null check (base_version >= 0),
  body          text,
  summary       text,
  status        text not null default 'open'
                check (status in ('open', 'approved', 'rejected', 'withdrawn', 'superseded')),
  net_votes     integer not null default 0,
  version       integer,
  author_hidden boolean not null default false,
  created_at    timestamptz not null default now(),
  resolved_at   timestamptz,
  foreign key (interest_id, version) references app.wiki_versions (interest_id, version) on delete restrict,
  constraint wiki_body check (length(private.trimmed(body)) >= 1 and length(body) <= 20000),
  constraint wiki_summary check (length(private.trimmed(summary)) between 1 and 300),
  check ((status = 'open') = (resolved_at is null)),
  check ((status = 'approved') = (version is not null))
);
create unique index wiki_proposals_version_key on app.wiki_proposals (interest_id, version) where version is not null;
-- this index leaves out proposals of hidden people, so that readers need not skip hundreds of them
create index wiki_proposals_interest_id_idx on app.wiki_proposals (interest_id, created_at desc, id desc)
  where not author_hidden;
create index wiki_proposals_interest_status_idx
  on app.wiki_proposals (interest_id, status, created_at desc, id desc) where not author_hidden;
create index wiki_proposals_created_at_idx on app.wiki_proposals (created_at desc, id desc);
create index wiki_proposals_status_idx on app.wiki_proposals (status, created_at desc, id desc);
create index wiki_proposals_author_id_idx on app.wiki_proposals (author_id, id);
comment on table app.wiki_proposals is
  'Proposed texts for an entry. Once a proposal is settled, it never changes.';
call private.make_nulls_raise_codes('app.wiki_proposals');
comment on column app.wiki_proposals.base_version is 'The version on which the proposal is based.';
comment on column app.wiki_proposals.body is
  'The whole proposed entry, as Markdown source. Null if the author is erased, like summary.';
comment on column app.wiki_proposals.status is
  'open; then approved (by votes or staff), rejected (by staff), withdrawn (by its author or their erasure), or '
  'superseded (when it was about to be approved, the entry already had a newer version).';
comment on column app.wiki_proposals.net_votes is
  'The sum of the votes. Each vote updates it, under the lock of this row.';
comment on column app.wiki_proposals.version is 'The version that the proposal became; null if it is not approved.';
comment on column app.wiki_proposals.author_hidden is
  'Whether the author is banned or erased, as set by private.hide_children. Until then app.hidden_people hides the '
  'proposal.';
comment on column app.wiki_proposals.resolved_at is 'When the proposal was settled; null while it is open.';

create table app.wiki_votes (
  proposal_id uuid not null references app.wiki_proposals on delete restrict,
  user_id     uuid not null references app.users on delete restrict,
  value       smallint not null check (value in (-1, 1)),
  created_at  timestamptz not null default now(),
  primary key (proposal_id, user_id)
);
create index wiki_votes_user_id_idx on app.wiki_votes (user_id, proposal_id);
comment on table app.wiki_votes is 'Votes on proposals, one per person and proposal.';
comment on column app.wiki_votes.value is '1 for the proposal, -1 against it. A person without a vote has no row.';

insert into private.personal_data (relation, person_column, section) values
  ('app.wiki_versions', 'author_id', 'wikiVersions'),
  ('app.wiki_votes', 'user_id', 'wikiVotes');
insert into private.personal_data (relation, person_column, section, omits) values
  ('app.wiki_proposals', 'author_id', 'wikiProposals', '{author_hidden}');
insert into private.content_child_tables (relation, person, key, stays) values
  ('app.wiki_proposals', 'author_id', 'id', true);

insert into private.write_limits (kind, per_hour) values ('wiki', 60);

insert into private.event_types (name, payload, happens) values
  ('wiki.proposal.resolved', '{proposalId,interestId,status,version}',
   'a proposal for the wiki is approved, rejected or superseded');
insert into private.outbound_events (event, subject_type, subject_field, fields, people) values
  ('wiki.proposal.resolved', 'wiki-proposal', 'proposalId', '{proposalId,interestId,status,version}', '{}');

insert into private.errors (code, status, text) values
  ('wiki_version_unknown', 404, 'The entry of this interest has no such version.'),
  ('wiki_proposal_unknown', 404, 'There is no such proposal.'),
  ('wiki_proposal_not_yours', 403, 'Only the author of a proposal can withdraw it.'),
  ('wiki_proposal_settled', 409, 'This proposal has already been approved, rejected, withdrawn or superseded.'),
  ('wiki_base_stale', 409, 'The entry has a newer version than the one on which the proposal is based.'),
  ('wiki_reputation', 403, 'You need a reputation of 5 in this interest, or of 20 in total, to take part in its '
   'wiki.'),
  ('wiki_vote_oneself', 400, 'You cannot vote on your own proposal.'),
  ('wiki_vote_value', 422, 'A vote must be -1, 0 or 1.'),
  ('wiki_body', 422, 'An entry must have 1 to 20000 characters.'),
  ('wiki_summary', 422, 'A summary must have 1 to 300 characters, on one line.');

create trigger _100_check_author before insert on app.wiki_proposals
  for each row execute function private.check_author();

create function private.require_wiki_reputation(p_user uuid, p_interest uuid) returns void
language plpgsql volatile   -- applies the person's pending effects first
set search_path = ''
as $$
begin
  perform private.lock_effects(p_user);
  if private.reputation_value(p_user, p_interest) < 5 and private.total_reputation(p_user) < 20 then
    perform private.raise_error('wiki_reputation');
  end if;
end $$;
comment on function private.require_wiki_reputation is
  'Passes if the person has a reputation of 5 in the interest or of 20 in total. The function is for definer '
  'functions.';

create function private.check_wiki_author() returns trigger
language plpgsql security definer   -- applies the author's pending effects
set search_path = ''
as $$
begin
  perform private.require_wiki_reputation(new.author_id, new.interest_id);
  return new;
end $$;
comment on function private.check_wiki_author is
  'Trigger: rejects a proposal if its author lacks the reputation for it.';
create trigger _300_check_wiki_author before insert on app.wiki_proposals
  for each row execute function private.check_wiki_author();

create function private.require_wiki(p_slug text) returns app.interests
language plpgsql stable
set search_path = ''
as $$
declare
  v_interest app.interests;
begin
  perform private.require_flag('wiki');
  select * into v_interest from app.interests where slug = lower(p_slug);
  if not found then
    perform private.raise_error('interest_unknown');
  end if;
  return v_interest;
end $$;
comment on function private.require_wiki is 'Returns the interest with this slug, if the wiki is open.';

create function private.require_wiki_author(p_slug text) returns void
language plpgsql volatile security definer   -- applies the caller's pending effects first
set search_path = ''
as $$
declare
  v_interest uuid := (private.require_wiki(p_slug)).id;
begin
  perform private.require_wiki_reputation(private.require_caller(), v_interest);
end $$;
comment on function private.require_wiki_author is
  'Passes if the caller may propose a text for the entry of this interest.';

create function private.wiki_version(p_interest uuid) returns integer
language plpgsql stable
set search_path = ''
as $$
begin
  return coalesce((select max(version) from app.wiki_versions where interest_id = p_interest), 0);
end $$;
comment on function private.wiki_version is
  'Returns the latest version of the entry of an interest; 0 if there is none.';

create view app.wiki_version_card with (security_invoker) as
select v.id, v.interest_id, v.version,
       json_build_object(
         'id', v.id,
         'version', v.version,
         'summary', v.summary,
         'authorId', p.actor_id,
         'author', p.card,
         'createdAt', private.utc(v.created_at)) as card
from app.wiki_versions v left join app.person_card p on p.id = v.author_id;
comment on view app.wiki_version_card is
  'A version in the history, {id, version, summary, authorId, author, createdAt}; authorId and author are null if the '
  'reader can''t see the author.';

create function private.wiki_version_cards(p_ids uuid[]) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return (select json_agg(c.card order by i.place)
          from unnest(p_ids) with ordinality as i (id, place) join app.wiki_version_card c on c.id = i.id);
end $$;
comment on function private.wiki_version_cards is 'Returns the cards of these versions, in order.';
call private.force_index_scans('private.wiki_version_cards');

create function api.get_wiki_entry(p_slug text) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_interest app.interests := private.require_wiki(p_slug);
begin
  return (
    select json_build_object(
             'interestId', v_interest.id,
             'slug', v_interest.slug,
             'name', v_interest.name,
             'version', coalesce(v.version, 0),
             'body', coalesce(v.body, ''),
             'summary', v.summary,
             'authorId', p.actor_id,
             'author', p.card,
             'updatedAt', private.utc(v.created_at))
    from (select) one
    left join app.wiki_versions v
      on v.interest_id = v_interest.id and v.version = private.wiki_version(v_interest.id)
    left join app.person_card p on p.id = v.author_id);
end $$;
comment on function api.get_wiki_entry is
  'Returns the entry of an interest: {interestId, slug, name, version, body, summary, authorId, author, updatedAt}. '
  'If there is no entry, version is 0 and body is empty.';

create function api.list_wiki_versions(p_slug text, p_limit integer default 20, p_cursor text default null)
returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_interest uuid := (private.require_wiki(p_slug)).id;
  v_cursor   uuid := private.require_cursor(p_cursor);
  v_from     integer;
  v_ids      uuid[];
begin
  select version into v_from from app.wiki_versions where id = v_cursor and interest_id = v_interest;
  if v_cursor is not null and v_from is null then
    perform private.raise_error('cursor_unknown');
  end if;
  v_from := coalesce(v_from, 2147483647);
  v_ids := array(select id from app.wiki_versions where interest_id = v_interest and version < v_from
                 order by version desc limit 51);
  return private.page(private.wiki_version_cards(v_ids[:p_limit]), v_ids::text[], p_limit);
end $$;
comment on function api.list_wiki_versions is 'The history of an entry, latest version first, without the texts.';

create function api.get_wiki_version(p_slug text, p_n integer) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_interest app.interests := private.require_wiki(p_slug);
  v_card     json;
begin
  select private.merge_objects(c.card, json_build_object('interestId', v_interest.id, 'slug', v_interest.slug,
                                                  'body', v.body))
  into v_card
  from app.wiki_versions v join app.wiki_version_card c on c.id = v.id
  where v.interest_id = v_interest.id and v.version = p_n;
  if not found then
    perform private.raise_error('wiki_version_unknown');
  end if;
  return v_card;
end $$;
comment on function api.get_wiki_version is
  'Returns a version of an entry: its card in the history, with interestId, slug and body.';

insert into private.links (type, path) values ('wiki-entry', '/wiki/{slug}');
