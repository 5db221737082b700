-- Arguments earn reputation in the interest of the debate, as replies do. docs/decisions.md, Reputation; Debates.

create function private.settle_reputation_of_arguments(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_effect private.effects;
begin
  perform private.earn_reputation(array(
    select (a.author_id, c.interest_id,
            case when length(a.body) <= 300 then 'reply.criticism' else 'reply.contribution' end,
            a.id, c.author_id, e.caused_at)::private.earning
    from unnest(p_effects) e
    join app.debate_arguments a on a.id = (e.payload ->> 'argumentId')::uuid and a.author_id = e.user_id
    join app.contents c on c.id = a.debate_id
    where e.event = 'debates.argument.created' and a.body <> ''));
  foreach v_effect in array p_effects loop
    if v_effect.event = 'debates.argument.deleted' then
      perform private.reverse_reputation((private.list_active_reputation(
        v_effect.user_id, (v_effect.payload ->> 'argumentId')::uuid, '00000000-0000-0000-0000-000000000000')).entries);
    end if;
  end loop;
end $$;
comment on function private.settle_reputation_of_arguments is
  'Listener: an argument in another person''s debate earns its author reply.criticism or, with more than 300 '
  'characters, reply.contribution, in the debate''s interest. If the author deletes the argument, the entry is '
  'reversed.';
insert into private.event_listeners (event, listener, position, timing) values
  ('debates.argument.created', 'private.settle_reputation_of_arguments', 300, 'soon'),
  ('debates.argument.deleted', 'private.settle_reputation_of_arguments', 300, 'soon');
