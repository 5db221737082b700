-- Who may see and change the tables of sql/base/. This file belongs to sql/base/.

-- users
alter table app.users enable row level security;
grant select (id, person_id, username, created_at) on app.users to authenticated;
create policy select_reachable on app.users for select to authenticated
  using (banned_at is null and erased_at is null
     and private.may_meet((select a.level from app.audience a
                           where a.viewer_id = (select app.uid()) and a.author_id = users.id)));
comment on policy select_reachable on app.users is
  'People see everyone except banned and erased people, those they blocked, and those who blocked them. Only definer '
  'functions write the columns that sql/base creates, except username (policies/identity.sql).';

-- hidden_people
alter table app.hidden_people enable row level security;
grant select on app.hidden_people to authenticated;
create policy select_all on app.hidden_people for select to authenticated using (true);
comment on policy select_all on app.hidden_people is
  'The policies of posts and replies read the table for every caller; it contains only internal ids.';

-- limited_people
alter table app.limited_people enable row level security;
grant select on app.limited_people to authenticated;
create policy select_all on app.limited_people for select to authenticated using (true);
comment on policy select_all on app.limited_people is
  'Lists that run with their caller''s rights read the table; it contains only internal ids.';

-- usernames: only for definer functions
alter table app.usernames enable row level security;

-- personal_data: only for definer functions
alter table private.personal_data enable row level security;

-- revoked_tokens: only for definer functions
alter table private.revoked_tokens enable row level security;

-- scopes, operation_scopes: registries, only for definer functions
alter table private.scopes enable row level security;
alter table private.operation_scopes enable row level security;

-- operations_of_people: a registry, only for definer functions
alter table private.operations_of_people enable row level security;

-- people_with_factor: only for definer functions
alter table private.people_with_factor enable row level security;

-- errors: only for definer functions
alter table private.errors enable row level security;

-- settings
alter table app.settings enable row level security;
grant select on app.settings to anon, authenticated, gate;
grant select on private.instance to authenticated, service_role;
create policy select_all on app.settings for select to anon, authenticated, gate using (true);
comment on policy select_all on app.settings is 'Everyone may read the settings, because none is secret.';

-- jwt_fingerprint: only for the owner of the schema, at boot
alter table private.jwt_fingerprint enable row level security;

-- login_secret: only for the owner of the schema, who derives passwords from it
alter table private.login_secret enable row level security;

-- cursor_keys: only for definer functions
alter table private.cursor_keys enable row level security;

-- feature_flags
alter table app.feature_flags enable row level security;
grant select on app.feature_flags to authenticated;
create policy select_all on app.feature_flags for select to authenticated using (true);
comment on policy select_all on app.feature_flags is 'Everyone may see which features are on; staff switch them.';

-- audience
alter table app.audience enable row level security;
grant select on app.audience to authenticated;
create policy select_own on app.audience for select to authenticated using (viewer_id = (select app.uid()));
comment on policy select_own on app.audience is
  'Viewers see their own audience levels, because other policies read them. Triggers write them.';

-- events: a registry, only for definer functions
alter table private.event_types enable row level security;

-- links: a registry, only for definer functions
alter table private.links enable row level security;

-- account_steps: a registry, only for definer functions
alter table private.account_steps enable row level security;

-- lock_ranks, lock_kinds: registries, only for definer functions
alter table private.lock_ranks enable row level security;
alter table private.lock_kinds enable row level security;

-- outbound_events: a registry, only for definer functions
alter table private.outbound_events enable row level security;

-- change_sources (a registry), changes: only for definer functions
alter table private.change_sources enable row level security;
alter table private.changes enable row level security;

-- vital_tables: a registry, only for definer functions
alter table private.vital_tables enable row level security;

-- unlogged_events, event_log: only for definer functions
alter table private.unlogged_events enable row level security;
alter table private.event_log enable row level security;

-- event_listeners: a registry, only for definer functions
alter table private.event_listeners enable row level security;

-- effects: only for definer functions
alter table private.effects enable row level security;

-- stuck_effects: only for definer functions
alter table private.stuck_effects enable row level security;

-- ledger_kinds: a registry, only for definer functions
alter table private.ledger_kinds enable row level security;

-- realtime_topics: a registry, only for definer functions
alter table private.realtime_topics enable row level security;

