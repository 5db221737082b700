// Schemas of projects. Rules are in sql/projects.
import { ActorId, SettledAt } from '../../lib/fields.ts'
import { IdParam, Page, PersonCard, PersonParam, Timestamp, Uuid, z } from '../../lib/schemas.ts'
import { aboutContents, contentOf, interestId, markdown, space, title } from '../content/schemas.ts'

const status = z
  .enum(['recruiting', 'active', 'completed', 'archived'])
  .describe('A completed or archived project accepts no applications, members or updates.')
const decision = z
  .enum(['pending', 'approved', 'rejected', 'withdrawn', 'ended'])
  .describe('`ended`: the applicant got another role in the project, or the role was deleted.')
const summary = markdown
const name = z.string().openapi({ description: '1 to 80 characters, one line.', example: 'Illustrator' })
const about = z.string().max(10_000).describe('What the role is about, up to 2000 characters.')
const slots = z.int().openapi({ description: 'How many people can hold the role, from 1 to 50.', example: 2 })

export const ProjectsQuery = z.object({
  ...aboutContents,
  status: status.optional().describe('Only projects with this status.'),
  role: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe('Only projects with a role whose name has all these words; case and accents are ignored.'),
})
export const NewProjectRole = z
  .object({
    name,
    about: about.nullish(),
    slots: slots.optional().describe('How many people can hold the role, from 1 to 50. Default: 1.'),
  })
  .openapi('NewProjectRole')
export const NewProject = z
  .object({
    title,
    summary,
    interestId,
    roles: z.array(NewProjectRole).max(20).optional().describe('Up to 20 roles that people can apply for.'),
    ...space,
  })
  .openapi('NewProject', {
    example: {
      title: 'A field guide to the city’s mosses',
      summary: 'We walk, draw and write for a year.',
      roles: [{ name: 'Illustrator', slots: 2 }],
    },
  })
export const ProjectChanges = z
  .object({ title: title.optional(), summary: summary.optional(), interestId })
  .openapi('ProjectChanges')
export const ProjectStatus = z.object({ status })

export const RoleParams = z.object({ id: IdParam, roleId: IdParam })
export const RoleChanges = z
  .object({ name: name.optional(), about: about.nullish(), slots: slots.optional() })
  .openapi('ProjectRoleChanges')
export const ProjectRole = z
  .object({
    id: Uuid,
    name: z.string().describe('1 to 80 characters, one line.'),
    about: z.string().describe('What the role is about, up to 2000 characters; empty if nothing was written.'),
    slots: z.int().min(1).max(50).describe('How many people can hold the role, from 1 to 50.'),
    filled: z
      .int()
      .min(0)
      .describe('The number of slots that are taken, including those of people whom you cannot see.'),
  })
  .openapi('ProjectRole')

export const Project = contentOf('project', z.string(), {
  summary: z.string().describe('Markdown as its author wrote it.'),
  status,
  roles: z.array(ProjectRole).describe('The roles, in the order in which they were added.'),
  memberCount: z.int().min(1).describe('The author and all who hold a role, including people whom you cannot see.'),
  viewer: z
    .object({
      role: z.string().nullable().describe('The name of the role that you hold; null if you hold none.'),
      status: z
        .enum(['author', 'member', 'pending', 'none'])
        .describe('`pending`: your application waits for the author.'),
      applicationId: Uuid.nullable().describe('The id of your latest pending application; null if there is none.'),
    })
    .describe('How you are connected to the project.'),
}).openapi('Project')
export const ProjectPage = Page(Project)

export const ApplicationParams = z.object({ id: IdParam, aid: IdParam })
export const ApplicationsQuery = z.object({
  status: decision.optional().describe('Only applications with this status.'),
})
export const NewApplication = z.object({
  roleId: Uuid.describe('A role of the project.'),
  message: z.string().max(10_000).nullish().describe('A message for the author of the project, up to 2000 characters.'),
})
export const Application = z
  .object({
    id: Uuid,
    projectId: Uuid,
    roleId: Uuid.nullable().describe(
      'The id of the role; null if the role was deleted or you can no longer see the project.',
    ),
    role: z.string().nullable().describe('The name of the role; null if `roleId` is.'),
    userId: ActorId,
    user: PersonCard,
    message: z.string().describe('What the applicant wrote; empty if nothing.'),
    status: decision.describe('`ended`: the applicant got another role in the project, or the role was deleted.'),
    createdAt: Timestamp,
    decidedAt: SettledAt,
  })
  .openapi('ProjectApplication')
export const ApplicationPage = Page(Application)

export const MemberParams = z.object({ id: IdParam, userId: PersonParam })
export const MemberPage = Page(
  z
    .object({
      userId: ActorId,
      user: PersonCard,
      roleId: Uuid.nullable().describe('The id of the role; null for the author, who holds no role.'),
      role: z.string().nullable().describe('The name of the role; null for the author.'),
      joinedAt: Timestamp,
    })
    .openapi('ProjectMember'),
)
export const Left = z.object({ status: z.literal('left').describe('You have no role any more.') })

export const NewUpdate = z.object({ body: markdown })
export const Update = z
  .object({
    id: Uuid,
    projectId: Uuid,
    body: z.string().describe('Markdown as the author wrote it.'),
    createdAt: Timestamp,
  })
  .openapi('ProjectUpdate')
export const UpdatePage = Page(Update)
