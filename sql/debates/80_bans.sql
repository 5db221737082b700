-- What a ban and an erasure lock in debates before private.hide_children hides arguments, and then positions.
-- How erasure runs: sql/base/90_erasure.sql.
-- docs/decisions.md, Debates.

create function private.lock_hidden_debates() returns trigger
language plpgsql security definer   -- a ban and an erasure change rows of their person
set search_path = ''
as $$
declare
  v_arguments uuid[] := array(select id from app.debate_arguments where author_id = new.id order by id limit 500);
  v_positions uuid[] := array(select debate_id from app.debate_positions where author_id = new.id
                              order by debate_id limit 500);
begin
  perform from app.debate_arguments where id = any (v_arguments) order by id for no key update;
  perform from app.debate_positions where author_id = new.id and debate_id = any (v_positions)
  order by debate_id for no key update;
  perform from app.debates
  where id = any (v_positions || array(select debate_id from app.debate_arguments where id = any (v_arguments)))
  order by id for no key update;
  return null;
end $$;
comment on function private.lock_hidden_debates is
  'Trigger: both are counted in the same debates. Two who are banned at once would otherwise wait crosswise, each '
  'with what one counted last and the other first.';
create trigger _165_lock_hidden_debates after update of banned_at, erased_at on app.users
  for each row when ((old.banned_at is null) <> (new.banned_at is null) or new.erased_at is not null)
  execute function private.lock_hidden_debates();
