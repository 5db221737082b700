// Schemas of interests. Rules are in sql/interests.
import { AccentColor, InterestLevel, InterestName, InterestSlug, ParentInterest } from '../../lib/fields.ts'
import { Page, queryInteger, Timestamp, Uuid, z } from '../../lib/schemas.ts'

const Degree = z.int().min(1).max(5).describe('From 1 (Curious) to 5.')

const fields = {
  id: Uuid,
  slug: InterestSlug,
  name: InterestName,
  level: InterestLevel,
  parentId: ParentInterest,
  accentColor: AccentColor,
  userCount: z.int().describe('How many people chose exactly this interest.'),
}
// The three levels are written out, because not every client generator supports recursive schemas.
const DeepInterest = z
  .object({
    ...fields,
    children: z
      .array(z.unknown())
      .max(0)
      .optional()
      .describe('Always empty, because this is the last level. Absent from a filtered list.'),
  })
  .openapi('DeepInterest')
const SubInterest = z
  .object({
    ...fields,
    children: z
      .array(DeepInterest)
      .optional()
      .describe('The interests right below, by name. Absent from a filtered list.'),
  })
  .openapi('SubInterest')
const Interest = z
  .object({
    ...fields,
    children: z
      .array(SubInterest)
      .optional()
      .describe('The interests right below, by name. Absent from a filtered list.'),
  })
  .openapi('Interest')

export const CatalogQuery = z.object({
  level: queryInteger(1, 3).optional().describe('Only interests of this level; 1 is the broadest.'),
  parentId: Uuid.optional().describe('Only the interests right below this one.'),
})
export const Catalog = z
  .object({
    items: z.array(Interest).describe('The interests of the first level, or those that the filters leave, by name.'),
  })
  .openapi('Catalog')

export const NewChoice = z.object({ interestId: Uuid, depth: Degree, expertise: Degree })
export const NewChoices = z.object({
  interests: z.array(NewChoice).min(1).max(1000).describe('1 to 1000 interests. New ones are added in this order.'),
})

export const Choice = z
  .object({
    interestId: Uuid,
    slug: InterestSlug,
    name: InterestName,
    level: InterestLevel,
    parentId: ParentInterest,
    accentColor: AccentColor,
    depth: Degree,
    expertise: Degree,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .openapi('UserInterest', { description: 'A chosen interest. Depth and expertise range from 1 (Curious) to 5.' })
export const Choices = Page(Choice)
  .extend({ items: z.array(Choice).describe('All chosen interests, in the order in which they were chosen.') })
  .openapi('UserInterests')
