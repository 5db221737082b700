// Tests the worst-case row counts of requests about projects. See test/support/bounds.ts.
import { crowd, friend, friendly, id, ids, isShown, minutes, openBounds } from '../../support/bounds.ts'

const { checkBounds, put } = await openBounds()

/** A project of the author, and its one role. */
async function newProject(author: string) {
  const project = id(
    await put<{ id: string }>(
      `insert into app.contents (kind, author_id, title) values ('project', '${author}', 'x') returning id`,
    ),
  )
  await put(`insert into app.projects (id, summary) values ('${project}', 'x')`)
  const role = id(
    await put<{ id: string }>(
      `insert into app.project_roles (project_id, name) values ('${project}', 'x') returning id`,
    ),
  )
  return { project, role }
}
const someone = (size: number) => `case when ${isShown(size)} then ${friend(friendly(size))} else ${crowd('n')} end`
/** Projects of the crowd, some of them of friends, which close first. */
async function projects(size: number) {
  const made = await put<{ id: string; shown: boolean }>(
    `insert into app.contents (kind, author_id, title, created_at)
     select 'project', ${someone(size)}, 'x', ${minutes('n')} from generate_series(1, ${size}) n
     returning id, author_id >= ${friend('0')} as shown`,
  )
  await put(`insert into app.projects (id, summary) select unnest('{${ids(made).join()}}'::uuid[]), 'x'`)
  return { all: ids(made), shown: ids(made.filter(({ shown }) => shown)).reverse() }
}

checkBounds([
  {
    operation: 'list_projects',
    against: 'projects without such a role',
    most: 4000,
    async scene(_, size) {
      const { shown } = await projects(size)
      await put(
        `insert into app.project_roles (project_id, name, words)
         select unnest('{${shown.join()}}'::uuid[]), 'owls${size}', 'owls${size}'`,
      )
      return { parameters: `p_role => 'owls${size}'`, shown }
    },
  },
  {
    operation: 'list_my_projects',
    against: 'projects of people whom the caller can’t see any more',
    most: 3000,
    async scene(viewer, size) {
      const { all, shown } = await projects(size)
      const { role } = await newProject(viewer)
      await put(
        `insert into app.project_members (project_id, user_id, role_id, made_at)
         select c.id, '${viewer}', '${role}', c.created_at from app.contents c where c.id = any ('{${all.join()}}')`,
      )
      const own = await put<{ id: string }>(
        `select id from app.contents where author_id = '${viewer}' and kind = 'project'`,
      )
      return { parameters: '', shown: [...ids(own), ...shown] }
    },
  },
  {
    operation: 'list_project_applications',
    against: 'applications of people whom the caller can’t see',
    most: 2500,
    async scene(viewer, size) {
      const { project, role } = await newProject(viewer)
      const made = await put<{ id: string; shown: boolean }>(
        `insert into app.project_applications (project_id, role_id, user_id, created_at)
         select '${project}', '${role}', ${someone(size)}, ${minutes('n')} from generate_series(1, ${size}) n
         returning id, user_id >= ${friend('0')} as shown`,
      )
      return { parameters: `p_id => '${project}'`, shown: ids(made.filter(({ shown }) => shown)).reverse() }
    },
  },
  {
    operation: 'delete_project_role',
    against: 'applications for the role, pending and settled',
    most: 3500,
    async scene(viewer, size) {
      const { project, role } = await newProject(viewer)
      await put(
        `insert into app.project_applications (project_id, role_id, user_id, status, decided_at)
         select '${project}', '${role}', ${crowd('n')}, s.status, s.at
         from generate_series(1, ${size}) n, (values ('pending', null), ('withdrawn', now())) s (status, at)`,
      )
      return { parameters: `p_id => '${project}', p_role_id => '${role}'` }
    },
  },
  {
    operation: 'list_project_updates',
    against: 'updates',
    most: 300,
    async scene(viewer, size) {
      const { project } = await newProject(viewer)
      await put(
        `insert into app.project_updates (project_id, body, created_at)
         select '${project}', 'x', ${minutes('n')} from generate_series(1, ${size}) n`,
      )
      return { parameters: `p_id => '${project}'` }
    },
  },
])
