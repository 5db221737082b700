-- A buyer may review each completed order once. docs/decisions.md, Market.

create table app.offering_reviews (
  id            uuid primary key default gen_random_uuid(),
  order_id      uuid not null unique references app.orders on delete restrict,
  offering_id   uuid not null,
  author_id     uuid not null references app.users on delete restrict,
  stars         smallint not null,
  body          text not null default '',
  words         tsvector not null default '',
  removed_at    timestamptz,
  author_hidden boolean not null default false,
  created_at    timestamptz not null default now(),
  constraint review_stars check (stars between 1 and 5),
  constraint review_text check (length(body) <= 2000)
);
-- this index has only reviews that everybody sees, so that lists need not scan removed reviews and reviews by hidden
-- people
create index offering_reviews_offering_id_idx on app.offering_reviews (offering_id, created_at desc, id desc)
  where removed_at is null and not author_hidden;
create index offering_reviews_own_idx on app.offering_reviews (offering_id, author_id, created_at desc, id desc)
  where removed_at is not null;
create index offering_reviews_author_id_idx on app.offering_reviews (author_id, id);
create index offering_reviews_created_at_idx on app.offering_reviews (created_at desc, id desc);
comment on table app.offering_reviews is
  'The reviews that buyers wrote about their orders. When an offering is deleted, its reviews remain with their '
  'orders.';
comment on column app.offering_reviews.words is
  'The words of the body, for the search of staff. A trigger writes them.';
comment on column app.offering_reviews.offering_id is
  'The column has no foreign key, because a review remains, and still names its offering, when the offering is '
  'deleted.';
comment on column app.offering_reviews.removed_at is
  'When staff hid the review from everybody except its author; null if it is not removed.';
comment on column app.offering_reviews.author_hidden is
  'Whether the author is banned or erased, as in app.contents.author_hidden. The stars of hidden authors still '
  'count in the rating, as their likes do.';

create view private.review_details with (security_invoker) as
select r.id, r.offering_id as content_id, r.author_id, r.created_at, r.removed_at, r.words,
       json_build_object('offeringId', r.offering_id, 'orderId', r.order_id, 'stars', r.stars,
                         'body', r.body) as detail
from app.offering_reviews r;
comment on view private.review_details is
  'Reviews as staff sees them, {offeringId, orderId, stars, body}, even if the offering is deleted.';
insert into private.content_child_kinds (kind, plural, relation, details) values
  ('review', 'reviews', 'app.offering_reviews', 'private.review_details');
insert into private.content_child_tables (relation, person, key, words) values
  ('app.offering_reviews', 'author_id', 'id', 'body');

insert into private.errors (code, status, text) values
  ('review_unknown', 404, 'There is no such review.'),
  ('review_stars', 422, 'stars must be a whole number from 1 to 5.'),
  ('review_text', 422, 'The text of a review can have at most 2000 characters.'),
  ('order_reviewed', 409, 'You have already reviewed this order.');

create trigger check_author before insert on app.offering_reviews
  for each row execute function private.check_author();
create trigger prepare_child before insert or update of body on app.offering_reviews
  for each row execute function private.prepare_child();

create function private.count_review() returns trigger
language plpgsql security definer   -- only triggers write ratings
set search_path = ''
as $$
begin
  update app.offerings
  set rating_sum = rating_sum + case when new.removed_at is null then new.stars else -new.stars end,
      rating_count = rating_count + case when new.removed_at is null then 1 else -1 end
  where id = new.offering_id;
  return null;
end $$;
comment on function private.count_review is
  'Trigger: updates the rating of an offering. Reviews that staff removed don''t count.';
create trigger count_review after insert on app.offering_reviews
  for each row execute function private.count_review();
create trigger count_removed_review after update on app.offering_reviews
  for each row when ((old.removed_at is null) <> (new.removed_at is null)) execute function private.count_review();

create view private.visible_reviews with (security_invoker) as
select r.*
from app.offering_reviews r
cross join lateral private.visibility(r.author_id, case when r.removed_at is null then 0 else 3 end) v
where v.is_visible;
comment on view private.visible_reviews is
  'The reviews that the caller may see, if the caller sees the offering or is a party of the order. The view leaves '
  'out reviews by people who have blocked the caller or whom the caller has blocked, reviews by banned or erased '
  'people, and removed reviews of others. The view is for definer functions.';

