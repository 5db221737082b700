-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION api.check_password_reset(p_id uuid, p_token_hash bytea)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_person uuid := private.find_running_reset(p_id, p_token_hash);
begin
  if v_person is null then
    perform private.raise_error('reset_over');
  end if;
  return json_build_object('words', private.words_of(v_person));
end $function$;

CREATE OR REPLACE FUNCTION api.find_password()
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (select json_build_object('userId', c.user_id, 'passwordHash', c.password_hash,
                                   'credentialsVersion', u.credentials_version, 'words', private.words_of(u.id))
          from private.credentials c join app.users u on u.id = c.user_id
          where c.user_id = private.require_caller());
end $function$;

CREATE OR REPLACE FUNCTION private.words_of(p_user uuid)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (select array[a.email, u.username, u.first_name, u.last_name]
          from app.users u join app.accounts a on a.user_id = u.id
          where u.id = p_user);
end $function$;

ALTER FUNCTION "private"."words_of"(uuid) OWNER TO "postgres";

COMMENT ON FUNCTION "api"."check_password_reset"(uuid, bytea) IS 'For the facade alone: checks a token before the facade hashes a new password, {words}: the names and the address of the person.';

COMMENT ON FUNCTION "api"."find_password"() IS 'For the facade alone: the caller''s password hash, for operations that require the password, {userId, passwordHash, credentialsVersion, words (names and address)}.';

COMMENT ON FUNCTION "private"."words_of"(uuid) IS 'The names and the address of a person, of which a new password of theirs may not consist.';

REVOKE ALL ON FUNCTION "private"."words_of"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."words_of"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."words_of"(uuid) TO "postgres";

insert into private.errors ("code", "status", "text")
values ('password_guessable', '422', 'This password is one of the most common ones, or easy to guess from your name or address. Choose another one, for example several words.');
