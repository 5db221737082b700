-- Only comments change, which an independent reader found hard to read.

set local check_function_bodies = off;

COMMENT ON FUNCTION "private"."appeal_roles"(app.decisions) IS 'The roles that may resolve an appeal against a decision: the same as may make such a decision.';

COMMENT ON FUNCTION "private"."export_keys"(regclass, text, text[], text) IS 'Two lists for the text of a query: names has these columns of the relation, qualified with the alias; places has expressions that read their values from the JSON array p_after.';

COMMENT ON FUNCTION "private"."hide_or_show_children"(jsonb, uuid) IS 'For the worker alone: as private.hide_or_show_contents, for a table of children {userId, relation}. private.hide_children calls it for the first 500.';

COMMENT ON FUNCTION "private"."hide_or_show_contents"(jsonb, uuid) IS 'For the worker alone: if the person {userId} is banned or erased now, hides their next 500 contents after a given one; otherwise shows these again. Deletes the words of an erased person, too. Returns {changed, next}; next is null at the end. private.hide_contents calls it for the first 500.';

COMMENT ON FUNCTION "private"."job_close_polls"() IS 'Job: notifies the author and the voters of the poll that has been closed the longest, and returns 1. Of the author''s other due polls, 100 keep their turn, and the 500 after them yield to polls of others. If notifying fails, the job puts the poll behind the others and returns -1. A later run tries it again, after 5 seconds at the earliest. May run twice: it takes only due polls, each once, and skips locked ones. The worker repeats it until it returns 0, which means that no poll is due.';

COMMENT ON FUNCTION "private"."job_publish_scheduled"() IS 'Job: publishes the scheduled post that has been due the longest, unless its author is banned or erased, and returns 1. Of the author''s other due posts, 100 keep their turn, and the 500 after them yield to posts of others. If publishing fails, the job puts the post behind the other due posts and returns -1. A later run tries it again, after 5 seconds at the earliest. If the author has left the space of the post, or the space is archived, the job postpones the post by 15 minutes, together with up to 500 other due posts of the author in that space. May run twice: it takes only due posts, each once, and skips locked ones. The worker repeats it until it returns 0, which means that no post is due.';

COMMENT ON FUNCTION "private"."lock_counters"(uuid[]) IS 'Locks the counters of these posts, sorted by post. Call it before you lock posts or replies: the triggers that count lock the counters first, and write to posts after that (private.raise_trending). ARCHITECTURE.md, Locks.';

COMMENT ON FUNCTION "private"."lock_effects"(uuid[]) IS 'For functions that decide by ledgers or notifications: takes the locks under which these people''s ledgers and notifications are written, one transaction at a time, and first applies the pending effects of each, up to four times as many as private.apply_effects_of. Until the transaction ends, no other transaction can write the ledgers and notifications of these people. Entries that the calling function writes come after those of the effects. ARCHITECTURE.md, Locks.';