create function private.review_cards(p_ids uuid[]) returns json
language plpgsql stable security definer   -- checks visibility itself
set search_path = ''
as $$
begin
  return (
    select json_agg(json_build_object(
             'id', r.id,
             'orderId', case when app.uid() in (o.buyer_id, o.seller_id) then o.id end,
             'authorId', author.actor_id,
             'author', author.card,
             'stars', r.stars,
             'text', nullif(r.body, ''),
             'createdAt', private.utc(r.created_at),
             'removedAt', private.utc(r.removed_at)) order by i.place)
    from unnest(p_ids) with ordinality as i (id, place)
    join private.visible_reviews r on r.id = i.id
    join app.orders o on o.id = r.order_id
    join app.person_card author on author.id = r.author_id);
end $$;
comment on function private.review_cards is
  'The cards of these reviews, in order, without those that the caller can''t see: {id, orderId, authorId, author, '
  'stars, text, createdAt, removedAt}. orderId is null unless the caller is the buyer or the seller.';
call private.force_index_scans('private.review_cards');

create function private.find_reviews(p_offering uuid, p_from app.place) returns app.found
language plpgsql stable security definer   -- a policy would make the query scan all hidden reviews
set search_path = ''
as $$
declare
  v_me     uuid := private.require_caller();
  v_from   timestamptz := p_from.at;   -- plain variables, so that the planner can use the index
  v_before uuid := p_from.id;
  v_found  app.found;
