// Courses, which are read lesson by lesson. Rules are in sql/courses, visibility in policies/content.sql.
import { routes } from '../../lib/routes.ts'
import { UuidId } from '../../lib/schemas.ts'
import { listing } from '../content/schemas.ts'
import {
  Course,
  CourseChanges,
  CoursePage,
  CourseQuery,
  Enrolment,
  Lesson,
  LessonChanges,
  LessonId,
  LessonOrder,
  LessonPage,
  MyCoursesQuery,
  NewCourse,
  NewLesson,
  Progress,
  StudentPage,
} from './schemas.ts'

const authors =
  'Only the author can do this. Others get 403 if they can see the course, otherwise 404. An archived course cannot be changed: 409.'
const lessons =
  'Limit: 600 changes to lessons and progress per person and hour, unless the operator sets another one (429 `writes_exceeded`).'

/** What the feature offers, for the API's description. */
export const about = 'Courses with lessons, and the people who take them.'

export default routes('courses', {
  'GET /courses': {
    summary: 'List courses, newest first',
    description: `${listing} Includes your own drafts and archived courses. Archived courses in which you are a student are in \`/courses/mine\`.`,
    access: 'user',
    operation: 'list_courses',
    query: CourseQuery,
    page: true,
    answers: { 200: CoursePage },
    outcome: 'A page of published courses.',
  },
  'POST /courses': {
    summary: 'Create a course',
    description:
      'Creates a draft that only you see until you publish it. Limit: 300 new contents of all kinds per person and hour, unless the operator sets another one (429 `writes_exceeded`).',
    access: 'user',
    operation: 'create_course',
    body: NewCourse,
    answers: { 201: Course },
    outcome: 'The new course, a draft that only you see.',
  },
  'GET /courses/mine': {
    summary: 'List courses that you wrote or are a student of',
    description:
      'Lists the latest first, by the time at which you created the course or enrolled. Includes archived courses; leaves out those that you can no longer see. A page scans at most 400 rows, so it may be shorter than `limit` and still have a next page.',
    access: 'user',
    operation: 'list_my_courses',
    query: MyCoursesQuery,
    page: true,
    answers: { 200: CoursePage },
    outcome: 'A page of the courses that you wrote or attend.',
  },
  'GET /courses/:id': {
    summary: 'Get a course',
    description: 'Only the author sees a draft; only the author and the students see an archived course.',
    access: 'user',
    operation: 'get_course',
    params: UuidId,
    answers: { 200: Course },
    outcome: 'The course, and how far you have come.',
  },
  'PATCH /courses/:id': {
    summary: 'Change a course',
    description: `A new price applies to later enrolments. ${authors}`,
    access: 'user',
    operation: 'update_course',
    params: UuidId,
    body: CourseChanges,
    bodyAs: 'p_changes',
    answers: { 200: Course },
    outcome: 'The course after the change.',
  },
  'DELETE /courses/:id': {
    summary: 'Delete a course',
    description:
      'Deletes the course for everyone and permanently, with its lessons. Also works for a removed or archived ' +
      'course. 409 `course_sold` if somebody whose account still exists paid for it; free enrolments do not ' +
      'matter. Deleting it again is 404.',
    access: 'user',
    operation: 'delete_course',
    params: UuidId,
    answers: { 204: null },
    outcome: 'The course is deleted.',
  },
  'POST /courses/:id/publish': {
    summary: 'Publish a draft',
    description: `The course needs at least one lesson. Repeating it is 409. ${authors}`,
    access: 'user',
    operation: 'publish_course',
    params: UuidId,
    answers: { 200: Course },
    outcome: 'The published course.',
  },
  'POST /courses/:id/archive': {
    summary: 'Archive a course',
    description:
      `Permanently closes the course for new students. Its students can still read it; others no ` +
      `longer see it. 409 for a draft, and for a course that is already archived. ${authors}`,
    access: 'user',
    operation: 'archive_course',
    params: UuidId,
    answers: { 200: Course },
    outcome: 'The archived course, which takes no new students.',
  },
  'GET /courses/:id/lessons': {
    summary: 'List the lessons of a course, in order',
    description:
      'Everyone who can see the course can read its lessons. `body` and the asset are null unless you are the author or enrolled, or the lesson is a preview.',
    access: 'user',
    operation: 'list_course_lessons',
    params: UuidId,
    page: true,
    answers: { 200: LessonPage },
    outcome: 'A page of lessons; `body` is null where you have no access.',
  },
  'POST /courses/:id/lessons': {
    summary: 'Add a lesson',
    description: `Adds the lesson at the end, also in a published course. A course has at most 200 lessons. ${lessons} ${authors}`,
    access: 'user',
    operation: 'create_course_lesson',
    params: UuidId,
    body: NewLesson,
    answers: { 201: Lesson },
    outcome: 'The new lesson, at the end of the course.',
  },
  'PUT /courses/:id/lessons/order': {
    summary: 'Reorder the lessons',
    description: `\`ids\` must contain every lesson of the course. ${lessons} ${authors}`,
    access: 'user',
    operation: 'order_course_lessons',
    params: UuidId,
    body: LessonOrder,
    answers: { 200: Course },
    outcome: 'The course; its lessons are in the new order.',
  },
  'GET /courses/:id/lessons/:lid': {
    summary: 'Get a lesson',
    description: 'The lesson has the same shape as in the list.',
    access: 'user',
    operation: 'get_course_lesson',
    params: LessonId,
    as: { lid: 'p_lesson_id' },
    answers: { 200: Lesson },
    outcome: 'The lesson with its text.',
  },
  'PATCH /courses/:id/lessons/:lid': {
    summary: 'Change a lesson',
    description: `Also works in a published course. ${lessons} ${authors}`,
    access: 'user',
    operation: 'update_course_lesson',
    params: LessonId,
    body: LessonChanges,
    bodyAs: 'p_changes',
    as: { lid: 'p_lesson_id' },
    answers: { 200: Lesson },
    outcome: 'The lesson after the change.',
  },
  'DELETE /courses/:id/lessons/:lid': {
    summary: 'Delete a lesson',
    description: `In a published course, the last lesson and a lesson that a student has completed (409 \`lesson_done\`) cannot be deleted. ${lessons} ${authors}`,
    access: 'user',
    operation: 'delete_course_lesson',
    params: LessonId,
    as: { lid: 'p_lesson_id' },
    answers: { 204: null },
    outcome: 'The lesson is deleted.',
  },
  'POST /courses/:id/enroll': {
    summary: 'Enrol in a course',
    description:
      'Pays the price from your wallet to the author, once and without a refund. `expectedPrice` is the price that you saw: if the course now has another price, the answer is 409 `price_changed` and nothing is paid. The default is 0, so only a free course needs no body. Enrolling again is 409 `enrolled_already`, even in an archived course. Your own course is 400.',
    access: 'user',
    id: 'enrolInCourse',
    operation: 'enrol_course',
    params: UuidId,
    body: Enrolment.optional(),
    answers: { 201: Course },
    outcome: 'The course, of which you are a student now.',
  },
  'PUT /courses/:id/lessons/:lid/progress': {
    summary: 'Mark a lesson as completed or not',
    description: `Only students can do this; others get 403. Repeating it changes nothing. Completing the last lesson sets \`completedAt\`, which then never changes. Also works in an archived course. ${lessons}`,
    access: 'user',
    operation: 'set_course_progress',
    params: LessonId,
    body: Progress,
    as: { lid: 'p_lesson_id' },
    never: ['value_invalid'],
    answers: { 200: Course },
    outcome: 'The course with your new progress.',
  },
  'GET /courses/:id/students': {
    summary: 'List the students of a course',
    description:
      'Lists the latest first. Leaves out people whom you cannot see, although they count. Everyone except the author gets 403 if they can see the course. A page scans at most 400 rows, so it may be shorter than `limit` and still have a next page.',
    access: 'user',
    operation: 'list_course_students',
    params: UuidId,
    page: true,
    answers: { 200: StudentPage },
    outcome: 'A page of students and their progress.',
  },
})
