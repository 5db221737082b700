// Fields that many shapes have, each described once.
import countries from 'i18n-iso-countries'
import { Timestamp, Uuid, z } from './schemas.ts'

export const ActorId = z
  .string()
  .describe('An actor id, `acct:name@domain`. It changes with the username; a `personId` never does.')

// Times in answers.
export const EditedAt = Timestamp.nullable().describe('When its author last edited it; null if never.')
export const PostEditedAt = Timestamp.nullable().describe(
  'When its words or media last changed after it was published; null if never.',
)
export const ScheduledEmittedAt = Timestamp.nullable().describe(
  'When it was published after it had been scheduled; null for other posts.',
)
/** For staff: what was decided about a person. */
export const SuspendedUntil = Timestamp.nullable().describe(
  'When the ban ends by itself; null if it has no end, or the person is not banned.',
)
export const LimitedAt = Timestamp.nullable().describe('When the person was limited; null if they are not limited.')
export const HiddenAt = Timestamp.nullable().describe(
  'When staff, a group or guild, or a rule hid it from everybody but its author; null if it is not hidden.',
)
export const RemovedAt = Timestamp.nullable().describe(
  'When staff removed it, so that only its author sees it; null if they did not.',
)
export const DeletedAt = Timestamp.nullable().describe(
  'When it was permanently deleted for everybody; null if it was not.',
)
export const ArchivedAt = Timestamp.nullable().describe(
  'When it was archived: its members can still read it, but it accepts nothing new. Null while it is active.',
)
export const SettledAt = Timestamp.nullable().describe('When it was settled; null until then.')
export const CommittedAt = Timestamp.nullable().describe(
  'When the storage was found to have the file as announced; null while the upload is pending.',
)

// The interest of a thing, and the space whose members see it.
export const AboutInterest = Uuid.nullable().describe('The interest that it is about; null if none was named.')
export const PrimaryInterest = Uuid.nullable().describe('The primary interest; null if it has none.')
export const GroupId = Uuid.nullable().describe('The group whose members alone can see it; null if it is in none.')
export const GuildId = Uuid.nullable().describe('The guild whose members alone can see it; null if it is in none.')

// interests
export const InterestSlug = z.string().describe('The name of the interest in addresses. Staff can change it.')
export const InterestName = z.string().describe('The name of the interest as the catalog has it now.')
export const AccentColor = z
  .enum(['ink', 'gold', 'sage', 'coral', 'cyan', 'plum'])
  .describe('The colour token with which clients show the interest.')
export const InterestColor = z.string().describe('The colour token with which clients show the interest.')
export const InterestLevel = z
  .int()
  .min(1)
  .max(3)
  .describe('The level in the catalog: 1 for the broadest interests, 3 for the narrowest.')
export const ParentInterest = Uuid.nullable().describe('The interest one level above; null on level 1.')

// groups and guilds
export const SpaceSlug = z
  .string()
  .describe('Its name in addresses: lowercase letters, digits and hyphens. It never changes.')
export const SpaceName = z.string().describe('1 to 80 characters, one line.')
export const SpaceAbout = z.string().describe('Up to 2000 characters; empty if nothing was written.')
export const Colour = z.string().nullable().describe('A colour token such as `sage`; null if none was chosen.')

// people
export const About = z
  .string()
  .nullable()
  .describe('What the person says about themselves, up to 1000 characters; null if nothing.')
/** The countries that a person may name. XK (Kosovo) is widely used, but not in ISO 3166-1. */
export const countryCodes = Object.keys(countries.getAlpha2Codes()).filter((code) => code !== 'XK')
export const Country = z
  .string()
  .nullable()
  .describe('An ISO 3166-1 alpha-2 code. Null for the first admin until they name one.')
export const City = z
  .string()
  .nullable()
  .describe('The city, as the person wrote it. Null for the first admin until they name one.')
export const Picture = z.string().nullable().describe('The address of a picture; null if there is none.')

export const SenderBalance = z.int().min(0).describe('What is left in your wallet, in whole mana.')
