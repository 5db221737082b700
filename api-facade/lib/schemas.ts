// Shapes that several features share. docs/decisions.md, People; Lists.
import { z } from '@hono/zod-openapi'
import { fieldCodes } from './issues.ts'

// Features import `z` from here, because it has `.openapi()`.
export { z }

/** Makes a parameter of many routes a shared component of the API's description, under this name. */
export const shared = (component: string) => ({ param: { 'x-component': component } })

export const Uuid = z.uuid().describe('A UUID that never changes.')
/** A time in an answer: private.utc. */
export const Timestamp = z.iso
  .datetime({ precision: 3 })
  .openapi('Timestamp', { description: 'UTC, with milliseconds and `Z`.', example: '2026-01-31T12:00:00.000Z' })
/** A time in a request, of any zone. */
export const Moment = z.iso
  .datetime({ offset: true })
  .openapi({ example: '2099-01-31T12:00:00.000Z' })
  .describe('A time with any offset from UTC.')

/** SQL finds the person (`private.require_person`); here only the length is checked. */
export const PersonParam = z.string().trim().min(1).max(320).openapi({
  description: 'A `personId`, an actor id (`acct:name@domain`), `@name@domain`, `@name`, or a username.',
  example: 'acct:ada@localhost',
})

/** A UUID in a path. */
export const IdParam = z.uuid().describe('The `id` from a list, or from the answer to the request that made the thing.')
/** `/…/:id` with a UUID, and with a person. */
export const UuidId = z.object({ id: IdParam.openapi(shared('id')) })
export const PersonId = z.object({ id: PersonParam.openapi(shared('id.person')) })
/** `/…/:userId` */
export const UserId = z.object({ userId: PersonParam.openapi(shared('userId')) })
/** `?ids=`: up to 50 ids, separated by commas. */
export const idsQuery = (id: z.ZodType<string, string>, example: string) =>
  z.object({
    ids: z
      .string()
      .transform((text) => text.split(',').map((part) => part.trim()))
      .pipe(z.array(id).min(1).max(50))
      .openapi({ type: 'string', description: '1 to 50 ids, separated by commas.', example }),
  })
/** The answer to an invitation. */
export const Acceptance = z.object({ accept: z.boolean().describe('`false` declines.') })
export const Muted = z.object({ muted: z.literal(true).describe('Always `true`.') })

/** A whole number in a query string, where everything is text. */
export const queryInteger = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^-?\d{1,9}$/, `must be a whole number between ${minimum} and ${maximum}`)
    .transform(Number)
    .pipe(z.int().min(minimum).max(maximum))
    .openapi({ type: 'integer', minimum, maximum })

/** No list returns a longer cursor. */
export const CURSOR_LENGTH = 1000
export const cursorText = z
  .string()
  // Postgres does not accept such texts. SQL treats an empty text as unknown.
  .transform((cursor) => (cursor.length > CURSOR_LENGTH || cursor.includes('\0') ? '' : cursor))

/** The parameters of a list. The cursor is a plain string; SQL raises an error for an invalid one. */
export const PageQuery = z.object({
  limit: queryInteger(1, 50)
    .default(20)
    .openapi({
      type: 'integer',
      minimum: 1,
      maximum: 50,
      default: 20,
      description: 'Items per page.',
      ...shared('limit'),
    }),
  cursor: cursorText.optional().openapi({
    type: 'string',
    maxLength: CURSOR_LENGTH,
    description: 'The `nextCursor` of the previous page.',
    ...shared('cursor'),
  }),
})
/** The parameters of a list whose pages have a fixed size. */
export const CursorQuery = PageQuery.pick({ cursor: true })

/** A page of a list. `nextCursor` is null at the end; a short page does not mean the end. */
export const Page = <T extends z.ZodType>(item: T) =>
  z.object({
    items: z.array(item).describe('Up to `limit` items; a page can be empty before the end.'),
    nextCursor: z.string().nullable().describe('The `cursor` of the next page; null at the end.'),
    hasMore: z.boolean().describe('Whether there is a next page.'),
  })

export const ErrorBody = z
  .object({
    statusCode: z.int().describe('The HTTP status.'),
    error: z.string().describe('The name of the status, such as `Not Found`.'),
    message: z.array(z.string()).describe('Sentences for people. They can change; the code in X-Error-Code does not.'),
    fields: z
      .array(
        z.object({
          path: z
            .string()
            .openapi({ example: 'media.0.alt' })
            .describe('The path of the field in the body, the query or the path.'),
          code: z.enum(fieldCodes).describe('What is wrong with the field.'),
        }),
      )
      .optional()
      .describe('For `validation_failed`: the invalid fields, in the order of `message`.'),
  })
  .openapi('Error', { description: 'The body of every error. The header X-Error-Code has its stable code.' })

/** The public id of a person, which a rename does not change. */
export const personId = Uuid.describe('A public id of the person that never changes.')
export const PersonCard = z
  .object({
    id: z.string().describe('The actor id.'),
    actorId: z.string().describe('`acct:name@domain`. It changes with the username.'),
    isBot: z.boolean().describe('Whether the account is a bot. A bot’s profile names the person who runs it.'),
    personId,
    username: z.string().describe('The name in the actor id. The person can change it.'),
    firstName: z.string().describe('The first name, as the person wrote it.'),
    lastName: z.string().describe('The last name, as the person wrote it.'),
    profilePicUrl: z.string().nullable().describe('The address of a picture; null if there is none.'),
  })
  .openapi('PersonCard', { description: 'A person as others see them; `id` and `actorId` are both the actor id.' })
