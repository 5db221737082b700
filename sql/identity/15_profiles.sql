-- Profiles: what people can change, what others see of them, and when they were last active. docs/decisions.md,
-- People.

create view app.profile_card with (security_invoker) as
select u.id,
       private.merge_objects(c.card, json_build_object(
         'about', u.about,
         'country', u.country,
         'city', u.city,
         'createdAt', private.utc(u.created_at),
         'owner', (select o.card from app.person_card o where o.id = u.bot_owner_id))) as card
from app.users u join app.person_card c on c.id = u.id;
comment on view app.profile_card is
  'A public profile: the person''s card with {about, country, city, createdAt, owner}. owner is the person who runs '
  'a bot; null for people, and if the caller cannot see the owner. It never includes the email address, phone, '
  'birthday, role or presence.';

create function api.update_me(p_changes jsonb) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  update app.users set
    username = case when p_changes ? 'username' then lower(btrim(p_changes ->> 'username')) else username end,
    first_name = case when p_changes ? 'firstName' then private.require_name(p_changes ->> 'firstName')
                      else first_name end,
    last_name = case when p_changes ? 'lastName' then private.require_name(p_changes ->> 'lastName')
                     else last_name end,
    country = case when p_changes ? 'country' then p_changes ->> 'country' else country end,
    city = case when p_changes ? 'city' then private.require_name(p_changes ->> 'city') else city end,
    about = case when p_changes ? 'about' then nullif(private.require_text(p_changes ->> 'about'), '') else about end,
    profile_pic_url = case when p_changes ? 'profilePicUrl' then private.use_picture(p_changes ->> 'profilePicUrl')
                           else profile_pic_url end
  where id = private.require_caller();
  if p_changes ?| array['phone', 'hasPublicPage'] then
    update app.accounts set
      phone = case when p_changes ? 'phone' then btrim(p_changes ->> 'phone') else phone end,
      has_public_page = case when p_changes ? 'hasPublicPage' then (p_changes ->> 'hasPublicPage')::boolean
                             else has_public_page end
    where user_id = app.uid();
  end if;
  return private.own_profile();
end $$;
comment on function api.update_me is
  'Changes the caller''s profile, {firstName, lastName, username, city, country, phone, hasPublicPage, about, '
  'profilePicUrl}: absent fields remain unchanged, null clears phone, about and profilePicUrl. A former username '
  'still finds the caller. Fails: username_taken, username_reserved, usernames_exhausted.';

create function api.note_presence() returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  if private.note_access_token_used() then
    return null;   -- a program is active, but the person may not be
  end if;
  update app.accounts set last_seen_at = now()
  where user_id = private.require_caller() and coalesce(last_seen_at, '-infinity') < now() - interval '5 minutes';
  perform private.note_session_seen();
  return null;   -- the response is 204
end $$;
comment on function api.note_presence is
  'Records that the caller and the session of the token are active now. For an access token, it records only that the '
  'token was used. It writes each record at most once in five minutes, even if several facades call it.';
