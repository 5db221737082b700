// Projects: roles, members and updates. Rules are in sql/projects, visibility in policies/projects.sql.
import { routes } from '../../lib/routes.ts'
import { UuidId } from '../../lib/schemas.ts'
import { listing } from '../content/schemas.ts'
import {
  Application,
  ApplicationPage,
  ApplicationParams,
  ApplicationsQuery,
  Left,
  MemberPage,
  MemberParams,
  NewApplication,
  NewProject,
  NewProjectRole,
  NewUpdate,
  Project,
  ProjectChanges,
  ProjectPage,
  ProjectRole,
  ProjectStatus,
  ProjectsQuery,
  RoleChanges,
  RoleParams,
  Update,
  UpdatePage,
} from './schemas.ts'

const over = 'A project that is completed or archived accepts nothing new: 409 `project_over`.'
const removed = '404 in a project that staff removed.'
const often =
  'Limit: 300 changes to projects and their members per person and hour, unless the operator sets another one (429 `writes_exceeded`).'
const decided =
  '409 if the application is already settled; 404 if you cannot see the applicant, or they have left the group or guild.'

/** What the feature offers, for the API's description. */
export const about = 'Projects: roles, applications, members and updates.'

export default routes('projects', {
  'GET /projects': {
    summary: 'List projects, newest first',
    description: listing,
    access: 'user',
    operation: 'list_projects',
    query: ProjectsQuery,
    page: true,
    answers: { 200: ProjectPage },
  },
  'POST /projects': {
    summary: 'Create a project',
    description:
      'Its status is `recruiting`. It can have up to 20 roles from the start. Earns no reputation. Limit: 300 new contents of all kinds per person and hour, unless the operator sets another one (429 `writes_exceeded`).',
    access: 'user',
    operation: 'create_project',
    body: NewProject,
    never: ['value_invalid', 'project_roles_exhausted'],
    answers: { 201: Project },
  },
  'GET /projects/mine': {
    summary: 'List projects that you created or have a role in, newest first',
    description: 'A page scans at most 400 rows, so it may be shorter than `limit` and still have a next page.',
    access: 'user',
    operation: 'list_my_projects',
    page: true,
    answers: { 200: ProjectPage },
  },
  'GET /projects/:id': {
    summary: 'Get a project',
    description: 'Only its author sees a project that staff removed; it has `removedAt`.',
    access: 'user',
    operation: 'get_project',
    params: UuidId,
    answers: { 200: Project },
  },
  'PATCH /projects/:id': {
    summary: 'Change a project',
    description: over,
    access: 'user',
    operation: 'update_project',
    params: UuidId,
    body: ProjectChanges,
    bodyAs: 'p_changes',
    answers: { 200: Project },
  },
  'DELETE /projects/:id': {
    summary: 'Delete a project',
    description:
      'Deletes it for everyone and permanently, with its roles and updates. Also works for a completed or removed project, and in a group that you have left. 409 `project_has_applications` if others have ever applied.',
    access: 'user',
    operation: 'delete_project',
    params: UuidId,
    answers: { 204: null },
  },
  'PUT /projects/:id/status': {
    summary: 'Change the status of a project',
    description: 'Any status can follow any other, so a completed or archived project can be resumed.',
    access: 'user',
    operation: 'set_project_status',
    params: UuidId,
    body: ProjectStatus,
    answers: { 200: Project },
  },
  'POST /projects/:id/roles': {
    summary: 'Add a role to a project',
    description: `At most 20 roles. ${over} ${often}`,
    access: 'user',
    operation: 'create_project_role',
    params: UuidId,
    body: NewProjectRole,
    answers: { 201: ProjectRole },
  },
  'PATCH /projects/:id/roles/:roleId': {
    summary: 'Change a role of a project',
    description: `409 \`project_role_held\` if the role would have fewer slots than are taken. ${over} ${often}`,
    access: 'user',
    operation: 'update_project_role',
    params: RoleParams,
    body: RoleChanges,
    bodyAs: 'p_changes',
    answers: { 200: ProjectRole },
  },
  'DELETE /projects/:id/roles/:roleId': {
    summary: 'Delete a role that nobody holds',
    description: `Ends pending applications for the role. 409 if somebody holds the role. ${over} ${often}`,
    access: 'user',
    operation: 'delete_project_role',
    params: RoleParams,
    answers: { 204: null },
  },
  'GET /projects/:id/applications': {
    summary: 'List applications to a project, latest first',
    description:
      'For the author only; others get 403, and find their own application in `viewer.applicationId` of the project. All applications, or only those of one status. Leaves out people whom you cannot see. A page scans at most 400 rows, so it may be shorter than `limit` and still have a next page.',
    access: 'user',
    operation: 'list_project_applications',
    params: UuidId,
    query: ApplicationsQuery,
    page: true,
    answers: { 200: ApplicationPage },
  },
  'POST /projects/:id/applications': {
    summary: 'Apply for a role',
    description: `One pending application per role, even if all its slots are taken. Your own project is 400. ${over} ${often}`,
    access: 'user',
    operation: 'apply_to_project',
    params: UuidId,
    body: NewApplication,
    answers: { 201: Application },
  },
  'POST /projects/:id/applications/:aid/approve': {
    summary: 'Accept an application',
    description: `The applicant is notified (\`membership.decided\`), and their other applications in the project end. A role never has more members than slots: 409 \`project_role_full\`. A person holds roles in at most 500 projects. ${removed} ${decided} ${over} ${often}`,
    access: 'user',
    operation: 'approve_project_application',
    params: ApplicationParams,
    answers: { 200: Application },
  },
  'POST /projects/:id/applications/:aid/reject': {
    summary: 'Decline an application',
    description: `The applicant is notified and can apply again. ${decided} ${often}`,
    access: 'user',
    operation: 'reject_project_application',
    params: ApplicationParams,
    never: ['project_over', 'project_role_full', 'project_member_already', 'project_places_exhausted'],
    answers: { 200: Application },
  },
  'POST /projects/:id/applications/:aid/withdraw': {
    summary: 'Withdraw your application',
    description:
      'Also works if you can no longer see the project. 409 if the application is already settled. Somebody else’s application is 403 if you can see it, otherwise 404.',
    access: 'user',
    operation: 'withdraw_project_application',
    params: ApplicationParams,
    answers: { 200: Application },
  },
  'GET /projects/:id/members': {
    summary: 'List the members of a project',
    description:
      'The author first, then by the time of joining; for everyone who can see the project. Leaves out people whom you cannot see. A cursor is an opaque position that identifies nobody. A page scans at most 400 rows, so it may be shorter than `limit` and still have a next page.',
    access: 'user',
    operation: 'list_project_members',
    params: UuidId,
    page: true,
    answers: { 200: MemberPage },
  },
  'DELETE /projects/:id/members/:userId': {
    summary: 'Remove a member from a project',
    description: `For the author only. The author cannot be removed (409). The member is notified, and the slot is free again. ${often}`,
    access: 'user',
    operation: 'remove_project_member',
    params: MemberParams,
    answers: { 204: null },
  },
  'POST /projects/:id/leave': {
    summary: 'Leave a project',
    description:
      'Gives up your role. Also works if you can no longer see the project, or if it is over. The author cannot leave (409). Repeating it changes nothing. A ban of a member and a block between a member and the author also end a membership.',
    access: 'user',
    operation: 'leave_project',
    params: UuidId,
    answers: { 200: Left },
  },
  'GET /projects/:id/updates': {
    summary: 'List updates of a project, latest first',
    description: 'Everyone who can see the project can read this list.',
    access: 'user',
    operation: 'list_project_updates',
    params: UuidId,
    page: true,
    answers: { 200: UpdatePage },
  },
  'POST /projects/:id/updates': {
    summary: 'Publish an update of a project',
    description: `Notifies the members (\`series.updated\`, with the project as target). At most 1000 updates per project. ${removed} ${over} ${often}`,
    access: 'user',
    operation: 'create_project_update',
    params: UuidId,
    body: NewUpdate,
    answers: { 201: Update },
  },
})
