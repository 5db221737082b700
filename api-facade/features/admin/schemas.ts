// Shapes of the admin panel's routes. Specification: Admin.
import { Timestamp, Uuid, z } from '../../lib/schemas.ts'

export const Generation = z.object({ count: z.int().min(1).max(100) })
export const GeneratedCodes = z
  .object({
    items: z.array(z.object({ id: Uuid, code: z.string(), status: z.literal('active'), expiresAt: Timestamp })),
  })
  .openapi('GeneratedCodes')
