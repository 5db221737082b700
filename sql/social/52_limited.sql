-- Limited people. Staff has removed them from feeds, searches and suggestions, except for their followers and
-- themselves. docs/decisions.md, Staff.

create function private.list_limited() returns trigger
language plpgsql security definer   -- only this trigger writes app.limited_people
set search_path = ''
as $$
begin
  if new.limited_at is not null then
    insert into app.limited_people (user_id) values (new.id) on conflict do nothing;
  else
    delete from app.limited_people where user_id = new.id;
  end if;
  return null;
end $$;
comment on function private.list_limited is
  'Trigger: keeps app.limited_people in sync with app.users.limited_at.';
create trigger _055_list_limited after update of limited_at on app.users
  for each row execute function private.list_limited();

create function private.limited_for(p_author uuid, p_viewer uuid default null) returns table (is_limited boolean)
language sql stable   -- without a search_path, so that Postgres inlines it: test/guards.test.ts
begin atomic
  -- evaluated once per statement, because usually nobody is limited
  select (select exists (select from app.limited_people))
     and (select true from app.limited_people l
          where l.user_id = p_author
            and l.user_id is distinct from coalesce(p_viewer, (select app.uid()))
            and (select true from app.follows f
                 where f.follower_id = coalesce(p_viewer, (select app.uid()))
                   and f.following_id = l.user_id) is null) is true;
end;
comment on function private.limited_for is
  'The only rule of limited people: whether this person is limited, and the viewer is neither a follower nor the '
  'person. Feeds, searches and suggestions then leave out what the person wrote. Returns one row. For each person '
  'it reads a small table, and reads the follows only if it finds the person there. If p_viewer is null, the viewer '
  'is the caller; without a caller the viewer follows nobody.';

create view private.listed_people with (security_invoker) as
select p.* from private.visible_people p cross join lateral private.limited_for(p.id) l where not l.is_limited;
comment on view private.listed_people is
  'The people whom searches and suggestions may show to the caller: people whom the caller may see and who are not '
  'limited for the caller. The view is for definer functions.';
