-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION api.create_reply(p_id uuid, p_body text, p_kind text DEFAULT 'reply'::text, p_parent_id uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_kept  json := private.begin_idempotent('create_reply', json_build_array(p_id, p_body, p_kind, p_parent_id));
  v_post  uuid;
  v_reply uuid;
  v_card  json;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  v_post := private.require_published_original(p_id);
  perform private.count_writes('replies');
  perform private.lock_open_post_space(v_post);
  -- reads and writes in one statement, so that blocking somebody meanwhile can cause no error but post_unknown
  insert into app.replies (post_id, author_id, parent_id, kind, body)
  select p.id, private.require_caller(), p_parent_id, p_kind, private.require_text(p_body)
  from app.posts p where p.id = v_post
  returning id into v_reply;
  if not found then
    perform private.raise_error('post_unknown');
  end if;
  perform private.emit('posts.reply.created', json_build_object(
    'replyId', v_reply, 'postId', v_post, 'authorId', app.uid()), private.people_of_reply(v_reply));
  v_card := private.reply_cards(array[v_reply]) -> 0;
  if v_card is null then   -- a block was made while we waited for the counters
    perform private.raise_error('post_unknown');
  end if;
  return private.finish_idempotent('create_reply', v_card);
end $function$;

CREATE OR REPLACE FUNCTION api.create_video_comment(p_id uuid, p_body text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_kept    json := private.begin_idempotent('create_video_comment', json_build_array(p_id, p_body));
  v_video   uuid;
  v_comment uuid;
  v_card    json;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  perform private.count_writes('comments');
  v_video := private.require_open_video(p_id);
  -- reads and writes in one statement, so that blocking somebody meanwhile can cause no error but video_unknown
  insert into app.video_comments (video_id, author_id, body)
  select c.id, private.require_caller(), private.require_text(p_body)
  from app.contents c where c.id = v_video and c.required_level = 0
  returning id into v_comment;
  v_card := (select card from app.video_comment_card where id = v_comment);
  if v_card is null then   -- a block or a deletion happened while this waited for the counters
    perform private.raise_error('video_unknown');
  end if;
  return private.finish_idempotent('create_video_comment', v_card);
end $function$;

CREATE OR REPLACE FUNCTION api.follow_series(p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_series app.series := private.require_series(p_id);
begin
  perform private.count_writes('follows');
  if v_series.author_id = private.require_caller() then
    perform private.raise_error('series_follow_own');
  end if;
  -- reads and writes in one statement, so that blocking somebody meanwhile can cause no error but series_unknown
  insert into app.series_follows (series_id, user_id) select s.id, app.uid() from app.series s where s.id = p_id
  on conflict do nothing;
  return json_build_object('following', true);
end $function$;

CREATE OR REPLACE FUNCTION api.like_video(p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_video uuid;
begin
  perform private.count_writes('likes');
  v_video := private.require_open_video(p_id);
  -- reads and writes in one statement, so that blocking somebody meanwhile can cause no error but video_unknown
  insert into app.video_likes (video_id, user_id)
  select c.id, private.require_caller() from app.contents c where c.id = v_video and c.required_level = 0
  on conflict do nothing;
  return private.require_video_card(v_video);
end $function$;

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

COMMENT ON COLUMN "private"."personal_data"."across_blocks" IS 'Whether the section names people even with a block between the two, because people may see whom they have blocked.';

COMMENT ON FUNCTION "api"."consume_refresh"(uuid, integer) IS 'For the facade alone: uses up the refresh token of a generation. If the token was used before, the consent ends. There is one exception: the token before the current one can be used again within 10 seconds of its use.';

COMMENT ON FUNCTION "api"."list_blocks"(integer, text) IS 'The people whom the caller has blocked, by username. No other list names them, or people who blocked the caller.';

COMMENT ON FUNCTION "api"."list_mutes"(integer, text) IS 'The people whom the caller has muted, by username, without those with a block between them and the caller.';

COMMENT ON FUNCTION "private"."announce_level"() IS 'Trigger: emits an event when a person reaches a higher level in an interest than ever before. If they rise several levels at once, it names the highest.';

COMMENT ON FUNCTION "private"."count_recipients"(text) IS 'How many people would get a notification to everybody of this kind, which people get unless they turned it off.';

COMMENT ON FUNCTION "private"."count_strikes"(uuid) IS 'The strikes of a person that have not lapsed. Each case counts the number of its category once, however many actions were taken in it (private.counts_strikes), and so does a suspension, however often its end was moved. Strikes have no effect by themselves: staff sees them. Counts the newest 400 decisions.';

COMMENT ON FUNCTION "private"."filtered_posts"(boolean, text, smallint[], app.place, uuid[]) IS 'The newest posts that pass one filter: journalism if p_journalism is true, otherwise the format p_format if it is not note, otherwise the depths in p_depths.';

COMMENT ON FUNCTION "private"."hashed_media"(text[]) IS 'Of these addresses, those of assets whose hash is known, each once, with the hash. Only the present address of an asset counts.';

COMMENT ON FUNCTION "private"."is_reported_by_trusted"(private.judged, jsonb) IS 'Condition: there was a moment at which reports of the thing by at least `people` trusted people were open. Looks at its last 50 reports. Whether somebody is trusted is judged at the time of their report.';

COMMENT ON FUNCTION "private"."judge"(text, uuid, text[], timestamp with time zone) IS 'Judges the versions of a thing since p_since by the rules whose app.moderation_rules.judged is in p_judged. Records a hit once for each rule, and hides the thing if a live rule says so. The worker then opens a case for the hits of live rules. Returns whether it has hidden the thing.';

COMMENT ON FUNCTION "private"."mention_people"(text, uuid, uuid, uuid) IS 'Emits posts.person.mentioned for each of the first 20 people whom a text mentions, except the writer, people with a block between them and the writer, people who may not see the post, and people who don''t follow a limited writer. Up to 20 names per text count towards the writer''s hourly limit.';

COMMENT ON FUNCTION "private"."merged_streams"(uuid[], timestamp with time zone[], integer[], integer, timestamp with time zone, uuid[]) IS 'The newest 101 posts that the caller may see in several streams, for example the posts of each author. p_ids, p_times and p_places are the next entries of all streams: the post, its time, and its place in its stream, from 1. Each stream has at most p_most entries here, none before p_until. Posts by the people in p_muted are left out.';

COMMENT ON FUNCTION "private"."require_oidc_login"(uuid, uuid) IS 'Passes if this login at the provider belongs to the person and was not used up. It does not use up the login, so that the person can read several decisions and appeal them until the login expires.';

COMMENT ON FUNCTION "private"."search_blocks"(private.search_query, text[], private.search_lead[], private.search_run, bigint, bigint) IS 'Searches whole blocks, from number p_low to before p_before. Returns the documents that have the words of p_leads, match the query and are visible to the caller, and those of p_people whose numbers are in these blocks. The calling function has checked that p_people are visible. Documents that the caller may not see, for example across a block between people, are neither searched for phrases nor ranked.';

COMMENT ON FUNCTION "private"."set_banned"(app.users, boolean, text, timestamp with time zone) IS 'Bans a person whose row private.lock_account locked, or ends the ban, and leaves an audit entry. Their bots are banned with them, with the same banned_at. The end of the ban also ends the bans of bots with the same banned_at. With p_until the ban is a suspension and ends by itself at that time. If the person is already banned, p_until replaces the end of the ban.';

COMMENT ON POLICY "insert_owner" ON "app"."circle_invitations" IS 'The owner of a circle invites people to it, but nobody who blocked them or whom they blocked. Updates are not allowed: private.settle_invitation changes the status.';

COMMENT ON POLICY "insert_owner" ON "app"."circle_members" IS 'The owner adds members, but nobody who blocked them or whom they blocked. A definer function adds people who accept an invitation.';

COMMENT ON POLICY "insert_own" ON "app"."follows" IS 'People follow others in their own name, but nobody who blocked them or whom they blocked.';

COMMENT ON POLICY "insert_author" ON "app"."post_co_authors" IS 'The author invites people, but nobody who blocked them or whom they blocked. Updates and deletes are not allowed: private.settle_co_author records the answer.';

COMMENT ON POLICY "select_reachable" ON "app"."users" IS 'People see everyone except banned and erased people, those they blocked, and those who blocked them. Only definer functions write the columns that sql/base creates, except username (policies/identity.sql).';

COMMENT ON TABLE "private"."credentials" IS 'Password hashes (argon2id). The other columns have the iat of the person''s last token, and the exp of all tokens that were issued with this iat, so that no two tokens of a person have the same iat and exp.';

COMMENT ON VIEW "private"."posts_with_page" IS 'The posts that have a public page: those of private.listed_posts, except reposts, by people who have a public page. For definer functions.';

COMMENT ON VIEW "private"."visible_reviews" IS 'The reviews that the caller may see, provided that they see the offering or are a party of the order. It leaves out reviews by people with a block between them and the caller, by banned or erased people, and removed ones except the caller''s own. For definer functions.';

update private.errors set "text" = 'This is not a BlurHash.'
where "code"::text = 'blurhash'
  and "text"::text = 'This is no BlurHash.';

update private.errors set "text" = 'You have linked 5 logins, which is the maximum.'
where "code"::text = 'identities_exhausted'
  and "text"::text = 'You have linked 5 logins, which is the most.';
