-- What erasure does to the social graph, and where personal data is in it.
-- How erasure runs: sql/base/90_erasure.sql.
-- docs/decisions.md, Erasure and export.

insert into private.personal_data (relation, person_column, section, omits) values
  ('app.circles', 'owner_id', 'circles', '{}'),
  ('app.circle_members', 'owner_id', 'circleMembers', '{owner_id}'),
  ('app.circle_members', 'member_id', 'circleMemberships', '{bond_level}'),   -- only the owner may see the bond level
  ('app.circle_invitations', 'inviter_id', 'circleInvitationsSent', '{}'),
  ('app.circle_invitations', 'invitee_id', 'circleInvitationsReceived', '{}'),
  ('app.follows', 'follower_id', 'following', '{}'),
  ('app.follows', 'following_id', 'followers', '{}'),
  ('app.mutes', 'muter_id', 'mutes', '{}'),
  ('app.muted_keywords', 'user_id', 'mutedKeywords', '{folded}'),
  ('app.reports', 'reporter_id', 'reports', '{reviewed_by}');
insert into private.personal_data (relation, person_column, section, across_blocks) values
  ('app.blocks', 'blocker_id', 'blocks', true);
insert into private.personal_data (relation, person_column, reason) values
  ('app.blocks', 'blocked_id', 'By whom one is blocked is the blocker''s own affair.'),
  ('app.mutes', 'muted_id', 'By whom one is muted is the muter''s own affair.'),
  ('app.reports', 'target_id', 'What others told the staff about the person is not for the person.'),
  ('app.reports', 'reviewed_by', 'Work of the staff, which the audit log has.'),
  ('private.ended_follows', 'follower_id', 'Places in lists, kept for a day.'),
  ('private.ended_follows', 'following_id', 'Places in lists, kept for a day.');

create function private.erase_ties() returns trigger
language plpgsql volatile security definer   -- rows of others that name the person go too
set search_path = ''
as $$
begin
  -- the pairs before the rows, so that an acceptance or a block waits and does not deadlock: ARCHITECTURE.md, Locks
  perform private.lock_pairs(array_agg(p.person), array_agg(new.id))
  from (select member_id as person from app.circle_members where owner_id = new.id
        union select owner_id from app.circle_members where member_id = new.id
        union select invitee_id from app.circle_invitations where inviter_id = new.id and status = 'pending'
        union select inviter_id from app.circle_invitations where invitee_id = new.id and status = 'pending'
        union select blocked_id from app.blocks where blocker_id = new.id
        union select blocker_id from app.blocks where blocked_id = new.id) p;
  delete from app.circles where owner_id = new.id;
  delete from app.circle_members where member_id = new.id;
  delete from app.circle_invitations where invitee_id = new.id;
  delete from app.blocks where new.id in (blocker_id, blocked_id);
  delete from app.follows where new.id in (follower_id, following_id);
  delete from private.ended_follows where new.id in (follower_id, following_id);
  delete from app.mutes where new.id in (muter_id, muted_id);
  delete from app.muted_keywords where user_id = new.id;
  update app.reports set reason = '' where reporter_id = new.id and reason <> '';   -- the report itself stays
  return null;
end $$;
comment on function private.erase_ties is
  'Trigger: deletes an erased person''s circles, memberships, invitations, blocks, follows, mutes and muted keywords, '
  'and the words of their reports. What others reported stays.';
create trigger _140_erase_ties after update of erased_at on app.users
  for each row when (new.erased_at is not null) execute function private.erase_ties();
