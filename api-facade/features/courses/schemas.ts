// Shapes of courses. Rules are in sql/courses.
import { Page, PersonCard, Timestamp, Uuid, z } from '../../lib/schemas.ts'
import { aboutContents, contentOf, interestId, markdown, space, title } from '../content/schemas.ts'

const depth = z.int().min(0).max(5)
const priceMana = z.int().min(0).max(100_000).openapi({ description: 'What enrolling costs; 0 for nothing.' })

export const NewCourse = z
  .object({ title, summary: markdown, depth, priceMana: priceMana.optional(), interestId, ...space })
  .openapi('NewCourse')
export const CourseChanges = z
  .object({ title, summary: markdown, depth, priceMana, interestId })
  .partial()
  .openapi('CourseChanges')
export const CourseQuery = z.object(aboutContents)
export const MyCoursesQuery = z.object({
  role: z.enum(['author', 'student']).optional().openapi({ description: 'Both where absent.' }),
})

export const Course = contentOf('course', z.string(), {
  summary: z.string(),
  depth,
  priceMana: z.int().min(0),
  status: z.enum(['draft', 'published', 'archived']),
  lessonCount: z.int().min(0),
  enrolledCount: z.int().min(0),
  viewer: z.object({
    enrolledAt: Timestamp.nullable(),
    completedLessons: z.int().min(0).nullable().openapi({ description: 'How many; null to who is no student.' }),
    completedAt: Timestamp.nullable(),
  }),
}).openapi('Course')
export const CoursePage = Page(Course)

const asset = Uuid.nullish().openapi({ description: 'A committed asset of mine, of any kind but `avatar`.' })
const minutes = z.int().min(1).max(1440).nullish().openapi({ description: 'How long it takes.' })
const preview = z.boolean().openapi({ description: 'Whether everybody who sees the course may read it.' })
export const NewLesson = z
  .object({ title, body: markdown, assetId: asset, minutes, preview: preview.optional() })
  .openapi('NewLesson')
export const LessonChanges = z
  .object({ title, body: markdown, assetId: asset, minutes, preview })
  .partial()
  .openapi('LessonChanges')
export const LessonId = z.object({ id: Uuid, lid: Uuid })
export const LessonOrder = z.object({ ids: z.array(Uuid).max(200) })
export const Enrolment = z.object({
  expectedPrice: priceMana
    .optional()
    .openapi({ description: 'What it cost when I looked, 0 where absent; another price now is 409.' }),
})
export const Progress = z.object({ done: z.boolean() })
export const Lesson = z
  .object({
    id: Uuid,
    courseId: Uuid,
    position: z.int().min(1),
    title: z.string(),
    body: z.string().nullable().openapi({ description: 'Null to who may not read it, as the asset then is.' }),
    assetId: Uuid.nullable(),
    assetUrl: z.string().nullable(),
    minutes: z.int().nullable(),
    preview: z.boolean(),
  })
  .openapi('Lesson')
export const LessonPage = Page(Lesson)

export const StudentPage = Page(
  z
    .object({
      userId: z.string(),
      user: PersonCard,
      enrolledAt: Timestamp,
      completedLessons: z.int().min(0),
      completedAt: Timestamp.nullable(),
    })
    .openapi('CourseStudent'),
)
