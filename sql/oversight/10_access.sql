-- Tells staff whether a person sees a thing, and why. The answer comes from the rule of visibility, which is evaluated
-- as that person; the reasons only explain it. test/model/access.test.ts compares answers and reasons in random
-- worlds. docs/decisions.md, Staff.

insert into private.errors (code, status, text) values
  ('thing_unknown', 404, 'There is no such thing.');

create table private.access_reasons (
  code   text not null check (code ~ '^[a-z]+(_[a-z]+)*$'),
  effect text not null check (effect in ('allows', 'denies', 'leaves_out')),
  text   text not null check (length(text) between 1 and 200),
  primary key (code, effect)
);
comment on table private.access_reasons is
  'Registry: the reasons why a person sees a thing or does not, with the sentences that staff reads.';
comment on column private.access_reasons.effect is
  'allows and denies: whether the person sees the thing. leaves_out: they see it, but feeds and searches do not show '
  'it to them.';
insert into private.access_reasons (code, effect, text) values
  ('banned_person', 'denies', 'This person is banned and cannot log in.'),
  ('deleted', 'denies', 'It was deleted, so nobody sees it.'),
  ('erased_author', 'denies', 'The account of its author was erased, so nobody sees it.'),
  ('banned_author', 'denies', 'Its author is banned, so nobody sees it.'),
  ('returning', 'denies', 'The ban of its author has ended. It becomes visible again within seconds.'),
  ('blocked', 'denies', 'The person blocked the author, or the author blocked the person.'),
  ('author', 'allows', 'The person is its author.'),
  ('held_by_rule', 'denies', 'A moderation rule hid it from everybody but its author.'),
  ('held_by_rule', 'leaves_out', 'A moderation rule hid it. Its author still sees it.'),
  ('hidden', 'denies', 'Staff, or the moderators of its space, hid it from everybody but its author.'),
  ('hidden', 'leaves_out', 'Staff, or the moderators of its space, hid it. Its author still sees it.'),
  ('removed', 'denies', 'Staff removed it. Only its author sees it.'),
  ('removed', 'leaves_out', 'Staff removed it. Its author still sees it.'),
  ('draft', 'denies', 'It is a draft. Only its author sees it.'),
  ('draft', 'leaves_out', 'It is a draft. Only its author sees it.'),
  ('scheduled', 'denies', 'It is not published yet. Only its author sees it.'),
  ('scheduled', 'leaves_out', 'It is not published yet. Its author already sees it.'),
  ('public', 'allows', 'Everybody sees it.'),
  ('circle', 'allows', 'The person is in a circle of its author.'),
  ('circle', 'denies', 'It is for the circles of its author, and the person is in none of them.'),
  ('inner_circle', 'allows', 'The person is in the inner circle of its author.'),
  ('inner_circle', 'denies', 'It is for the inner circle of its author, and the person is not in it.'),
  ('student', 'allows', 'The person is a student of this course, which is archived.'),
  ('space_member', 'allows', 'The person is a member of the group or guild.'),
  ('space_private', 'denies', 'The person is not a member of the group or guild, and only members see what is in it.'),
  ('post_seen', 'allows', 'The person sees the post that it answers.'),
  ('post_unseen', 'denies', 'The person does not see the post that it answers.'),
  ('original_unseen', 'denies', 'The person does not see the post that it reposts.'),
  ('in_conversation', 'allows', 'The person takes part in the conversation.'),
  ('not_in_conversation', 'denies', 'The person does not take part in the conversation.'),
  (
    'limited_author',
    'leaves_out',
    'Its author, or the author of the original, is limited, and the person does not follow that author.'
  ),
  ('muted', 'leaves_out', 'The person muted the author, the post or a word in it.');

create type private.access as (
  type text, id uuid, author_id uuid, can_see boolean, is_listed boolean, is_muted boolean, is_shown boolean
);
comment on type private.access is
  'What the rules say about a thing and a person: whether they see it, whether limits on authors keep it in their '
  'feeds and searches, whether their mutes leave it out, and whether feeds and searches may show it to them in the '
  'end. The last three are null for a thing that feeds and searches never contain.';

create function private.find_access(p_type text, p_id uuid) returns private.access
language plpgsql stable security definer   -- reads the views that definer functions use
set search_path = ''
as $$
declare
  v_access private.access := (p_type, p_id, null, false, null, null, null)::private.access;
  v_choice app.feed_choice := (
    null, null, false, null, 0, private.muted_people(), private.muted_posts(), private.find_muted_words(), 1, 200000,
    null)::app.feed_choice;
