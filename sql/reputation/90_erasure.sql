-- How an erasure changes reputation, and where it holds personal data. See sql/base/90_erasure.sql for how an erasure
-- runs.

insert into private.personal_data (relation, person_column, section, omits) values
  ('app.reputation_entries', 'user_id', 'reputationEntries', '{earned_from,source_id,position}'),
  ('app.reputation', 'user_id', 'reputation', '{band}'),
  ('app.reputation_votes', 'voter_id', 'reputationVotesCast', '{}'),
  ('app.reputation_appeals', 'user_id', 'reputationAppeals', '{}'),
  ('app.contribution_entries', 'user_id', 'contributionEntries', '{source_id,position}'),
  ('app.contribution_scores', 'user_id', 'contributionScore', '{}');
insert into private.personal_data (relation, person_column, section, whose) values
  ('app.reputation_votes', 'user_id', 'reputationVotesReceived', 't.value <> 0');
insert into private.personal_data (relation, person_column, reason) values
  ('app.reputation_kinds', 'user_id', 'Computed from reputationEntries.'),
  ('app.reputation_entries', 'earned_from', 'The entry belongs to somebody else; the person''s action is in '
    'reactions, replies and invitedBy.'),
  ('app.reputation_entries', 'source_id', 'Only the cause of an entry.'),
  ('private.contribution_inheritance', 'entry_id', 'Entries whose shares the inviters have not received yet, kept '
    'for a minute or two.');

create function private.erase_reputation(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  update app.reputation_votes set comment = null where p_user.id in (voter_id, user_id) and comment is not null;
  update app.reputation_appeals set text = '', note = null
  where user_id = p_user.id and (text <> '' or note is not null);
end $$;
comment on function private.erase_reputation is
  'Step: deletes the texts of an erased person''s votes, of the votes for them and of their appeals. Votes, ledgers '
  'and sums are kept, because other people''s reputation depends on these ids and numbers.';
call private.force_index_scans('private.erase_reputation');
insert into private.account_steps (step, events, position) values
  ('private.erase_reputation', '{erasure}', 175);
