// Shapes of reputation. Specification: Resources › Reputation; Authentication › Capabilities. Rules are in sql/reputation.
import { PersonParam, Uuid, z } from '../../lib/schemas.ts'

export const UserId = z.object({ userId: PersonParam })

export const Reputation = z
  .object({
    total: z.number().openapi({ description: 'The sum of what was earned directly, roll-ups left out.' }),
    items: z.array(
      z.object({
        interestId: Uuid,
        slug: z.string(),
        name: z.string(),
        value: z.number().openapi({ description: 'Two decimals; with what rolled up from the interests below.' }),
        level: z.enum(['Curious', 'Reader', 'Practitioner', 'Adept', 'Master', 'Lifework']),
      }),
    ),
  })
  .openapi('Reputation')

export const Capabilities = z
  .object({
    canVoteWiki: z.boolean(),
    canMentor: z.boolean(),
    canModerate: z.boolean(),
    canProposeGuild: z.boolean(),
    canPostJournalism: z.boolean(),
  })
  .openapi('Capabilities')
