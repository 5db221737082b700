-- Admins use webhooks through operations of the service role, and the worker sends the deliveries. This file belongs
-- to sql/webhooks/.

-- webhooks, webhook_deliveries, webhook_turns: only for definer functions
alter table private.webhooks enable row level security;
alter table private.webhook_deliveries enable row level security;
alter table private.webhook_turns enable row level security;

-- helpers
grant execute on function
  private.add_webhook,
  private.add_webhook_test,
  private.change_webhook,
  private.change_webhook_secret,
  private.drop_webhook,
  private.find_events,
  private.find_webhook_deliveries,
  private.find_webhooks,
  private.lock_webhook,
  private.replay_delivery,
  private.require_webhook,
  private.webhook_card,
  private.webhook_secret
  to service_role;

-- operations
grant execute on function
  api.create_webhook,
  api.delete_webhook,
  api.get_webhook,
  api.list_logged_events,
  api.list_webhook_deliveries,
  api.list_webhooks,
  api.replay_webhook_delivery,
  api.rotate_webhook_secret,
  api.test_webhook,
  api.update_webhook
  to service_role;

-- what the worker runs
grant execute on function
  private.clear_webhook,
  private.queue_webhooks,
  private.work_on_webhooks
  to worker;
