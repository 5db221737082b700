// Shapes of interests. Rules are in sql/interests.
import { queryInteger, Timestamp, Uuid, z } from '../../lib/schemas.ts'

const Level = z.int().min(1).max(3)
const Degree = z.int().min(1).max(5)
const AccentColor = z.enum(['ink', 'gold', 'sage', 'coral', 'cyan', 'plum'])

const fields = {
  id: Uuid,
  slug: z.string(),
  name: z.string(),
  level: Level,
  parentId: Uuid.nullable(),
  accentColor: AccentColor,
  userCount: z.int().describe('How many people chose exactly this interest.'),
}
// exactly three levels, written out because not every client generator supports recursive schemas
const DeepInterest = z.object({ ...fields, children: z.array(z.unknown()).max(0).optional() }).openapi('DeepInterest')
const SubInterest = z.object({ ...fields, children: z.array(DeepInterest).optional() }).openapi('SubInterest')
const Interest = z.object({ ...fields, children: z.array(SubInterest).optional() }).openapi('Interest')

export const CatalogQuery = z.object({ level: queryInteger(1, 3).optional(), parentId: Uuid.optional() })
export const Catalog = z.object({ items: z.array(Interest) }).openapi('Catalog')

export const NewChoice = z.object({ interestId: Uuid, depth: Degree, expertise: Degree })
export const NewChoices = z.object({ interests: z.array(NewChoice).min(1).max(1000) })

export const Choice = z
  .object({
    interestId: Uuid,
    slug: z.string(),
    name: z.string(),
    level: Level,
    parentId: Uuid.nullable(),
    accentColor: AccentColor,
    depth: Degree,
    expertise: Degree,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .openapi('UserInterest', { description: 'A chosen interest. Depth and expertise range from 1 (Curious) to 5.' })
export const Choices = z.object({ items: z.array(Choice) }).openapi('UserInterests')
