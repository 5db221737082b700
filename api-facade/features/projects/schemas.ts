// Shapes of projects. Rules are in sql/projects.
import { Page, PersonCard, PersonParam, Timestamp, Uuid, z } from '../../lib/schemas.ts'
import { aboutContents, contentOf, interestId, markdown, space, title } from '../content/schemas.ts'

const status = z.enum(['recruiting', 'active', 'completed', 'archived'])
const decision = z.enum(['pending', 'approved', 'rejected', 'withdrawn', 'ended'])
const summary = markdown
const name = z.string().openapi({ description: '1 to 80 characters, one line.', example: 'Illustrator' })
const about = z.string().max(10_000).describe('Up to 2000 characters.')
const slots = z.int().openapi({ description: '1 to 50 slots.', example: 2 })

export const ProjectsQuery = z.object({
  ...aboutContents,
  status: status.optional(),
  role: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe('Only projects with a role that has all these words; case and accents are ignored.'),
})
export const NewProjectRole = z
  .object({ name, about: about.nullish(), slots: slots.optional() })
  .openapi('NewProjectRole')
export const NewProject = z
  .object({ title, summary, interestId, roles: z.array(NewProjectRole).max(20).optional(), ...space })
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

export const RoleParams = z.object({ id: Uuid, roleId: Uuid })
export const RoleChanges = z
  .object({ name: name.optional(), about: about.nullish(), slots: slots.optional() })
  .openapi('ProjectRoleChanges')
export const ProjectRole = z
  .object({
    id: Uuid,
    name: z.string(),
    about: z.string(),
    slots: z.int().min(1).max(50),
    filled: z
      .int()
      .min(0)
      .describe('The number of slots that are taken, including those of people whom you cannot see.'),
  })
  .openapi('ProjectRole')

export const Project = contentOf('project', z.string(), {
  summary: z.string(),
  status,
  roles: z.array(ProjectRole),
  memberCount: z.int().min(1).describe('The author plus all slots that are taken.'),
  viewer: z.object({
    role: z.string().nullable().describe('The name of the role that you hold.'),
    status: z.enum(['author', 'member', 'pending', 'none']),
    applicationId: Uuid.nullable().describe('The id of your latest pending application.'),
  }),
}).openapi('Project')
export const ProjectPage = Page(Project)

export const ApplicationParams = z.object({ id: Uuid, aid: Uuid })
export const ApplicationsQuery = z.object({ status: decision.optional() })
export const NewApplication = z.object({
  roleId: Uuid,
  message: z.string().max(10_000).nullish().describe('Up to 2000 characters.'),
})
export const Application = z
  .object({
    id: Uuid,
    projectId: Uuid,
    roleId: Uuid.nullable().describe('Null if the role was deleted or you can no longer see the project.'),
    role: z.string().nullable().describe('The name of the role.'),
    userId: z.string(),
    user: PersonCard,
    message: z.string(),
    status: decision.describe('`ended`: the applicant got another role in the project, or the role was deleted.'),
    createdAt: Timestamp,
    decidedAt: Timestamp.nullable(),
  })
  .openapi('ProjectApplication')
export const ApplicationPage = Page(Application)

export const MemberParams = z.object({ id: Uuid, userId: PersonParam })
export const MemberPage = Page(
  z
    .object({
      userId: z.string(),
      user: PersonCard,
      roleId: Uuid.nullable(),
      role: z.string().nullable().describe('The name of the role; null for the author.'),
      joinedAt: Timestamp,
    })
    .openapi('ProjectMember'),
)
export const Left = z.object({ status: z.literal('left') })

export const NewUpdate = z.object({ body: markdown })
export const Update = z
  .object({ id: Uuid, projectId: Uuid, body: z.string(), createdAt: Timestamp })
  .openapi('ProjectUpdate')
export const UpdatePage = Page(Update)