begin
  if p_type = 'post' then
    v_access.can_see := exists (select from private.visible_posts where id = p_id);
    v_access.is_listed := exists (select from private.listed_posts where id = p_id);
    v_access.is_muted := v_access.is_listed and cardinality((private.without_phrases(
      v_choice.muted_words, private.feed_chosen(v_choice, array[p_id], true), null, v_choice.characters)).ids) = 0;
    -- no feed contains things that only their author sees
    v_access.is_shown := v_access.is_listed and not v_access.is_muted
      and exists (select from app.posts where id = p_id and required_level <= 2);
  elsif p_type = 'reply' then
    v_access.can_see := exists (select from private.visible_replies where id = p_id);
  elsif p_type = 'content' then
    v_access.can_see := exists (select from private.visible_contents where id = p_id)
                     or exists (select from private.visible_courses where id = p_id);
    v_access.is_listed := exists (select from private.listed_contents where id = p_id);
    v_access.is_shown := v_access.is_listed
      and exists (select from app.contents where id = p_id and not is_draft and removed_at is null);
  elsif p_type = 'conversation' then
    v_access.can_see := exists (select from app.conversation_members
                                where conversation_id = p_id and user_id = app.uid());
  else
    v_access.can_see := (select v.is_inside from private.visibility(app.uid(), 0, p_id) v);
  end if;
  return v_access;
end $$;
comment on function private.find_access is
  'Returns whether the caller sees this post, reply, content or conversation, or what is in this group or guild. It '
  'uses the same views and functions as the caller''s own requests.';

create function private.access_of(p_person uuid, p_type text, p_id uuid) returns private.access
language plpgsql stable security definer   -- reads as another person
set search_path = ''
as $$
declare
  v_caller text := current_setting('request.jwt.claims', true);
  v_access private.access;
begin
  perform set_config('request.jwt.claims', json_build_object('sub', p_person)::text, true);
  v_access := private.find_access(p_type, p_id);
  perform set_config('request.jwt.claims', coalesce(v_caller, ''), true);
  -- banned people have no token
  if exists (select from app.hidden_people where user_id = p_person) then
    v_access.can_see := false;
    v_access.is_shown := case when v_access.is_shown is not null then false end;
  end if;
  return v_access;
end $$;
comment on function private.access_of is 'Runs private.find_access for staff as if this person were the caller.';

create type private.access_reason as (code text, effect text, about_type text, about_id uuid);
comment on type private.access_reason is
  'A row of private.access_reasons that applies, and the thing on which it depends if it is a different thing.';

create function private.reason(
  p_code text, p_effect text, p_about_type text default null, p_about_id uuid default null
) returns private.access_reason
language plpgsql immutable
set search_path = ''
as $$ begin return (p_code, p_effect, p_about_type, p_about_id)::private.access_reason; end $$;
comment on function private.reason is 'Makes a private.access_reason.';

create function private.reason_of_sight(
  p_sees boolean, p_allows text, p_denies text, p_about_type text default null, p_about_id uuid default null
) returns private.access_reason
language plpgsql immutable
set search_path = ''
as $$
begin
  return private.reason(case when p_sees then p_allows else p_denies end,
                        case when p_sees then 'allows' else 'denies' end, p_about_type, p_about_id);
end $$;
comment on function private.reason_of_sight is
  'Returns the reason with the first code if the person is allowed to see the thing, otherwise the reason with the '
  'second code.';

create function private.hider(p_type text, p_id uuid, p_otherwise text) returns text
language plpgsql stable security definer   -- callers may not read the hits of rules
set search_path = ''
as $$
begin
  return case when private.only_rules_hid(p_type, p_id) then 'held_by_rule' else p_otherwise end;
end $$;
comment on function private.hider is
  'Returns held_by_rule if only a rule has hidden the thing, otherwise the given code.';

create function private.author_reasons(
  p_author uuid, p_person uuid, p_level smallint, p_catching_up boolean
) returns private.access_reason[]
language plpgsql stable security definer   -- reads people whom policies hide
set search_path = ''
as $$
declare
  v_author app.users;
begin
  select * into v_author from app.users where id = p_author;
  return array_remove(array[
    case when v_author.erased_at is not null then private.reason('erased_author', 'denies')
         when v_author.banned_at is not null then private.reason('banned_author', 'denies')
         when p_catching_up then private.reason('returning', 'denies') end,
    case when p_level < 0 then private.reason('blocked', 'denies')
         when p_level = 3 then private.reason('author', 'allows') end], null);
