-- Who may read the intents of people, and who may search. This file belongs to sql/discovery/.

-- connection_intents
alter table app.connection_intents enable row level security;
grant select on app.connection_intents to authenticated;
grant insert (user_id, intent, note, is_active), update (intent, note, is_active)
  on app.connection_intents to authenticated;
grant select on app.intent_card to authenticated;
create policy select_own on app.connection_intents for select to authenticated using (user_id = (select app.uid()));
comment on policy select_own on app.connection_intents is
  'People read their own intent. Others see active intents through definer functions.';
create policy insert_own on app.connection_intents for insert to authenticated
  with check (user_id = (select app.uid()));
comment on policy insert_own on app.connection_intents is 'People set only their own intent.';
create policy update_own on app.connection_intents for update to authenticated
  using (user_id = (select app.uid())) with check (user_id = (select app.uid()));
comment on policy update_own on app.connection_intents is 'People change only their own intent.';

-- intent_interests: only for definer functions
alter table private.intent_interests enable row level security;

-- name_trigrams: only for definer functions
alter table private.name_trigrams enable row level security;

-- search_types, search_documents, search_words: only for definer functions
alter table private.search_types enable row level security;
alter table private.search_documents enable row level security;
alter table private.search_words enable row level security;

-- helpers
grant execute on function
  private.candidate_fields,
  private.chosen_interests,
  private.counterpart,
  private.find_by_words,
  private.find_candidates,
  private.find_interest,
  private.find_mentors,
  private.find_people,
  private.find_people_named,
  private.find_person_place,
  private.find_stream,
  private.find_suggested,
  private.find_talent,
  private.mentor_fields,
  private.match_page,
  private.quoted_word,
  private.read_query,
  private.require_match_cursor,
  private.require_stream_place,
  private.search_items,
  private.stream_cards,
  private.take_search_turn,
  private.talent_fields
  to authenticated;

-- batches that the worker runs
grant execute on function
  private.hide_or_show_documents,
  private.index_again
  to worker;

-- operations
grant execute on function
  api.get_intent,
  api.list_candidates,
  api.list_mentors,
  api.list_people,
  api.list_stream,
  api.list_suggested,
  api.list_talent,
  api.search,
  api.set_intent
  to authenticated;
