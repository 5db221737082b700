-- Offerings are a kind of content that has a price in mana. The columns that all kinds have are in app.contents, and
-- orders are in 20_orders.sql. docs/decisions.md, Market.

create table app.offerings (
  id            uuid primary key references app.contents on delete cascade,
  description   app.markdown not null,
  price_mana    integer not null,
  stock         integer,
  delivery_days smallint not null,
  paused        boolean not null default false,
  rating_sum    integer not null default 0,
  rating_count  integer not null default 0 check (rating_count >= 0),
  constraint offering_price check (price_mana between 1 and 1000000),
  constraint offering_stock check (stock between 0 and 1000000),
  constraint offering_delivery check (delivery_days between 1 and 60)
);
comment on table app.offerings is 'The columns of an offering that its head in app.contents does not have.';
call private.make_nulls_raise_codes('app.offerings');
comment on column app.offerings.price_mana is 'Whole mana that an order costs.';
comment on column app.offerings.stock is
  'The number of times that the offering can still be ordered; null if there is no limit.';
comment on column app.offerings.paused is 'Whether the seller accepts no orders for now.';
comment on column app.offerings.rating_sum is
  'The sum of the stars of all reviews that staff has not removed. A trigger updates it.';

create function private.place_offering() returns trigger
language plpgsql security definer   -- callers may not write places
set search_path = ''
as $$
begin
  if tg_op = 'DELETE' then
    delete from private.content_places where content_id = old.id;
    return null;
  end if;
  perform private.place_content(new.id, 'price', to_timestamp(new.price_mana));
  perform private.place_content(new.id, 'rating', to_timestamp(
    case when new.rating_count > 0 then new.rating_sum::float8 / new.rating_count else 0 end));
  return null;
end $$;
comment on function private.place_offering is
  'Trigger: stores the places of an offering in the lists by price and by average rating; the rating is 0 without '
  'reviews.';
create trigger place_offering after insert or update of price_mana, rating_sum, rating_count or delete on app.offerings
  for each row execute function private.place_offering();

insert into private.errors (code, status, text) values
  ('offering_unknown', 404, 'There is no such offering.'),
  ('offering_price', 422, 'priceMana must be a whole number from 1 to 1000000.'),
  ('offering_stock', 422, 'stock must be a whole number from 0 to 1000000, or null.'),
  ('offering_delivery', 422, 'deliveryDays must be a whole number from 1 to 60.'),
  ('offering_sort', 422, 'sort must be new, price or rating.'),
  ('offering_ordered', 409, 'This offering has orders that are not settled yet, so it cannot be deleted. '
   'Pause it until they are.');

create view private.offering_details with (security_invoker) as
select o.id,
       json_build_object(
         'description', o.description,
         'priceMana', o.price_mana,
         'stock', o.stock,
         'deliveryDays', o.delivery_days,
         'status', case when o.paused then 'paused' when o.stock = 0 then 'sold_out' else 'active' end,
         'ratingAverage', case when o.rating_count > 0 then round(o.rating_sum::numeric / o.rating_count, 2) end,
         'ratingCount', o.rating_count) as detail
from app.offerings o;
comment on view private.offering_details is
  'The fields that only the card of an offering has: {description, priceMana, stock, deliveryDays, status, '
  'ratingAverage, ratingCount}.';

create function private.erase_offerings(p_ids uuid[]) returns void
language plpgsql volatile security definer   -- no role has the right to change these rows
set search_path = ''
as $$
begin
  -- locks heads before details and places: ARCHITECTURE.md, Locks
  perform from app.contents where id = any (p_ids) and kind = 'offering' order by id for no key update;
  delete from app.offerings where id = any (p_ids);
end $$;
comment on function private.erase_offerings is 'Deletes the details of these offerings when their author is erased.';

create function private.matches_offering_filter(p_id uuid, p_filters jsonb) returns boolean
language plpgsql stable security definer   -- called by private.find_contents, which checks visibility
set search_path = ''
as $$
begin
  return coalesce((
    select o.price_mana between coalesce((p_filters ->> 'minPrice')::integer, 0)
                            and coalesce((p_filters ->> 'maxPrice')::integer, 2147483647)
    from app.offerings o where o.id = p_id), false);
end $$;
comment on function private.matches_offering_filter is
  'Returns whether the price of an offering is from minPrice to maxPrice, both included: {minPrice?, maxPrice?}.';

insert into private.content_kinds (kind, plural, relation, details, eraser, filter) values
  ('offering', 'offerings', 'app.offerings', 'private.offering_details', 'private.erase_offerings',
   'private.matches_offering_filter');

insert into private.personal_data (relation, person_column, section, within) values
  ('app.offerings', 'id', 'offerings', '{contents}');

