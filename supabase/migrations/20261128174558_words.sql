-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION api.list_video_comments(p_id uuid, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  c_most constant integer := 200;   -- fixed for this list; the pages of other lists have fewer
  v_video uuid := (private.require_video(p_id)).id;
  v_from  app.place := ('-infinity', p_id)::app.place;   -- any id works: no row is at infinity
  v_found app.found;
  v_next  text;
begin
  if p_cursor is not null then
    v_from := private.require_place('comments ' || v_video, p_cursor);
    v_from.at := coalesce(v_from.at, private.find_comment_time(v_from.id, v_video));
    if v_from.at is null then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  v_found := private.find_comments(v_video, v_from);
  v_next := case when cardinality(v_found.ids) > c_most then v_found.ids[c_most]::text else v_found.next end;
  return json_build_object('items', coalesce(private.comment_cards(v_found.ids[:c_most]), '[]'),
                           'nextCursor', v_next, 'hasMore', v_next is not null);
end $function$;

COMMENT ON COLUMN "app"."decisions"."continues" IS 'If staff moved the end of a suspension without a case, this decision has the new end, and here is the first decision, which began the suspension. Null for any other decision.';

COMMENT ON COLUMN "app"."users"."person_id" IS 'A public id that survives every rename. Only an erasure replaces it.';

COMMENT ON COLUMN "private"."devices"."credentials_version" IS 'The version of the person''s credentials at the last login on the device. With another version the device counts as new.';

COMMENT ON FUNCTION "api"."consume_refresh"(uuid, integer) IS 'For the facade alone: uses up the refresh token of a generation. If the token was used before, the consent ends. There is one exception: the token before the current one can be used again within 10 seconds of its use.';

COMMENT ON FUNCTION "private"."count_recipients"(text) IS 'How many people would get a notification to everybody of this kind, which people get unless they turned it off.';

COMMENT ON FUNCTION "private"."count_strikes"(uuid) IS 'The strikes of a person that have not lapsed. Each case counts the number of its category once, however many actions were taken in it (private.counts_strikes), and so does a suspension, however often its end was moved. Strikes have no effect by themselves: staff sees them. Counts the newest 400 decisions.';

COMMENT ON FUNCTION "private"."filtered_posts"(boolean, text, smallint[], app.place, uuid[]) IS 'The newest posts that pass one filter: journalism if p_journalism is true, otherwise the format p_format if it is not note, otherwise the depths in p_depths.';

COMMENT ON FUNCTION "private"."hashed_media"(text[]) IS 'Of these addresses, those of assets whose hash is known, each once, with the hash. Only the present address of an asset counts.';

COMMENT ON FUNCTION "private"."is_reported_by_trusted"(private.judged, jsonb) IS 'Condition: there was a moment at which reports of the thing by at least `people` trusted people were open. Looks at its last 50 reports. Whether somebody is trusted is judged at the time of their report.';

COMMENT ON FUNCTION "private"."judge"(text, uuid, text[], timestamp with time zone) IS 'Judges the versions of a thing since p_since by the rules whose app.moderation_rules.judged is in p_judged. Records a hit once for each rule, and hides the thing if a live rule says so. The worker then opens a case for the hits of live rules. Returns whether it has hidden the thing.';

COMMENT ON FUNCTION "private"."merged_streams"(uuid[], timestamp with time zone[], integer[], integer, timestamp with time zone, uuid[]) IS 'The newest 101 posts that the caller may see in several streams, for example the posts of each author. p_ids, p_times and p_places are the next entries of all streams: the post, its time, and its place in its stream, from 1. Each stream has at most p_most entries here, none before p_until. Posts by the people in p_muted are left out.';

COMMENT ON FUNCTION "private"."require_oidc_login"(uuid, uuid) IS 'Passes if this login at the provider belongs to the person and was not used up. It does not use up the login, so that the person can read several decisions and appeal them until the login expires.';

COMMENT ON FUNCTION "private"."search_blocks"(private.search_query, text[], private.search_lead[], private.search_run, bigint, bigint) IS 'Searches whole blocks, from number p_low to before p_before. Returns the documents that have the words of p_leads, match the query and are visible to the caller, and those of p_people whose numbers are in these blocks. The calling function has checked that p_people are visible. Documents that the caller may not see, for example across a block between people, are neither searched for phrases nor ranked.';

COMMENT ON FUNCTION "private"."set_banned"(app.users, boolean, text, timestamp with time zone) IS 'Bans a person whose row private.lock_account locked, or ends the ban, and leaves an audit entry. Their bots are banned with them, with the same banned_at. The end of the ban also ends the bans of bots with the same banned_at. With p_until the ban is a suspension and ends by itself at that time. If the person is already banned, p_until replaces the end of the ban.';

COMMENT ON TABLE "private"."credentials" IS 'Password hashes (argon2id). The other columns have the iat of the person''s last token, and the exp of all tokens that were issued with this iat, so that no two tokens of a person have the same iat and exp.';

COMMENT ON VIEW "private"."posts_with_page" IS 'The posts that have a public page: those of private.listed_posts, except reposts, by people who have a public page. For definer functions.';

update private.errors set "text" = 'This is not a BlurHash.'
where "code"::text = 'blurhash'
  and "text"::text = 'This is no BlurHash.';

update private.errors set "text" = 'You have linked 5 logins, which is the maximum.'
where "code"::text = 'identities_exhausted'
  and "text"::text = 'You have linked 5 logins, which is the most.';
