-- A limit on the searches that run at once, because a search may read thousands of documents, and other requests need
-- a processor, too. The database enforces it, because there may be several facades, and `.rpc()` calls bypass them.
-- docs/decisions.md, Limits.

insert into app.settings (key, value) values ('searches_at_once', '4');

insert into private.errors (code, status, text) values
  ('searches_running', 429, 'Two of your searches are already running. Wait until one of them has ended.'),
  ('search_busy', 503, 'Too many people are searching at the moment. Try again shortly.');

create function private.take_search_turn() returns void
language plpgsql volatile security definer   -- reads the same setting for all callers
set search_path = ''
as $$
declare
  v_me text := private.require_caller();
begin
  -- a try-lock never waits, and a turn ends with its transaction, even if the transaction fails
  if not (pg_try_advisory_xact_lock(hashtextextended('search 1 ' || v_me, 0))
          or pg_try_advisory_xact_lock(hashtextextended('search 2 ' || v_me, 0))) then
    perform private.raise_error('searches_running', '{"Retry-After": "1"}');
  end if;
  for v_turn in 1..(select value::integer from app.settings where key = 'searches_at_once') loop
    if pg_try_advisory_xact_lock(hashtextextended('searches ' || v_turn, 0)) then
      return;
    end if;
  end loop;
  perform private.raise_error('search_busy');
end $$;
comment on function private.take_search_turn is
  'Takes a turn, which ends with the transaction. There are 2 turns per person, and in the whole instance as many as '
  'the setting searches_at_once says. If no turn is free, the facade retries for a while.';
