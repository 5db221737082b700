-- How an erasure changes the wiki. Approved text remains, without its author's name; votes remain as counts. See
-- sql/base/90_erasure.sql for how an erasure runs. docs/decisions.md, Erasure and export.

create function private.erase_wiki_proposals(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_erased integer;
begin
  with mine as (
    select id from app.wiki_proposals where author_id = p_user.id and body is not null
    order by id limit 500 for no key update
  )
  update app.wiki_proposals w
  set body = null, summary = null,
      status = case w.status when 'open' then 'withdrawn' else w.status end,
      resolved_at = coalesce(w.resolved_at, now())
  from mine where w.id = mine.id;
  get diagnostics v_erased = row_count;
  if v_erased = 500 then
    perform private.erase_rest(p_user.id);
  end if;
end $$;
comment on function private.erase_wiki_proposals is
  'Step: empties the texts of an erased person''s proposals, 500 at a time, and withdraws open ones.';
insert into private.account_steps (step, events, position) values
  ('private.erase_wiki_proposals', '{erasure}', 169);
