-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

COMMENT ON FUNCTION "private"."dispatch_event"(text, jsonb) IS 'Calls the listeners of an event that are registered ''at once'', by position. `npm run gen` writes its body from private.event_listeners (sql/generated/20_listeners.sql), because a call by a name from a table would be planned each time.';

COMMENT ON FUNCTION "private"."job_metrics"() IS 'For /metrics: {runs: [{job, runs, failures, changed, lastChanged, lastRun, lastFailure}], queues: [{queue, state, depth}], effects: {depth, lag, stuck}, verifiedBackup}; times in unix seconds. depth is how many effects wait, up to 100,000; lag is how many seconds ago the oldest of them was caused; stuck is how many people have effects that failed; verifiedBackup is until when the last verified backup reaches, or null.';

COMMENT ON FUNCTION "private"."raise_check_violation"(text) IS 'Every check of the schema app calls this function for a value that breaks the check (sql/generated/10_checks.sql, generated). It raises the code that has the name of the check, or value_invalid if no such code is registered, as private.raise_error does. The error of Postgres itself would show the row to a caller by `.rpc()`.';
