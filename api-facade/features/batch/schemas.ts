import { z } from '../../lib/schemas.ts'

const Read = z.object({
  method: z.string().max(10).openapi({ description: 'Only GET.', example: 'GET' }),
  path: z.string().max(4000).openapi({
    description: 'The path with its query, as in a separate request; `/api/v1` may be left out.',
    example: '/api/v1/feed?limit=10',
  }),
  ifNoneMatch: z
    .string()
    .max(1000)
    .optional()
    .describe('The ETag of the answer that the client has stored. If it is still valid, the answer is 304.'),
})

export const Batch = z.object({
  requests: z
    .array(Read)
    .min(1)
    .max(20)
    .describe('1 to 20 reads. The limits of a route and of a person count each of them.'),
})

const Response = z
  .object({
    status: z.int().describe('The HTTP status that a separate request would have.'),
    headers: z
      .object({
        ETag: z.string().optional().describe('The `ifNoneMatch` of a later request. Absent if the answer has no ETag.'),
        'Cache-Control': z.string().optional().describe('Whether and how long the answer may be stored.'),
        'Retry-After': z.string().optional().describe('Seconds to wait, after 429 and 503.'),
        'X-Error-Code': z.string().optional().describe('The stable code, if the read failed.'),
      })
      .describe('The headers of the answer that depend on the request.'),
    body: z.unknown().describe('The JSON body as in a separate request; null for 304.'),
  })
  .openapi('BatchResponse')

export const BatchAnswer = z
  .object({ responses: z.array(Response).describe('The answers, in the order of the requests.') })
  .openapi('BatchAnswer')
