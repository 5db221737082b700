-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION api.get_public_post(p_post uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select json_build_object(
      'id', p.id, 'title', p.title, 'body', p.body, 'media', p.media,
      'publishedAt', private.utc(p.published_at), 'editedAt', private.utc(p.edited_at),
      'author', private.public_author(p.author_id),
      'persona', (select s.name from app.personas s where s.id = p.persona_id),
      'quotedPostId', (select q.id from private.listed_posts q where q.id = p.quoted_post_id))
    from private.listed_posts p
    where p.id = p_post and p.format <> 'repost');
end $function$;

ALTER FUNCTION "api"."get_public_post"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.get_public_profile(p_username text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select json_build_object(
      'person', private.public_author(l.id),
      'about', u.about,
      'posts', (
        select coalesce(json_agg(json_build_object(
                 'id', v.id, 'title', v.title, 'excerpt', left(v.body, 200),
                 'publishedAt', private.utc(v.published_at)) order by w.published_at desc, w.id desc), '[]')
        from (select p.id, p.published_at from app.posts p
              where p.author_id = l.id and p.required_level = 0 and p.space_id is null
              order by p.published_at desc, p.id desc limit 40) w
        join private.listed_posts v on v.id = w.id
        where v.format <> 'repost'))
    from private.listed_people l join app.users u on u.id = l.id
    where l.id = private.find_person(p_username));
end $function$;

ALTER FUNCTION "api"."get_public_profile"(text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.limited_for(p_author uuid, p_viewer uuid DEFAULT NULL::uuid)
 RETURNS TABLE(is_limited boolean)
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT (( SELECT (EXISTS ( SELECT
                    FROM app.limited_people)) AS "exists") AND (( SELECT true
            FROM app.limited_people l
           WHERE ((l.user_id = limited_for.p_author) AND (l.user_id IS DISTINCT FROM COALESCE(limited_for.p_viewer, ( SELECT app.uid() AS uid))) AND (( SELECT true
                    FROM app.follows f
                   WHERE ((f.follower_id = COALESCE(limited_for.p_viewer, ( SELECT app.uid() AS uid))) AND (f.following_id = l.user_id))) IS NULL))) IS TRUE));
END;

CREATE OR REPLACE FUNCTION private.public_author(p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (select json_build_object('username', u.username, 'firstName', u.first_name, 'lastName', u.last_name,
                                   'profilePicUrl', u.profile_pic_url)
          from app.users u where u.id = p_id);
end $function$;

ALTER FUNCTION "private"."public_author"(uuid) OWNER TO "postgres";

COMMENT ON FUNCTION "api"."get_public_post"(uuid) IS 'A post for its public page, {id, title, body, media, publishedAt, editedAt, author, persona, quotedPostId}; null if there is none that everybody may see: private.listed_posts without a caller. A repost has no page. quotedPostId is null if not everybody may see the quoted post.';

COMMENT ON FUNCTION "api"."get_public_profile"(text) IS 'A person for their public page, {person, about, posts}; null if there is nobody whom everybody may see: private.listed_people without a caller. The posts are those of the newest 40 that have a page.';

COMMENT ON FUNCTION "private"."limited_for"(uuid, uuid) IS 'The one rule of limited people: whether this person is limited, and the viewer neither follows them nor is them. Feeds, searches and suggestions then leave out what the person wrote. One row. For each person it probes a small table, and the follows only if it finds the person there. If p_viewer is null the viewer is the caller; without a caller it is nobody, who follows nobody.';

COMMENT ON FUNCTION "private"."public_author"(uuid) IS 'What a public page shows of a person, {username, firstName, lastName, profilePicUrl}.';

REVOKE ALL ON FUNCTION "api"."get_public_post"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."get_public_post"(uuid) TO "gate";

REVOKE ALL ON FUNCTION "api"."get_public_post"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."get_public_post"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "api"."get_public_profile"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."get_public_profile"(text) TO "gate";

REVOKE ALL ON FUNCTION "api"."get_public_profile"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."get_public_profile"(text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."public_author"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."public_author"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."public_author"(uuid) TO "postgres";