insert into private.report_targets (type, finder, author, place) values
  ('offering', 'private.require_reported_content', 'select author_id from app.contents where id = $1',
   'select c.space_id, c.title, d.description, c.removed_at is not null
    from app.contents c join app.offerings d on d.id = c.id where c.id = $1');
insert into private.notification_targets (type, words) values
  ('offering', 'select c.id, c.title, d.description from app.contents c join app.offerings d on d.id = c.id
              where c.id = any ($1)');

create function private.offering_cards(p_ids uuid[]) returns json
language plpgsql stable security definer   -- private.content_heads checks what the caller sees
set search_path = ''
set plan_cache_mode = force_generic_plan   -- planning the views takes longer than running them
as $$
begin
  return (
    select json_agg(private.merge_objects(h.head, d.detail) order by i.place)
    from unnest(p_ids) with ordinality as i (id, place)
    join private.content_heads h on h.id = i.id
    join private.offering_details d on d.id = h.id);
end $$;
comment on function private.offering_cards is
  'The cards of these offerings, in order, without those that the caller can''t see: the head and the detail.';
call private.force_index_scans('private.offering_cards');

create function private.require_offering_card(p_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$ begin return private.require_card('offering_unknown', private.offering_cards(array[p_id]) -> 0); end $$;
comment on function private.require_offering_card is 'Returns the card of an offering if the caller may see it.';

create function api.list_offerings(
  p_interest_id uuid default null, p_author_id text default null, p_q text default null,
  p_group_id text default null, p_guild_id text default null, p_seller_id text default null,
  p_min_price integer default null, p_max_price integer default null, p_sort text default 'new',
  p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_found app.listing;
begin
  if p_sort not in ('new', 'price', 'rating') then
    perform private.raise_error('offering_sort');
  end if;
  v_found := private.search_contents(
    'offering', p_interest_id, coalesce(p_seller_id, p_author_id), p_q, p_group_id, p_guild_id, p_cursor,
    case when num_nonnulls(p_min_price, p_max_price) > 0
         then jsonb_build_object('minPrice', p_min_price, 'maxPrice', p_max_price) end,
    nullif(p_sort, 'new'), p_sort = 'price',
    case when p_sort = 'price' then to_timestamp(coalesce(p_min_price, 0)) end);
  return private.page(private.offering_cards(v_found.ids[:p_limit]), v_found.cursors, p_limit, v_found.next);
end $$;
comment on function api.list_offerings is
  'Offerings, newest first, cheapest first or best rated first. Filters: a price range, a seller (actor id or '
  'username), and those of every list of contents.';

create function private.write_offering(p_offering app.offerings) returns void
language plpgsql volatile security definer   -- callers may not write details
set search_path = ''
as $$
begin
  insert into app.offerings (id, description, price_mana, stock, delivery_days)
  values (p_offering.id, p_offering.description, p_offering.price_mana, p_offering.stock, p_offering.delivery_days);
end $$;
comment on function private.write_offering is
  'Writes the detail of a new offering. The calling function must have written the head with private.add_content. '
  'Fails: offering_price, offering_stock, offering_delivery.';

insert into private.operations_of_people (operation) values ('create_offering');

create function api.create_offering(
  p_title text, p_description text, p_price_mana integer, p_delivery_days integer, p_stock integer default null,
  p_interest_id uuid default null, p_group_id text default null, p_guild_id text default null
) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept     json := private.begin_idempotent('create_offering', json_build_array(
    p_title, p_description, p_price_mana, p_delivery_days, p_stock, p_interest_id, p_group_id, p_guild_id));
  v_offering app.offerings;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  v_offering.description := private.require_body(p_description);
  v_offering.price_mana := p_price_mana;
  v_offering.stock := p_stock;
  -- the column is a smallint; 61 represents all larger numbers
  v_offering.delivery_days := least(p_delivery_days, 61);
  v_offering.id := private.add_content('offering', p_interest_id, p_title, array[v_offering.description],
                                       p_group_id, p_guild_id);
  perform private.write_offering(v_offering);
  return private.finish_idempotent('create_offering', private.offering_cards(array[v_offering.id]) -> 0);
end $$;
comment on function api.create_offering is 'Creates an offering.';

create function api.get_offering(p_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$ begin return private.require_offering_card(p_id); end $$;
comment on function api.get_offering is 'The card of an offering.';

create function private.change_offering(p_id uuid, p_changes jsonb) returns void
language plpgsql volatile security definer   -- callers may not change details
set search_path = ''
as $$
declare
  v_content  app.contents := private.lock_own_content('offering', p_id);
  v_offering app.offerings;
begin
  select * into v_offering from app.offerings where id = p_id for no key update;
  if p_changes ? 'description' then
    v_offering.description := private.require_body(p_changes ->> 'description');
  end if;
  update app.offerings
  set description = v_offering.description,
      price_mana = coalesce((p_changes ->> 'priceMana')::integer, v_offering.price_mana),
      stock = case when p_changes ? 'stock' then (p_changes ->> 'stock')::integer else v_offering.stock end,
      delivery_days = least(coalesce((p_changes ->> 'deliveryDays')::integer, v_offering.delivery_days), 61),
      paused = case when p_changes ? 'status' then p_changes ->> 'status' = 'paused' else v_offering.paused end
  where id = p_id;
  if p_changes ?| array['title', 'description', 'interestId'] then
    perform private.edit_content(v_content, p_changes, array[v_offering.description]);
  end if;
end $$;
comment on function private.change_offering is
  'Changes the caller''s own offering, as described at api.update_offering. Only changes of title, description or '
  'interest count as edits. Fails: offering_price, offering_stock, offering_delivery.';

create function api.update_offering(p_id uuid, p_changes jsonb) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.change_offering(p_id, p_changes);
  return private.require_offering_card(p_id);
end $$;
comment on function api.update_offering is
  'Changes the caller''s own offering: {title?, description?, interestId?, priceMana?, stock?, deliveryDays?, '
  'status? (active or paused)}. Existing orders don''t change.';

insert into private.links (type, path) values ('offering', '/market/offerings/{id}');
