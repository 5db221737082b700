// Shapes of courses. Rules are in sql/courses.
import { Page, PersonCard, Timestamp, Uuid, z } from '../../lib/schemas.ts'
import { aboutContents, contentOf, interestId, markdown, space, title } from '../content/schemas.ts'
import { Attachment } from '../media/schemas.ts'

const depth = z.int().min(0).max(5)
const priceMana = z.int().min(0).max(100_000).openapi({ description: 'The price of enrolling; 0 if it is free.' })

export const NewCourse = z
  .object({ title, summary: markdown, depth, priceMana: priceMana.optional(), interestId, ...space })
  .openapi('NewCourse')
export const CourseChanges = z
  .object({ title, summary: markdown, depth, priceMana, interestId })
  .partial()
  .openapi('CourseChanges')
export const CourseQuery = z.object(aboutContents)
export const MyCoursesQuery = z.object({
  role: z.enum(['author', 'student']).optional().openapi({ description: 'Default: both.' }),
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
    completedLessons: z
      .int()
      .min(0)
      .nullable()
      .openapi({ description: 'How many lessons you have completed. Null if you are not a student.' }),
    completedAt: Timestamp.nullable(),
  }),
}).openapi('Course')
export const CoursePage = Page(Course)

const asset = Uuid.nullish().openapi({ description: 'A committed asset of yours, of any kind except `avatar`.' })
const minutes = z.int().min(1).max(1440).nullish().openapi({ description: 'How long the lesson takes.' })
const preview = z.boolean().openapi({ description: 'Whether everyone who can see the course may read the lesson.' })
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
    .openapi({ description: 'The price that you saw; default 0. 409 if the course now has another price.' }),
})
export const Progress = z.object({ done: z.boolean() })
export const Lesson = z
  .object({
    id: Uuid,
    courseId: Uuid,
    position: z.int().min(1),
    title: z.string(),
    body: z
      .string()
      .nullable()
      .openapi({ description: 'Null if you may not read the lesson; then the asset is also null.' }),
    assetId: Uuid.nullable(),
    assetUrl: z.string().nullable(),
    asset: Attachment.nullable(),
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
