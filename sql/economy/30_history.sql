-- The history of payments: a person's own payments, and the totals of a post.
-- docs/decisions.md, Mana.

create function private.find_payment_place(p_id uuid) returns app.place
language plpgsql stable   -- runs as the invoker, because another person's payment is not a valid cursor
set search_path = ''
as $$
declare
  v_place app.place := ('infinity', '00000000-0000-0000-0000-000000000000')::app.place;
begin
  if p_id is not null then
    select p.created_at, p.id into v_place.at, v_place.id from app.payments p where p.id = p_id;
    if not found then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  return v_place;
end $$;
comment on function private.find_payment_place is
  'The place of this payment, from which a list of payments continues; if p_id is null, the beginning of the list.';

create function private.find_payments(p_user uuid, p_direction text, p_from app.place) returns uuid[]
language plpgsql stable
set search_path = ''
as $$
declare
  v_from   timestamptz := p_from.at;
  v_before uuid := p_from.id;
begin
  if p_direction = 'sent' then
    return array(select id from app.payments
                 where sender_id = p_user and (created_at, id) < (v_from, v_before)
                 order by created_at desc, id desc limit 51);
  elsif p_direction = 'received' then
    return array(select payment_id from app.payment_splits
                 where receiver_id = p_user and (created_at, payment_id) < (v_from, v_before)
                 order by created_at desc, payment_id desc limit 51);
  end if;
  return array(select b.id
               from ((select id, created_at from app.payments
                      where sender_id = p_user and (created_at, id) < (v_from, v_before)
                      order by created_at desc, id desc limit 51)
                     union all
                     (select payment_id, created_at from app.payment_splits
                      where receiver_id = p_user and (created_at, payment_id) < (v_from, v_before)
                      order by created_at desc, payment_id desc limit 51)) b
               order by b.created_at desc, b.id desc limit 51);
end $$;
comment on function private.find_payments is
  'The next 51 payments that the caller may see, after a place: those that a person sent or received, or both if '
  'p_direction is null.';

create function api.list_payments(
  p_direction text default null, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_caller uuid := private.require_caller();
  v_from   app.place := private.find_payment_place(private.require_cursor(p_cursor));
  v_ids    uuid[];
begin
  if p_direction not in ('sent', 'received') then
    perform private.raise_error('direction_unknown');
  end if;
  v_ids := private.find_payments(v_caller, p_direction, v_from);
  return private.page(private.payment_cards(v_ids[:p_limit]), v_ids::text[], p_limit);
end $$;
comment on function api.list_payments is 'The payments that the caller sent or received, newest first.';

create function api.get_breakdown(p_post_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_card json := private.post_card((private.require_original(p_post_id)).id);
begin
  return json_build_object('emojiBreakdown', v_card -> 'emojiBreakdown');
end $$;
comment on function api.get_breakdown is
  'The payments for a post (for the original of a repost) by emotion, {emojiBreakdown: {love: {count, total}, …}}, as '
  'on the card of the post.';