end $$;
comment on function private.author_reasons is
  'The reasons that depend on the author of a thing, and on the relation between the person and the author. They do '
  'not reveal which of the two blocked the other.';

create function private.post_reasons(p_post app.posts, p_person uuid, p_access private.access)
returns private.access_reason[]
language plpgsql stable security definer   -- reads what policies hide
set search_path = ''
as $$
declare
  v_wanted smallint := private.visibility_level((p_post).visibility);
  v_rule   record;
  v_effect text;
begin
  select * into v_rule
  from private.visibility((p_post).author_id, v_wanted, (p_post).space_id, p_viewer => p_person);
  -- cases in which only the author sees the thing
  v_effect := case when v_rule.level = 3 then 'leaves_out' else 'denies' end;
  return array_remove(
    array[case when (p_post).deleted_at is not null then private.reason('deleted', 'denies') end]
    || private.author_reasons((p_post).author_id, p_person, v_rule.level, (p_post).author_banned)
    || array[
      case when (p_post).hidden_at is not null then
        private.reason(private.hider('post', (p_post).id, 'hidden'), v_effect) end,
      case when (p_post).published_at is null then
        private.reason('scheduled', v_effect) end,
      case when v_rule.level between 0 and 2 and (v_wanted > 0 or (p_post).space_id is null) then
        private.reason(case v_wanted when 0 then 'public' when 1 then 'circle' else 'inner_circle' end,
                       case when v_rule.level >= v_wanted then 'allows' else 'denies' end) end,
      case when (p_post).space_id is not null then
        private.reason_of_sight(v_rule.is_inside, 'space_member', 'space_private',
                                (select s.kind from app.spaces s where s.id = (p_post).space_id),
                                (p_post).space_id) end,
      case when (p_post).format = 'repost'
                and private.post_visible_to((p_post).quoted_post_id, p_person) is not true then
        private.reason('original_unseen', 'denies', 'post', (p_post).quoted_post_id) end,
      case when p_access.can_see and not p_access.is_listed then private.reason('limited_author', 'leaves_out') end,
      case when p_access.is_muted then private.reason('muted', 'leaves_out') end], null);
end $$;
comment on function private.post_reasons is
  'The reasons why a person sees a post or does not, in the order of the rule: private.visibility with the states '
  'of a post that app.posts.required_level combines.';

create function private.reply_reasons(p_reply app.replies, p_person uuid) returns private.access_reason[]
language plpgsql stable security definer   -- reads what policies hide
set search_path = ''
as $$
declare
  v_level smallint := coalesce(private.find_level(p_person, (p_reply).author_id), 0::smallint);
  v_post  boolean := private.post_visible_to((p_reply).post_id, p_person) is true;
begin
  return array_remove(
    array[case when (p_reply).deleted_at is not null then private.reason('deleted', 'denies') end]
    || private.author_reasons((p_reply).author_id, p_person, v_level, (p_reply).author_banned)
    || array[
      case when (p_reply).hidden_at is not null and v_level < 3 then
        private.reason(private.hider('reply', (p_reply).id, 'hidden'), 'denies') end,
      private.reason_of_sight(v_post, 'post_seen', 'post_unseen', 'post', (p_reply).post_id)], null);
end $$;
comment on function private.reply_reasons is
  'The reasons why a person sees a reply or does not, from its author, from actions of staff, and from its post.';

create function private.content_reasons(p_content app.contents, p_person uuid, p_access private.access)
returns private.access_reason[]
language plpgsql stable security definer   -- reads what policies hide
set search_path = ''
as $$
declare
  v_rule    record;
  v_student boolean;
  v_effect  text;
begin
  select * into v_rule from private.visibility((p_content).author_id, 0, (p_content).space_id, p_viewer => p_person);
  v_student := (p_content).is_draft and p_access.can_see and v_rule.level < 3;   -- private.visible_courses
  -- cases in which only the author sees the thing
  v_effect := case when v_rule.level = 3 then 'leaves_out' else 'denies' end;
  return array_remove(
    array[case when (p_content).deleted_at is not null then
            private.reason('deleted', 'denies') end]
    || private.author_reasons((p_content).author_id, p_person, v_rule.level, (p_content).author_hidden)
    || array[
      case when (p_content).removed_at is not null then
        private.reason(private.hider((p_content).kind, (p_content).id, 'removed'), v_effect) end,
      case when v_student then private.reason('student', 'allows')
           when (p_content).is_draft then private.reason('draft', v_effect) end,
      case when v_rule.level between 0 and 2 and (p_content).space_id is null and not (p_content).is_draft then
        private.reason('public', 'allows') end,
      case when (p_content).space_id is not null then
        private.reason_of_sight(v_rule.is_inside, 'space_member', 'space_private',
                                (select s.kind from app.spaces s where s.id = (p_content).space_id),
                                (p_content).space_id) end,
      case when p_access.can_see and not v_student and not p_access.is_listed then
        private.reason('limited_author', 'leaves_out') end], null);
