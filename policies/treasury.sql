-- Who may run the operations of treasuries. This file belongs to sql/treasury/. Only definer functions read and write
-- the tables of treasuries; the service role loses its right to write to them.

-- treasury_entries
alter table app.treasury_entries enable row level security;
revoke insert, update, delete on app.treasury_entries from service_role;

-- treasury_notes
alter table app.treasury_notes enable row level security;
revoke insert, update, delete on app.treasury_notes from service_role;

-- helpers
grant execute on function
  private.contribute,
  private.disburse,
  private.distribute,
  private.read_treasury
  to authenticated;

-- operations
grant execute on function
  api.contribute,
  api.disburse,
  api.distribute,
  api.get_treasury
  to authenticated;

-- a job of the worker
grant execute on function private.job_audit_treasuries to worker;
