// Which operations touch posts, derived from the schema: the source of each function, of the functions and views that
// it names, and of the policies of the tables. Triggers and listeners of events are not followed, because they return
// nothing to a caller.
export const touching = `
  with recursive
    ours as (select oid, nspname from pg_namespace where nspname in ('app', 'private', 'api')),
    relations as (select c.oid, c.relkind, o.nspname || '.' || c.relname as name from pg_class c join ours o on o.oid = c.relnamespace),
    -- posts and replies, and every table that refers to them by a foreign key
    keyed (oid) as (
      select oid from relations where name in ('app.posts', 'app.replies')
      union select c.conrelid from pg_constraint c join keyed k on k.oid = c.confrelid where c.contype = 'f'),
    roots (name) as (
      select r.name from relations r join keyed k on k.oid = r.oid
      -- tables that name them without a key
      union select r.name from relations r join pg_attribute a on a.attrelid = r.oid
            where r.relkind in ('r', 'p') and a.attname ~ '^(post|reply|target|source)_id$'
      -- the registries that name tables and functions used by dynamic SQL
      union values ('private.personal_data'), ('private.report_targets'), ('private.change_sources')),
    said (name, text) as (
      select o.nspname || '.' || p.proname, p.prosrc from pg_proc p join ours o on o.oid = p.pronamespace
      where p.proname <> 'dispatch_event'
      union all select name, pg_get_viewdef(oid) from relations where relkind = 'v'
      union all select r.name, concat(pg_get_expr(q.polqual, q.polrelid), ' ', pg_get_expr(q.polwithcheck, q.polrelid))
                from pg_policy q join relations r on r.oid = q.polrelid),
    mentions (name, other) as (
      select distinct s.name, m.part[1]
      from said s cross join lateral regexp_matches(s.text, '\\m((?:app|private|api)\\.\\w+)', 'g') m (part)),
    reached (name) as (
      select name::text collate "C" from roots
      union select m.name::text collate "C" from mentions m join reached r on r.name = m.other collate "C")
  -- only operations that people can call; the service role's are for staff, who see everything
  select p.proname as operation from pg_proc p join reached r on r.name = 'api.' || p.proname
  where p.pronamespace = 'api'::regnamespace
    and exists (select from unnest(array['anon', 'authenticated', 'gate']) g where has_function_privilege(g, p.oid, 'execute'))
  order by 1`

/** Operations that touch posts, or tables that may name one, and still need no test. */
export const unasked: Record<string, string> = {
  count_views: 'is for the facade only, answers nothing, and ignores unknown posts',
  list_changes: 'has a model of its own: test/model/catching-up.test.ts',
  count_unread: 'counts the notifications that list_notifications shows',
  mark_read: 'marks as read what list_notifications shows, and answers how many these are',
  create_series: 'makes a series without items, while add_series_item and list_series_items have tests with items',
  create_appeal: 'names an entry of the caller’s own ledger, without its cause',
  list_my_appeals: 'shows the caller’s own appeals, without the cause of an entry',
  get_reputation_details: 'shows the caller’s own ledger: points and kinds, without causes',
  list_space_reports:
    'shows what was reported in a space to those who moderate it, including what is hidden or across a block',
  act_on_space_report: 'acts on what list_space_reports shows',
  list_suggested: 'shows the authors of posts that the viewer sees',
  get_standing: 'shows decisions about the caller, with ids of their own things',
  get_statement: 'as get_standing',
  appeal_decision: 'as get_standing',
  find_standing: 'the same as get_standing, with the password of the person',
  appeal_by_password: 'as find_standing',
  find_statement: 'as find_standing',
  get_public_post: 'has no viewer, and test/db/posts/public-pages.sql asks about each kind of post and author',
  get_public_profile: 'as get_public_post',
  vote_reputation: 'writes to the ledger, and names only a person and an interest',
}