begin
  with looked as materialized (
    select w.at, w.id from (
      (select created_at as at, id from app.offering_reviews
       where offering_id = p_offering and removed_at is null and not author_hidden
         and (created_at, id) < (v_from, v_before)
       order by created_at desc, id desc limit 400)
      union all
      (select created_at, id from app.offering_reviews
       where offering_id = p_offering and author_id = v_me and removed_at is not null
         and (created_at, id) < (v_from, v_before)
       order by created_at desc, id desc limit 400)) w
    order by w.at desc, w.id desc limit 400
  ), seen as materialized (
    select array(select l.id from looked l join private.visible_reviews r on r.id = l.id
                 order by l.at desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor('reviews ' || p_offering, l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $$;
comment on function private.find_reviews is
  'The next reviews of an offering that the caller may see, among the next 400, including the caller''s own removed '
  'reviews.';
call private.force_index_scans('private.find_reviews');

create function private.find_review_time(p_id uuid, p_offering uuid) returns timestamptz
language plpgsql stable security definer   -- a cursor stays valid when its review is removed
set search_path = ''
as $$
begin
  return (select r.created_at from app.offering_reviews r
          where r.id = p_id and r.offering_id = p_offering
            and private.may_meet(private.find_level(app.uid(), r.author_id)));
end $$;
comment on function private.find_review_time is
  'Returns the time when a review of this offering was written, even if it was removed; null for other reviews.';

create function api.list_reviews(p_id uuid, p_limit integer default 20, p_cursor text default null) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_offering uuid := (private.require_content('offering', p_id)).id;
  v_from     app.place := ('infinity', p_id)::app.place;   -- no row has this time, so any id works
  v_found    app.found;
begin
  if p_cursor is not null then
    v_from := private.require_place('reviews ' || v_offering, p_cursor);
    v_from.at := coalesce(v_from.at, private.find_review_time(v_from.id, v_offering));
    if v_from.at is null then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  v_found := private.find_reviews(v_offering, v_from);
  return private.page(private.review_cards(v_found.ids[:p_limit]), v_found.ids::text[], p_limit, v_found.next);
end $$;
comment on function api.list_reviews is 'The reviews of an offering, newest first.';

create function private.add_review(p_order uuid, p_stars integer, p_body text) returns uuid
language plpgsql volatile security definer   -- callers may not write reviews or lock orders
set search_path = ''
as $$
declare
  v_order app.orders;
  v_id    uuid;
begin
  perform private.check_lock_order('person', private.require_caller()::text);
  -- lock the person before the order: ARCHITECTURE.md, Locks
  perform from app.users where id = private.require_caller() for share;
  select * into v_order from app.orders where id = p_order and app.uid() in (buyer_id, seller_id) for share;
  if not found then
    perform private.raise_error('order_unknown');
  elsif v_order.buyer_id <> app.uid() then
    perform private.raise_error('order_party');
  elsif v_order.state <> 'completed' then
    perform private.raise_error('order_state');
  end if;
  insert into app.offering_reviews (order_id, offering_id, author_id, stars, body)
  values (p_order, v_order.offering_id, v_order.buyer_id, greatest(0, least(p_stars, 6)), p_body)
  on conflict (order_id) do nothing
  returning id into v_id;
  if v_id is null then
    perform private.raise_error('order_reviewed');
  end if;
  return v_id;
end $$;
comment on function private.add_review is
  'Adds the caller''s review of one of their completed orders, once. Fails: review_stars, review_text.';

create function api.review_order(p_id uuid, p_stars integer, p_text text default null) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept json := private.begin_idempotent('review_order', json_build_array(p_id, p_stars, p_text));
  v_id   uuid;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  perform private.count_writes('orders');
  v_id := private.add_review(p_id, p_stars, coalesce(private.require_text(p_text), ''));
  return private.finish_idempotent('review_order', private.review_cards(array[v_id]) -> 0);
end $$;
comment on function api.review_order is 'The buyer reviews a completed order, once.';

create function private.require_reported_review(p_type text, p_target text) returns uuid
language plpgsql stable security definer   -- checks what the caller may see
set search_path = ''
as $$
declare
  v_id uuid := private.require_uuid(p_target, 'review_unknown');
begin
  perform from private.visible_reviews r join app.orders o on o.id = r.order_id
  where r.id = v_id
    and (app.uid() in (o.buyer_id, o.seller_id)
         or exists (select from private.visible_contents c where c.id = r.offering_id));
  if not found then
    perform private.raise_error('review_unknown');
  end if;
  return v_id;
end $$;
comment on function private.require_reported_review is
  'Returns the review that a report names if the caller may see it.';
insert into private.report_targets (type, finder, author) values
  ('review', 'private.require_reported_review', 'select author_id from app.offering_reviews where id = $1');

create function private.own_review_words(p_ids uuid[]) returns table (id uuid, title text, body text)
language plpgsql stable security definer   -- callers may not read reviews
set search_path = ''
as $$
begin
  return query select r.id, null::text, r.body from private.visible_reviews r
               where r.id = any (p_ids) and r.author_id = app.uid();
end $$;
comment on function private.own_review_words is
  'The words of the reviews that the caller wrote; only the author of a review is notified about it.';
call private.force_index_scans('private.own_review_words');
insert into private.notification_targets (type, words) values ('review', 'select * from private.own_review_words($1)');

create function private.delete_offering(p_id uuid) returns void
language plpgsql volatile security definer   -- callers may not delete details
set search_path = ''
as $$
begin
  perform private.lock_own_content('offering', p_id, false);
  -- a concurrent order waits for this lock and then fails, or this call waits for the order and then finds it
  perform from app.offerings where id = p_id for no key update;
  -- look up each running state separately, because thousands of other orders may have ended
  if exists (select from (select distinct t.state from private.order_transitions t) r
             cross join lateral (select from app.orders o
                                 where o.offering_id = p_id and o.state = r.state limit 1) running) then
    perform private.raise_error('offering_ordered');
  end if;
  perform private.delete_content('offering', p_id);
end $$;
comment on function private.delete_offering is
  'Deletes the caller''s own offering. Fails if an order for it is running. Orders keep their copy of the offering. '
  'Never: writes_exceeded (it is not an edit).';
call private.force_index_scans('private.delete_offering');

create function api.delete_offering(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.delete_offering(p_id);
  return null;   -- the response is 204
end $$;
comment on function api.delete_offering is 'Deletes the caller''s own offering permanently.';

insert into private.links (type, path) values ('review', '/market/reviews/{id}');
