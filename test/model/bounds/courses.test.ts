// Tests the worst-case row counts of requests about courses. See test/support/bounds.ts.
import { crowd, friend, friendly, id, ids, isShown, minutes, openBounds } from '../../support/bounds.ts'

const { checkBounds, put } = await openBounds()

/** A course of the author with `size` students from the crowd, and friends among them. */
async function attended(author: string, size: number) {
  const course = id(
    await put<{ id: string }>(
      `insert into app.contents (kind, author_id, title) values ('course', $1::text::uuid, 'x') returning id`,
      author,
    ),
  )
  await put(
    `insert into app.courses (id, summary, depth, price_mana, published_at, enrolled_count)
     values ($1::text::uuid, 'x', 0, 0, now(), ${size})`,
    course,
  )
  await put(
    `insert into app.course_enrolments (course_id, user_id, price_mana, created_at)
     select $1::text::uuid, case when ${isShown(size)} then ${friend(friendly(size))} else ${crowd('n')} end, 0, ${minutes('n')}
     from generate_series(1, ${size}) n`,
    course,
  )
  return course
}

checkBounds([
  {
    operation: 'list_course_students',
    against: 'students who are blocked',
    most: 2500,
    key: ({ userId }) => String(userId),
    async scene(viewer, size) {
      const course = await attended(viewer, size)
      const names = await put<{ id: string }>(
        `select 'acct:' || u.username || '@localhost' as id from app.course_enrolments e join app.users u on u.id = e.user_id
         where e.course_id = $1::text::uuid and u.id >= ${friend('0')} order by e.created_at desc`,
        course,
      )
      return { parameters: `p_id => '${course}'`, shown: ids(names) }
    },
  },
  {
    operation: 'list_my_courses',
    against: 'courses of blocked people in which the viewer is a student',
    most: 5000,
    async scene(viewer, size) {
      const made = await put<{ id: string; shown: boolean }>(
        `with heads as (
           insert into app.contents (kind, author_id, title, created_at)
           select 'course', case when ${isShown(size)} then ${friend(friendly(size))} else ${crowd('n')} end, n, ${minutes('n')}
           from generate_series(1, ${size}) n returning id, author_id, title
         ), details as (
           insert into app.courses (id, summary, depth, price_mana, published_at) select id, 'x', 0, 0, now() from heads
         ), enrolled as (
           insert into app.course_enrolments (course_id, user_id, price_mana, created_at)
           select id, $1::text::uuid, 0, ${minutes('title::integer')} from heads
         )
         select id, author_id >= ${friend('0')} as shown from heads order by title::integer desc`,
        viewer,
      )
      return { parameters: '', shown: ids(made.filter(({ shown }) => shown)) }
    },
  },
  {
    operation: 'list_course_lessons',
    against: 'as many lessons as a course can have',
    most: 300,
    sizes: [200],
    async scene(viewer, size) {
      const course = await attended(viewer, 5)
      const lessons = await put<{ id: string }>(
        `insert into app.course_lessons (course_id, position, title, body)
         select '${course}', n, 'x', 'x' from generate_series(1, ${size}) n returning id`,
      )
      return { parameters: `p_id => '${course}'`, shown: ids(lessons) }
    },
  },
  {
    operation: 'delete_course',
    against: 'students who paid nothing',
    most: 4000,
    scene: async (viewer, size) => ({ parameters: `p_id => '${await attended(viewer, size)}'` }),
  },
])
