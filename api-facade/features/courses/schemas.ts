// Schemas of courses. Rules are in sql/courses.
import { ActorId } from '../../lib/fields.ts'
import { IdParam, Page, PersonCard, Timestamp, Uuid, z } from '../../lib/schemas.ts'
import { aboutContents, contentOf, interestId, markdown, space, title } from '../content/schemas.ts'
import { Attachment } from '../media/schemas.ts'

const depth = z.int().min(0).max(5).describe('How deep the course goes: 0 (Surface) to 5 (Thesis).')
const priceMana = z.int().min(0).max(100_000).describe('The price of enrolling in whole mana; 0 if it is free.')

export const NewCourse = z
  .object({
    title,
    summary: markdown,
    depth,
    priceMana: priceMana.optional().describe('The price of enrolling in whole mana. Default: 0, it is free.'),
    interestId,
    ...space,
  })
  .openapi('NewCourse')
export const CourseChanges = z
  .object({ title, summary: markdown, depth, priceMana, interestId })
  .partial()
  .openapi('CourseChanges')
export const CourseQuery = z.object(aboutContents)
export const MyCoursesQuery = z.object({
  role: z
    .enum(['author', 'student'])
    .optional()
    .describe('Only courses that you wrote, or only those in which you are enrolled. Default: both.'),
})

export const Course = contentOf('course', z.string(), {
  summary: z.string().describe('Markdown as its author wrote it.'),
  depth,
  priceMana: z.int().min(0).describe('Whole mana that a student pays the author once; 0 if it is free.'),
  status: z
    .enum(['draft', 'published', 'archived'])
    .describe('`draft`: only its author sees it. `archived`: only its author and its students see it.'),
  lessonCount: z.int().min(0).describe('How many lessons the course has now.'),
  enrolledCount: z.int().min(0).describe('How many people are enrolled, including people whom you cannot see.'),
  viewer: z
    .object({
      enrolledAt: Timestamp.nullable().describe('When you enrolled; null if you are not a student.'),
      completedLessons: z
        .int()
        .min(0)
        .nullable()
        .describe('How many of the current lessons you have completed; null if you are not a student.'),
      completedAt: Timestamp.nullable().describe(
        'When you had first completed every lesson of the course; null until then.',
      ),
    })
    .describe('How you are connected to the course.'),
}).openapi('Course')
export const CoursePage = Page(Course)

const asset = Uuid.nullish().describe('A committed asset of yours, of any kind except `avatar`.')
const minutes = z.int().min(1).max(1440).nullish().describe('How many minutes the lesson takes.')
const preview = z.boolean().describe('Whether everyone who can see the course may read the lesson.')
export const NewLesson = z
  .object({ title, body: markdown, assetId: asset, minutes, preview: preview.optional() })
  .openapi('NewLesson')
export const LessonChanges = z
  .object({ title, body: markdown, assetId: asset, minutes, preview })
  .partial()
  .openapi('LessonChanges')
export const LessonId = z.object({ id: IdParam, lid: IdParam })
export const LessonOrder = z.object({
  ids: z.array(Uuid).max(200).describe('The ids of all lessons of the course, in the new order.'),
})
export const Enrolment = z.object({
  expectedPrice: priceMana
    .optional()
    .describe('The price that you saw; default 0. 409 if the course now has another price.'),
})
export const Progress = z.object({ done: z.boolean().describe('`false` marks a completed lesson as open again.') })
export const Lesson = z
  .object({
    id: Uuid,
    courseId: Uuid,
    position: z.int().min(1).describe('Its position in the course, from 1.'),
    title: z.string().describe('Everybody who sees the course can read it.'),
    body: z.string().nullable().describe('Markdown as its author wrote it; null if you may not read the lesson.'),
    assetId: Uuid.nullable().describe('The file of the lesson; null if it has none or you may not read the lesson.'),
    assetUrl: z
      .string()
      .nullable()
      .describe('The address of the file; null if it has none or you may not read the lesson.'),
    asset: Attachment.nullable().describe('The file of the lesson; null if `assetId` is null.'),
    minutes: z.int().nullable().describe('How many minutes the lesson takes; null if its author did not say.'),
    preview: z.boolean().describe('Whether everybody who sees the course may read the lesson.'),
  })
  .openapi('Lesson')
export const LessonPage = Page(Lesson)

export const StudentPage = Page(
  z
    .object({
      userId: ActorId,
      user: PersonCard,
      enrolledAt: Timestamp,
      completedLessons: z.int().min(0).describe('How many of the current lessons the student has completed.'),
      completedAt: Timestamp.nullable().describe(
        'When the student had first completed every lesson of the course; null until then.',
      ),
    })
    .openapi('CourseStudent'),
)
