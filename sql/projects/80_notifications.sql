-- Notifications of projects: decisions about a person, like those of groups, and updates, like new items of a series.

create function private.notify_project_decision(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.notify(array(
    select (e.user_id, 'membership.decided', null, 'project', e.payload ->> 'projectId',
            jsonb_build_object('event', e.payload -> 'event', 'role', null, 'invitationId', null,
                               'proposalId', null, 'groupId', null, 'guildId', null),
            concat_ws(':', 'membership.decided', e.payload ->> 'projectId', e.payload ->> 'event'), null,
            e.caused_at)::private.notice
    from unnest(p_effects) e order by e.id));
end $$;
comment on function private.notify_project_decision is
  'Listener: notifies a person that they got a role in a project, were rejected, or were removed.';

create function private.notify_project_update(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- leave out people who have left the project meanwhile, and everybody if the update is deleted
  perform private.notify(array(
    select (e.user_id, 'series.updated', (e.payload ->> 'authorId')::uuid, 'project', e.payload ->> 'projectId',
            jsonb_build_object('projectId', e.payload -> 'projectId', 'updateId', e.payload -> 'updateId'),
            concat_ws(':', 'series.updated', e.payload ->> 'projectId'), null,
            e.caused_at)::private.notice
    from unnest(p_effects) e
    join app.project_updates w on w.id = (e.payload ->> 'updateId')::uuid
    join app.project_members m on m.project_id = w.project_id and m.user_id = e.user_id
    join app.contents c on c.id = w.project_id and c.required_level = 0
    cross join lateral private.visibility(c.author_id, c.required_level, c.space_id, p_viewer => e.user_id) v
    where v.is_visible
    order by e.id));
end $$;
comment on function private.notify_project_update is 'Listener: notifies the members of a project of an update.';

insert into private.event_listeners (event, listener, position, timing) values
  ('projects.application.decided', 'private.notify_project_decision', 600, 'soon'),
  ('projects.update.posted', 'private.notify_project_update', 600, 'soon');
