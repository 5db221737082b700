-- Who may see the wiki. This file belongs to sql/wiki/. Only definer functions write its tables.

-- wiki_versions
alter table app.wiki_versions enable row level security;
grant select on app.wiki_versions, app.wiki_version_card to authenticated;
create policy select_all on app.wiki_versions for select to authenticated using (true);
comment on policy select_all on app.wiki_versions is 'Everybody may read approved text.';

-- wiki_proposals
alter table app.wiki_proposals enable row level security;
grant select on app.wiki_proposals to authenticated;
create policy select_visible on app.wiki_proposals for select to authenticated
  using ((select true from app.users u where u.id = author_id));
comment on policy select_visible on app.wiki_proposals is
  'Everybody sees proposals, except those by banned or erased people, and those by people whom the viewer blocked '
  'or who blocked the viewer.';
-- no policy for insert, because private.add_wiki_proposal writes proposals. It checks the hourly limit, and that the
-- wiki is open

-- wiki_votes
alter table app.wiki_votes enable row level security;
grant select on app.wiki_votes to authenticated;
create policy select_own on app.wiki_votes for select to authenticated using (user_id = (select app.uid()));
comment on policy select_own on app.wiki_votes is
  'People see only their own votes. The votes of others appear only as a sum.';

-- helpers
grant execute on function
  private.add_wiki_proposal,
  private.find_wiki_proposals,
  private.require_wiki,
  private.require_wiki_author,
  private.require_wiki_voter,
  private.vote_on_wiki_proposal,
  private.count_fitting_wiki_proposals,
  private.wiki_proposal_cards,
  private.wiki_version,
  private.wiki_version_cards,
  private.withdraw_wiki_proposal
  to authenticated;

-- operations
grant execute on function
  api.create_wiki_proposal,
  api.get_wiki_entry,
  api.get_wiki_version,
  api.list_wiki_proposals,
  api.list_wiki_versions,
  api.vote_wiki_proposal,
  api.withdraw_wiki_proposal
  to authenticated;
