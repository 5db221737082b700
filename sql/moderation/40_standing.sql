-- What people read of the decisions about them. They need not be logged in, because a banned person can't log in.
-- docs/decisions.md, Staff.

create function private.standing(p_person uuid, p_by_password boolean) returns json
language plpgsql stable security definer   -- callers may not read decisions
set search_path = ''
as $$
declare
  v_since timestamptz := private.strikes_since();
begin
  return (
    select json_build_object(
      'state', case when u.banned_until is not null then 'suspended' when u.banned_at is not null then 'banned'
                    when u.limited_at is not null then 'limited' else 'active' end,
      'suspendedUntil', private.utc(u.banned_until),
      'strikes', private.count_strikes(p_person),
      'decisions', (
        select coalesce(json_agg(json_build_object(
                 'id', d.id,
                 'action', d.action,
                 'targetType', d.target_type,
                 'targetId', case when d.target_type <> 'user' then d.target_id end,
                 'category', d.category,
                 'rule', d.rule,
                 'reason', d.reason,
                 'automated', d.decided_by is null,
                 'strikes', case when s.counts then c.strikes else 0 end,
                 'strikesUntil', case when s.counts and c.strikes > 0
                                      then private.utc(d.decided_at + (now() - v_since)) end,
                 'endsAt', private.utc(d.ends_at),
                 'liftedAt', private.utc(d.lifted_at),
                 'overturnedAt', private.utc(d.overturned_at),
                 'appealable', p.path is not null,
                 'appealPath', p.path,
                 'appeal', case when a.id is not null then json_build_object(
                   'text', a.text, 'status', a.status, 'undone', a.undone, 'answer', a.answer,
                   'createdAt', private.utc(a.created_at), 'resolvedAt', private.utc(a.resolved_at)) end,
                 'createdAt', private.utc(d.decided_at)) order by d.decided_at desc, d.id desc), '[]')
        from (select * from app.decisions where person_id = p_person order by decided_at desc, id desc limit 100) d
        join private.case_categories c on c.category = d.category
        cross join lateral (
          select private.counts_strikes(d) and d.decided_at > v_since as counts) s
        cross join lateral (select private.appeal_path(d, p_by_password) as path) p
        left join app.decision_appeals a on a.decision_id = d.id))
    from app.users u where u.id = p_person);
end $$;
comment on function private.standing is
  'The standing of a person as they read it: {state, suspendedUntil, strikes, decisions}, with the newest 100 '
  'decisions. It never says who decided. Several decisions of one case count strikes once. With p_by_password the '
  'person is not logged in, so the result names another route for appeals.';
call private.force_index_scans('private.standing');

create function private.own_standing() returns json
language plpgsql stable security definer   -- callers may not read decisions
set search_path = ''
as $$ begin return private.standing(private.require_caller(), false); end $$;
comment on function private.own_standing is 'The standing of the caller.';

create function private.appeal_own_decision(p_decision uuid, p_text text) returns void
language plpgsql volatile security definer   -- people may not write appeals directly
set search_path = ''
as $$ begin perform private.add_decision_appeal(private.require_caller(), p_decision, p_text); end $$;
comment on function private.appeal_own_decision is 'Adds an appeal of the caller.';

create function api.get_standing() returns json
language plpgsql stable
set search_path = ''
as $$ begin return private.own_standing(); end $$;
comment on function api.get_standing is
  'The caller''s standing: {state, suspendedUntil, strikes, decisions}. Nobody learns who decided.';

insert into private.operations_of_people (operation) values ('appeal_decision');

create function api.appeal_decision(p_id uuid, p_text text) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept json := private.begin_idempotent('appeal_decision', json_build_array(p_id, p_text));
begin
  if v_kept is not null then
    return v_kept;
  end if;
  perform private.appeal_own_decision(p_id, p_text);
  return private.finish_idempotent('appeal_decision', private.own_standing());
end $$;
comment on function api.appeal_decision is
  'Appeals a decision about the caller, once for each decision. Returns the standing.';

create function api.find_standing(
  p_user_id uuid, p_password_hash text, p_code text default null, p_passkey uuid default null,
  p_counter bigint default null, p_oidc_login uuid default null
) returns json
language plpgsql volatile security definer   -- only for gate: banned people have no token
set search_path = ''
as $$
begin
  if not private.identify(p_user_id, p_password_hash, p_code, p_passkey, p_counter, p_oidc_login) then
    return private.error_response('passkey_wrong');   -- an error would roll back the end of the passkey
  end if;
  return private.standing(p_user_id, true);
end $$;
comment on function api.find_standing is
  'For the facade alone, after it has checked the password, the signature of the passkey or the login at the OpenID '
  'provider: the standing of a person who may be banned. p_code is a code of the second factor, if they have one and '
  'give no passkey.';

create function api.appeal_by_password(
  p_user_id uuid, p_password_hash text, p_decision_id uuid, p_text text, p_code text default null,
  p_passkey uuid default null, p_counter bigint default null, p_oidc_login uuid default null
) returns json
language plpgsql volatile security definer   -- only for gate: banned people have no token
set search_path = ''
as $$
begin
  if not private.identify(p_user_id, p_password_hash, p_code, p_passkey, p_counter, p_oidc_login) then
    return private.error_response('passkey_wrong');   -- an error would roll back the end of the passkey
  end if;
  perform private.add_decision_appeal(p_user_id, p_decision_id, p_text);
  return private.standing(p_user_id, true);
end $$;
comment on function api.appeal_by_password is
  'For the facade alone, after it has checked the person''s identity as for api.find_standing: appeals a decision '
  'about a person who may be banned. Returns the standing.';