end $$;
comment on function private.content_reasons is
  'The reasons why a person sees a content or does not, in the order of the rule, as for posts but without circles.';

create function private.find_thing(p_type text, p_id text) returns private.access
language plpgsql stable security definer   -- finds things that nobody else sees
set search_path = ''
as $$
declare
  v_id     uuid := case when pg_input_is_valid(p_id, 'uuid') then p_id::uuid end;
  v_author uuid;
  v_found  boolean;
begin
  if p_type in ('group', 'guild') then
    v_id := (private.find_any_space(p_type, p_id)).id;
    v_found := true;
  elsif p_type = 'post' then
    select author_id into v_author from app.posts where id = v_id;
  elsif p_type = 'reply' then
    select author_id into v_author from app.replies where id = v_id;
  elsif p_type = 'content' then
    select author_id into v_author from app.contents where id = v_id;
  elsif p_type = 'conversation' then
    v_found := exists (select from app.conversations where id = v_id);
  end if;
  if coalesce(v_found, v_author is not null) is not true then
    perform private.raise_error('thing_unknown');
  end if;
  return (p_type, v_id, v_author, null, null, null, null)::private.access;
end $$;
comment on function private.find_thing is
  'The id and the author of a thing that staff names, even if nobody sees it.';

create function private.explain_access(p_person uuid, p_type text, p_target text) returns json
language plpgsql stable security definer   -- reads what policies hide
set search_path = ''
as $$
declare
  v_thing   private.access := private.find_thing(p_type, p_target);
  v_access  private.access := private.access_of(p_person, p_type, v_thing.id);
  v_reasons private.access_reason[];
begin
  if exists (select from app.hidden_people where user_id = p_person) then
    v_reasons := array[private.reason('banned_person', 'denies')];
  end if;
  v_reasons := v_reasons || case p_type
    when 'post' then (select private.post_reasons(p, p_person, v_access) from app.posts p where p.id = v_thing.id)
    when 'reply' then (select private.reply_reasons(r, p_person) from app.replies r where r.id = v_thing.id)
    when 'content' then
      (select private.content_reasons(c, p_person, v_access) from app.contents c where c.id = v_thing.id)
    when 'conversation' then
      array[private.reason_of_sight(
        exists (select from app.conversation_members where conversation_id = v_thing.id and user_id = p_person),
        'in_conversation', 'not_in_conversation')]
    else
      (select array[private.reason_of_sight(v.is_inside, 'space_member', 'space_private')]
       from private.visibility(p_person, 0, v_thing.id, p_viewer => p_person) v)
    end;
  return json_build_object(
    'personId', p_person,
    'person', (select card from app.person_card where id = p_person),
    'targetType', p_type,
    'targetId', v_thing.id,
    'authorId', v_thing.author_id,
    'author', (select card from app.person_card where id = v_thing.author_id),
    'canSee', v_access.can_see,
    'shown', v_access.is_shown,
    'reasons', (
      select coalesce(json_agg(json_build_object(
               'code', r.code, 'effect', r.effect, 'text', t.text,
               'about', case when r.about_id is not null then
                          json_build_object('targetType', r.about_type, 'targetId', r.about_id) end)
             order by r.place), '[]')
      from unnest(v_reasons) with ordinality as r (code, effect, about_type, about_id, place)
      join private.access_reasons t on t.code = r.code and t.effect = r.effect));
end $$;
comment on function private.explain_access is
  'Returns whether a person sees a thing, and the reasons, in the order of the rule. The result contains none of the '
  'thing''s text.';

create function api.explain_access(p_person_id text, p_target_type text, p_target_id text) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.require_role('moderator', 'admin');
  return private.explain_access(private.require_any_person(p_person_id), p_target_type, p_target_id);
end $$;
comment on function api.explain_access is
  'Returns whether a person sees a post, a reply, a content or a conversation, or what is in a group or guild, and '
  'why: {personId, person, targetType, targetId, authorId, author, canSee, shown, reasons: [{code, effect, text, '
  'about}]}.';