-- domain_events: for definer functions and staff operations
alter table app.domain_events enable row level security;

-- idempotency_keys: for definer functions and staff operations
alter table app.idempotency_keys enable row level security;

-- audit_log: for definer functions and staff operations
alter table app.audit_log enable row level security;

-- audit_details: for definer functions and staff operations
alter table app.audit_details enable row level security;

-- audit_head: only for definer functions
alter table private.audit_head enable row level security;

-- job_runs: only for definer functions
alter table private.job_runs enable row level security;

-- verified_backups: only for definer functions
alter table private.verified_backups enable row level security;

-- jobs: a registry, only for definer functions
alter table private.jobs enable row level security;

-- batch_queues: a registry, only for definer functions
alter table private.batch_queues enable row level security;

-- retention: a registry, only for definer functions
alter table private.retention enable row level security;

-- rates: only for definer functions; they count calls before the caller is known
alter table private.rates enable row level security;

-- write_limits: a registry, only for definer functions
alter table private.write_limits enable row level security;

-- write_counts: only for definer functions
alter table private.write_counts enable row level security;

-- realtime.messages
create policy select_audience on realtime.messages for select to authenticated
  using (extension = 'broadcast' and (select private.may_listen((select realtime.topic()))));
do $$ begin
  comment on policy select_audience on realtime.messages is
  'Only the people for whom a channel is meant may listen to it (private.realtime_topics). Only the database sends, '
  'so there is no policy for insert.';
exception when insufficient_privilege then null;   -- if the platform owns the table, Kith may only create policies
end $$;

-- helpers that operations call with their caller's rights; test/grants.test.ts finds a needless grant
grant execute on function
  app.uid,
  private.check_caller,
  private.check_scopes,
  private.check_token,
  private.enter,
  private.raise_error,
  private.raise_check_violation,
  private.require_caller
  to anon, authenticated, service_role, gate;
grant execute on function
  private.actor_id,
  private.calendar_end,
  private.check_text,
  private.cursor_place,
  private.find_idempotency_key,
  private.find_person,
  private.is_ahead,
  private.lock,
  private.may_meet,
  private.merge_objects,
  private.not_modified,
  private.open_cursor,
  private.page,
  private.page_of_texts,
  private.place_cursor,
  private.rank_start,
  private.require_card,
  private.require_cursor,
  private.require_flag,
  private.require_limit,
  private.require_markdown,
  private.require_name,
  private.require_person,
  private.require_place,
  private.require_role,
  private.require_text,
  private.require_uuid,
  private.seal_cursor,
  private.trimmed,
  private.username_of,
  private.utc
  to authenticated, service_role, gate;
grant execute on function
  private.catch_up,
  private.count_writes,
  private.domain,
  private.is_bot,
  private.parsable,
  private.share_lock_person,
  private.swap_punctuation
  to authenticated;
grant execute on function
  private.begin_idempotent,
  private.check_lock_order,
  private.emit,
  private.error_response,
  private.finish_idempotent,
  private.open
  to authenticated, service_role;
grant execute on function private.seal to authenticated;
grant execute on function
  private.audit,
  private.has_needed_factor,
  private.ledger_points,
  private.lock_pairs,
  private.require_factor
  to service_role;

-- used by the policy of realtime.messages
grant execute on function
  private.may_listen
  to authenticated;

-- gate
grant execute on function
  private.count_calls,
  private.job_metrics,
  private.readiness,
  private.try_writing,
  private.uncount_calls
  to gate;

-- jobs: the worker runs them and records their runs; it has access only to the tables of its queues
grant execute on function
  private.apply_effects,
  private.erase_more,
  private.job_back_up,
  private.job_finish_erasures,
  private.job_purge,
  private.job_roll_realtime_partitions,
  private.list_work,
  private.log_events,
  private.note_job_run
  to worker;
grant usage on schema pgboss to worker;
grant select, insert, update, delete on all tables in schema pgboss to worker;
grant execute on all functions in schema pgboss to worker;

-- PostgREST calls private.check_caller before each request. This is set on the role and not in supabase/config.toml,
-- because only the CLI reads that file. The migration must fail if the owner may not set it: without the check,
-- PostgREST would accept revoked tokens.
alter role authenticator set pgrst.db_schemas = 'api';
alter role authenticator set pgrst.db_pre_request = 'private.check_caller';
notify pgrst, 'reload config';
