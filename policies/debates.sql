-- Who may see debates and arguments. This file belongs to sql/debates/. The head's policies are in
-- policies/content.sql. Only definer functions write their tables.

-- debates
alter table app.debates enable row level security;
grant select on app.debates to authenticated;
create policy select_with_content on app.debates for select to authenticated
  using ((select true from app.contents c where c.id = debates.id));
comment on policy select_with_content on app.debates is 'Everybody who sees the head sees the debate.';

-- debate_positions
alter table app.debate_positions enable row level security;
grant select on app.debate_positions to authenticated;
create policy select_own on app.debate_positions for select to authenticated using (author_id = (select app.uid()));
comment on policy select_own on app.debate_positions is
  'People see only their own positions. The positions of others appear only as counts.';

-- debate_arguments
alter table app.debate_arguments enable row level security;
grant select on app.debate_arguments to authenticated;
create policy select_with_content on app.debate_arguments for select to authenticated
  using ((select v.is_visible from private.visibility(author_id, required_level) v)
     and (select true from app.contents c where c.id = debate_id));
comment on policy select_with_content on app.debate_arguments is
  'Everybody who sees the debate sees its arguments. Exceptions are arguments by banned or erased people, and '
  'arguments by people whom the viewer blocked or who blocked the viewer. Only its author sees an argument that '
  'staff removed. A deleted argument that was answered remains as a tombstone.';

-- argument_votes
alter table app.argument_votes enable row level security;
grant select on app.argument_votes to authenticated;
create policy select_own on app.argument_votes for select to authenticated using (user_id = (select app.uid()));
comment on policy select_own on app.argument_votes is
  'People see only their own votes. The votes of others appear only as a count.';

-- helpers
grant execute on function
  private.add_argument,
  private.add_argument_vote,
  private.add_debate,
  private.argument_cards,
  private.argument_cursors,
  private.argument_list,
  private.change_debate,
  private.debate_cards,
  private.end_debate,
  private.find_arguments,
  private.set_debate_position,
  private.remove_argument,
  private.remove_argument_vote,
  private.remove_debate,
  private.remove_position,
  private.require_argument,
  private.require_debate_closing,
  private.require_debate_card,
  private.require_reported_argument
  to authenticated;

-- operations
grant execute on function
  api.close_debate,
  api.create_argument,
  api.create_debate,
  api.delete_argument,
  api.delete_debate,
  api.get_debate,
  api.leave_position,
  api.list_arguments,
  api.list_debates,
  api.take_position,
  api.unvote_argument,
  api.update_debate,
  api.vote_argument
  to authenticated;
