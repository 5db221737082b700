// The answer to a method that a path does not support.
import type { Context } from './context.ts'
import { ApiError } from './errors.ts'
import { send, setHeader } from './headers.ts'

/** Answers requests to a known path whose method the path does not support. HEAD runs as GET and never gets here. */
export function otherMethods(taken: readonly string[]): (c: Context) => Response {
  const allow = [...taken, ...(taken.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
  return (c) => {
    if (c.env?.batch) throw new ApiError('batch_request')
    setHeader(c, 'Allow', allow)
    if (c.req.method !== 'OPTIONS') throw new ApiError('method_not_allowed')
    return send(c, null, 204)
  }
}
