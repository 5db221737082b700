// Schemas of bots. Rules are in sql/identity/57_bots.sql.
import { About } from '../../lib/fields.ts'
import { PersonCard, Timestamp, z } from '../../lib/schemas.ts'
import { NewAccessToken } from './access-token-schemas.ts'
import { ProfileChanges } from './account-schemas.ts'

const { username, firstName, lastName, about, profilePicUrl } = ProfileChanges.shape

export const NewBot = z.object({
  username: username.unwrap().openapi({ description: 'Letter case does not matter.', example: 'weather_bot' }),
  firstName: firstName.unwrap(),
  lastName: lastName.unwrap().default('Bot').describe('Default: `Bot`.'),
  about,
  profilePicUrl,
  inviteCode: z
    .string()
    .trim()
    .max(20)
    .optional()
    .describe(
      'An active invite code of yours, which the bot uses up. Without it, the bot uses up one invite of your allotment.',
    ),
})
export const NewBotToken = NewAccessToken.omit({ endsWithPassword: true })
export const BotChanges = z.object({ username, firstName, lastName, about, profilePicUrl })

export const Bot = PersonCard.extend({
  about: About,
  createdAt: Timestamp,
  bannedAt: Timestamp.nullable().describe('When staff banned the bot, alone or with you; null if it is not banned.'),
}).openapi('Bot', { description: 'One of your bots.' })
export const Bots = z.object({ items: z.array(Bot).describe('Your bots, oldest first; at most 5.') }).openapi('Bots')
