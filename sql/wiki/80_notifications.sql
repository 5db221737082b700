-- Notifications of the wiki. They say how a person's proposal was settled.

insert into private.notification_kinds (kind) values ('wiki.resolved');
insert into private.notification_targets (type, words) values
  ('wiki-proposal', 'select p.id, i.name, p.summary
                     from app.wiki_proposals p join app.interests i on i.id = p.interest_id
                     where p.id = any ($1)');

create function private.notify_wiki_resolved(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- the notification has no actor, because the community or staff decided
  perform private.notify(array(
    select (e.user_id, 'wiki.resolved', null, 'wiki-proposal', e.payload ->> 'proposalId',
            e.payload || jsonb_build_object('slug', i.slug), null, null, e.caused_at)::private.notice
    from unnest(p_effects) e join app.interests i on i.id = (e.payload ->> 'interestId')::uuid));
end $$;
comment on function private.notify_wiki_resolved is
  'Listener: notifies a person that their proposal is approved, rejected or superseded.';

insert into private.event_listeners (event, listener, position, timing) values
  ('wiki.proposal.resolved', 'private.notify_wiki_resolved', 600, 'soon');
