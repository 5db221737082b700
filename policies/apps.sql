-- Who may see and change apps and consents. This file belongs to sql/apps/.

-- apps, consents, records of the provider: only for definer functions
alter table app.apps enable row level security;
alter table app.app_consents enable row level security;
alter table private.oauth_records enable row level security;

-- helpers
grant execute on function
  private.create_own_app,
  private.change_own_app,
  private.delete_own_app,
  private.end_own_consents,
  private.list_own_apps,
  private.list_own_consents,
  private.require_registration
  to authenticated;

-- operations
grant execute on function
  api.create_app,
  api.delete_app,
  api.list_apps,
  api.list_my_apps,
  api.revoke_my_app,
  api.update_app
  to authenticated;

-- gate: what the provider of OAuth calls in the facade; no token can name this role
grant execute on function
  api.answer_device,
  api.consume_oauth_record,
  api.consume_refresh,
  api.delete_oauth_record,
  api.end_consent,
  api.find_app,
  api.find_consent,
  api.find_oauth_record,
  api.give_consent,
  api.issue_app_token,
  api.renew_app_secret,
  api.store_oauth_record,
  api.store_refresh
  to gate;

-- jobs
grant execute on function private.end_more_consents to worker;
