-- Votes on children of contents, such as arguments. A person has one vote on each child that somebody else wrote, and
-- can vote only while the content is open. docs/decisions.md, Debates; Problems.

create function private.sum_votes() returns trigger
language plpgsql security definer   -- only triggers may write sums
set search_path = ''
as $$
declare
  v_vote jsonb := to_jsonb(coalesce(new, old));
  v_more integer := 0;
begin
  if tg_op <> 'DELETE' then
    v_more := coalesce((to_jsonb(new) ->> 'value')::integer, 1);
  end if;
  if tg_op <> 'INSERT' then
    v_more := v_more - coalesce((to_jsonb(old) ->> 'value')::integer, 1);
  end if;
  execute format('update %1$s set %2$I = %2$I + $1 where id = $2', tg_argv[1], tg_argv[2])
    using v_more, (v_vote ->> tg_argv[0])::uuid;
  return null;
end $$;
comment on function private.sum_votes is
  'Trigger: adds each vote to the sum. Votes of erased people, and of people that the viewer can''t see, count too, '
  'as hearts of posts do. A vote without a value counts as 1. The arguments of the trigger are the column that names '
  'the child, the table of children, and that table''s column for the sum.';

create function private.begin_vote(p_kind text, p_content uuid, p_child text, p_author uuid) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.count_writes('likes');
  perform private.lock_open_content(p_kind, p_content);
  if p_author = private.require_caller() then
    perform private.raise_error(p_child || '_own');
  end if;
end $$;
comment on function private.begin_vote is
  'Checks that the caller may vote on a child, such as an argument, of a content of this kind, and locks the '
  'content with private.lock_open_content. The caller must then read the child again. If the child is the caller''s '
  'own, it fails with a code of the kind of child.';
