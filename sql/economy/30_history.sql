-- What was paid: a person's own payments, and the totals of a post.
-- docs/decisions.md, Mana.

create function api.list_payments(
  p_direction text default null, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_caller uuid := private.require_caller();
  v_from   app.payments;
  v_ids    uuid[];
begin
  select * into v_from from app.payments where id = private.require_cursor(p_cursor);
  if p_cursor is not null and not found then
    perform private.fail('cursor_unknown');
  end if;
  v_from.created_at := coalesce(v_from.created_at, 'infinity');
  v_from.id := coalesce(v_from.id, v_caller);   -- any id will do beside infinity

  if p_direction = 'sent' then
    v_ids := array(select id from app.payments
                   where sender_id = v_caller and (created_at, id) < (v_from.created_at, v_from.id)
                   order by created_at desc, id desc limit 51);
  elsif p_direction = 'received' then
    v_ids := array(select payment_id from app.payment_splits
                   where receiver_id = v_caller and (created_at, payment_id) < (v_from.created_at, v_from.id)
                   order by created_at desc, payment_id desc limit 51);
  elsif p_direction is null then
    v_ids := array(select b.id
                   from ((select id, created_at from app.payments
                          where sender_id = v_caller and (created_at, id) < (v_from.created_at, v_from.id)
                          order by created_at desc, id desc limit 51)
                         union all
                         (select payment_id, created_at from app.payment_splits
                          where receiver_id = v_caller and (created_at, payment_id) < (v_from.created_at, v_from.id)
                          order by created_at desc, payment_id desc limit 51)) b
                   order by b.created_at desc, b.id desc limit 51);
  else
    perform private.fail('direction_unknown');
  end if;
  return private.page(private.payment_cards(v_ids[:p_limit]), v_ids::text[], p_limit);
end $$;
comment on function api.list_payments is
  'The payments that the caller sent or received, newest first. Fails: direction_unknown, cursor_unknown, '
  'limit_out_of_range.';

create function api.get_breakdown(p_post_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_card json := private.post_cards(array[(private.require_original(p_post_id)).id]) -> 0;
begin
  return json_build_object('emojiBreakdown', v_card -> 'emojiBreakdown');
end $$;
comment on function api.get_breakdown is
  'What was paid for a post (for the original of a repost) by emotion, {emojiBreakdown: {love: {count, total}, …}}, '
  'as in the post itself. Fails: post_unknown.';
