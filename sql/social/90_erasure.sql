-- How an erasure changes the social graph, and which of its columns contain personal data. See sql/base/90_erasure.sql
-- for how an erasure runs. docs/decisions.md, Erasure and export.

insert into private.personal_data (relation, person_column, section, within, whose, omits) values
  ('app.circles', 'owner_id', 'circles', null, null, '{}'),
  ('app.circle_members', 'owner_id', 'circleMembers', '{circles}', 't.circle_id = p.id', '{owner_id}');
insert into private.personal_data (relation, person_column, section, omits) values
  ('app.circle_members', 'member_id', 'circleMemberships', '{bond_level}'),   -- only the owner may see the bond level
  ('app.circle_invitations', 'inviter_id', 'circleInvitationsSent', '{}'),
  ('app.circle_invitations', 'invitee_id', 'circleInvitationsReceived', '{}'),
  ('app.follows', 'follower_id', 'following', '{}'),
  ('app.follows', 'following_id', 'followers', '{}'),
  ('app.mutes', 'muter_id', 'mutes', '{}'),
  ('app.muted_keywords', 'user_id', 'mutedKeywords', '{folded}'),
  ('app.reports', 'reporter_id', 'reports', '{reviewed_by,copy,author_id}');
insert into private.personal_data (relation, person_column, section, across_blocks) values
  ('app.blocks', 'blocker_id', 'blocks', true);
insert into private.personal_data (relation, person_column, reason) values
  ('app.blocks', 'blocked_id', 'Only the blocker may know whom they blocked.'),
  ('app.mutes', 'muted_id', 'Only the muter may know whom they muted.'),
  ('app.reports', 'author_id', 'Reports about what a person wrote are only for staff.'),
  ('app.reports', 'target_id', 'Reports about a person are only for staff.'),
  ('app.reports', 'reviewed_by', 'The work of staff, which the audit log contains.'),
  ('private.removed_follows', 'follower_id', 'Positions in lists, kept for a day.'),
  ('private.removed_follows', 'following_id', 'Positions in lists, kept for a day.');

create function private.erase_ties(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_people uuid[];
  v_same   uuid[];
  v_most   bigint;
  v_words  integer;
begin
  select array_agg(p.person), array_agg(p_user.id), max(p.of_kind) into v_people, v_same, v_most
  from (select w.person, count(*) over (partition by w.kind) as of_kind
        from ((select 1 as kind, owner_id as person from app.circle_members where member_id = p_user.id limit 500)
              union all
              (select 2, invitee_id from app.circle_invitations where inviter_id = p_user.id limit 500)
              union all
              (select 3, inviter_id from app.circle_invitations where invitee_id = p_user.id limit 500)
              union all
              (select 4, blocked_id from app.blocks where blocker_id = p_user.id limit 500)
              union all
              (select 5, blocker_id from app.blocks where blocked_id = p_user.id limit 500)
              union all
              -- at most 10 people per circle
              select 6, member_id from app.circle_members where owner_id = p_user.id) w) p;
  -- lock pairs before rows, so that an acceptance or a block waits and does not deadlock: ARCHITECTURE.md, Locks
  perform private.lock_pairs(v_people, v_same);
  perform from app.circles where owner_id = p_user.id order by id for update;
  delete from app.circle_invitations where inviter_id = p_user.id and invitee_id = any (v_people);
  delete from app.circle_invitations where invitee_id = p_user.id and inviter_id = any (v_people);
  delete from app.circle_members where member_id = p_user.id and owner_id = any (v_people);
  delete from app.blocks where blocker_id = p_user.id and blocked_id = any (v_people);
  delete from app.blocks where blocked_id = p_user.id and blocker_id = any (v_people);
  if v_most >= 500 then
    perform private.erase_rest(p_user.id);   -- this deletes the circles, with their invitations
  else
    delete from app.circles where owner_id = p_user.id;
  end if;
  perform private.erase_rows(p_user.id, 'app.follows', 'follower_id = $1');
  perform private.erase_rows(p_user.id, 'app.follows', 'following_id = $1');
  perform private.erase_rows(p_user.id, 'private.removed_follows', 'follower_id = $1');
  perform private.erase_rows(p_user.id, 'private.removed_follows', 'following_id = $1');
  perform private.erase_rows(p_user.id, 'app.mutes', 'muter_id = $1');
  perform private.erase_rows(p_user.id, 'app.mutes', 'muted_id = $1');
  delete from app.muted_keywords where user_id = p_user.id;
  update app.reports set reason = ''   -- the row of the report remains
  where id in (select id from app.reports where reporter_id = p_user.id and reason <> '' limit 500);
  get diagnostics v_words = row_count;
  if v_words = 500 then
    perform private.erase_rest(p_user.id);
  end if;
end $$;
comment on function private.erase_ties is
  'Step: deletes an erased person''s circles, memberships, invitations, blocks, follows, mutes and muted keywords, '
  'and the reasons of their reports. Reports by others remain.';
call private.force_index_scans('private.erase_ties');
insert into private.account_steps (step, events, position) values
  ('private.erase_ties', '{erasure}', 90);
