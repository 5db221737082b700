import { Timestamp, Uuid, z } from '../../lib/schemas.ts'

/** What `POST /me/import` takes. The sections are those of the schema Export; other members are ignored. */
export const Dossier = z
  .looseObject({
    format: z.literal('service-gdpr-export-v1').describe('The format and its version.'),
    exportedAt: z.string().optional().describe('When the file was made.'),
    actorId: z
      .string()
      .openapi({ example: 'acct:ada@kith.example.org' })
      .describe('Whose file it is: its domain is the `origin` of the import.'),
    signature: z
      .string()
      .nullable()
      .optional()
      .describe(
        'The signature of the instance. A file without a signature is imported, too; the `signature` of the import is then `none`.',
      ),
  })
  .openapi('Dossier', { description: 'A file of `GET /me/export`, of this or of another instance.' })

export const Import = z
  .object({
    id: Uuid,
    state: z
      .enum(['waiting', 'running', 'done', 'stopped'])
      .describe('`stopped`: you were banned before the import was done.'),
    origin: z.string().describe('The domain of the instance that wrote the dossier.'),
    signature: z
      .enum(['valid', 'unknown_instance', 'none'])
      .describe(
        '`valid`: the dossier is unchanged since the instance `issuer` signed it. `unknown_instance`: the keys of that instance could not be read, so the signature was not checked. `none`: the dossier has no signature.',
      ),
    issuer: z
      .string()
      .nullable()
      .describe('The address of the instance that signed the dossier; null without a signature.'),
    done: z.int().describe('How many rows have been imported or left out.'),
    total: z.int().describe('How many rows of the dossier are to be imported.'),
    problems: z
      .array(
        z.object({
          path: z.string().describe('The position in the file, such as `posts.12.media.0`.'),
          code: z.string().describe('The code of the error that the row would have caused.'),
          message: z.string().describe('The text of that error.'),
        }),
      )
      .describe(
        'The first 200 things that were left out, and why. `path` is the position in the file: `posts.12.media.0`.',
      ),
    problemCount: z.int().describe('How many problems there were, including those after the first 200.'),
    createdAt: Timestamp,
    endedAt: Timestamp.nullable().describe('When the import was done or stopped; null before that.'),
  })
  .openapi('Import')

export const Begun = z.object({
  id: z.string(),
  sections: z.array(z.object({ name: z.string(), single: z.boolean() })),
})
export type Begun = z.output<typeof Begun>
export const Added = z.object({ problems: z.array(z.string()) })
