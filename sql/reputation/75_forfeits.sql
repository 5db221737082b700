-- When somebody deletes a post, its author loses what the post earned. docs/decisions.md, Reputation.

create function private.list_active_reputation(
  p_user uuid, p_source uuid, p_from uuid, out entries uuid[], out next uuid
)
language plpgsql stable
set search_path = ''
as $$
begin
  -- Only the newest entry of each person and kind counts, as in private.find_active_reputation. The query jumps from
  -- one such entry to the next, because there may be many others between them if somebody has liked and unliked
  -- repeatedly.
  with recursive newest as (
    (select coalesce(e.earned_from, e.user_id) as person, e.kind, e.id, e.undoes_id, 1 as place
     from app.reputation_entries e
     where e.user_id = p_user and e.source_id = p_source and e.roll_up_level = 0
       and coalesce(e.earned_from, e.user_id) >= p_from
     order by coalesce(e.earned_from, e.user_id), e.kind, e.position desc limit 1)
    union all
    select e.person, e.kind, e.id, e.undoes_id, n.place + 1
    from newest n
    cross join lateral (
      select coalesce(m.earned_from, m.user_id) as person, m.kind, m.id, m.undoes_id
      from app.reputation_entries m
      where m.user_id = p_user and m.source_id = p_source and m.roll_up_level = 0
        and (coalesce(m.earned_from, m.user_id), m.kind) > (n.person, n.kind)
      order by coalesce(m.earned_from, m.user_id), m.kind, m.position desc limit 1) e
    where n.place < 500
  )
  select coalesce(array_agg(n.id) filter (where n.undoes_id is null), '{}'),
         case when count(*) = 500 then (array_agg(n.person order by n.place desc))[1] end
  into entries, next from newest n;
end $$;
comment on function private.list_active_reputation is
  'Up to 500 direct entries that a cause gave a person and that were not undone, earned from p_from and the people '
  'after them; next is the person from whom to continue, or null. Call private.lock_effects first.';

create function private.forfeit_next(p_author uuid, p_post uuid, p_from uuid, out changed integer, out next uuid)
language plpgsql volatile
set search_path = ''
as $$
declare
  v_found record := private.list_active_reputation(p_author, p_post, p_from);
begin
  perform private.reverse_reputation(v_found.entries);
  changed := cardinality(v_found.entries);
  next := v_found.next;
end $$;
comment on function private.forfeit_next is
  'Undoes up to 500 entries that a post earned its author from p_from and the people after them. Returns the number '
  'of undone entries, and the person from whom to continue (null at the end). Call private.lock_effects first.';

create function private.forfeit_earnings(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- writes for a post's author
set search_path = ''
as $$
declare
  v_author uuid := (p_job ->> 'authorId')::uuid;
begin
  perform private.lock_effects(v_author);
  return row_to_json(private.forfeit_next(v_author, (p_job ->> 'postId')::uuid,
                                          coalesce(p_after, '00000000-0000-0000-0000-000000000000')));
end $$;
comment on function private.forfeit_earnings is
  'For the worker alone: undoes the next 500 entries that a post {postId, authorId} earned its author, beginning with '
  'those from the person p_after. Returns {changed, next}; next is null at the end.';

call private.make_batch_queue('forfeited-earnings', 'private.forfeit_earnings');

create function private.forfeit_posts(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_effect private.effects;
begin
  foreach v_effect in array p_effects loop
    perform private.reverse_contribution(array[private.find_active_contribution(
      v_effect.user_id, 'post_created', (v_effect.payload ->> 'postId')::uuid)]);
    if (private.forfeit_next(v_effect.user_id, (v_effect.payload ->> 'postId')::uuid,
                             '00000000-0000-0000-0000-000000000000')).next is not null then
      perform private.enqueue('forfeited-earnings', v_effect.payload::json);
    end if;
  end loop;
end $$;
comment on function private.forfeit_posts is
  'Listener: when anybody deletes a post, its author loses what the post earned in both ledgers (in batches if '
  'there are more than 500 entries). Publishing and deleting repeatedly therefore earns nothing. An erasure deletes '
  'posts without this event, so their earnings are kept.';
insert into private.event_listeners (event, listener, position, timing) values
  ('posts.post.deleted', 'private.forfeit_posts', 450, 'soon');
