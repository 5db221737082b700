-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

COMMENT ON FUNCTION "private"."act_in_case"(app.cases, text[], text, text, text, timestamp with time zone) IS 'Does these actions in a case whose work is locked, and returns the state of the case after them. Fails: private.set_post_hidden, private.set_reply_hidden, api.remove_post, private.set_content_removed, private.warn_person, api.limit_person, api.ban_person. Never: until_past, limit_oneself, ban_oneself, content_kind, reason_length, text_unfit.';

COMMENT ON FUNCTION "private"."act_on_people"(uuid[], text, text, text, timestamp with time zone) IS 'Does the same to several people. Fails: api.limit_person, api.ban_person. Never: until_past.';

COMMENT ON FUNCTION "private"."overturn"(app.decisions) IS 'Takes back what a decision did, and its strikes. Returns whether anything could be taken back. Fails: private.set_post_hidden, private.set_reply_hidden, private.set_content_removed, api.unban_person. Never: content_kind.';
