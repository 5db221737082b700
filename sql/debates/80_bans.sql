-- What a ban or an erasure locks in debates before private.hide_children hides arguments and then positions. See
-- sql/base/90_erasure.sql for how an erasure runs. docs/decisions.md, Debates.

create function private.lock_hidden_debates(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_arguments uuid[] := array(select id from app.debate_arguments where author_id = p_user.id order by id limit 500);
  v_positions uuid[] := array(select debate_id from app.debate_positions where author_id = p_user.id
                              order by debate_id limit 500);
begin
  perform from app.debate_arguments where id = any (v_arguments) order by id for no key update;
  perform from app.debate_positions where author_id = p_user.id and debate_id = any (v_positions)
  order by debate_id for no key update;
  perform from app.debates
  where id = any (v_positions || array(select debate_id from app.debate_arguments where id = any (v_arguments)))
  order by id for no key update;
end $$;
comment on function private.lock_hidden_debates is
  'Step: locks up to 500 arguments and 500 positions of a person, and their debates, in order of id. Hiding arguments '
  'and hiding positions change counts of the same debates, so two concurrent bans could otherwise deadlock.';
insert into private.account_steps (step, events, position) values
  ('private.lock_hidden_debates', '{ban,unban,erasure}', 165);
