// Errors about a field in plain words: zod's own messages name types, which the client may not know. A schema that has
// its own message keeps it.
import type { z } from 'zod'

/** The end of a sentence that begins with the field's name; undefined if zod's message is good enough. */
export const describeIssue: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? REQUIRED : types[issue.expected]
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map((value) => JSON.stringify(value)).join(', ')}`
    case 'invalid_format':
      return formats[issue.format]
    case 'too_small':
      return isLength(issue) && issue.minimum === 1 ? 'must not be empty' : bound('least', issue)
    case 'too_big':
      return bound('most', issue)
  }
}

/** The code of what is wrong with a field, for programs. */
export function codeOf({ code, message }: z.core.$ZodIssue): (typeof fieldCodes)[number] {
  if (code === 'invalid_type') return message === REQUIRED ? 'required' : 'type'
  return code === 'too_small' || code === 'too_big' ? code : code === 'invalid_format' ? 'format' : 'value'
}
export const fieldCodes = ['required', 'type', 'too_small', 'too_big', 'format', 'value'] as const

const REQUIRED = 'is required'
const types: Readonly<Record<string, string>> = {
  string: 'must be a string',
  number: 'must be a number',
  int: 'must be a whole number',
  boolean: 'must be true or false',
  array: 'must be an array',
  object: 'must be an object',
}

const formats: Readonly<Record<string, string>> = {
  uuid: 'must be a UUID',
  email: 'must be an email address',
  url: 'must be a URL',
  date: 'must be a date such as 1990-01-31',
  datetime: 'must be a time with its zone such as 2026-01-31T12:00:00Z',
}

type Bound = z.core.$ZodRawIssue & { code: 'too_small' | 'too_big' }
const isLength = ({ origin }: Bound): boolean => origin === 'string' || origin === 'array'

/** The sentence about a number that is out of range, or about a text or a list of a wrong length. */
function bound(which: 'least' | 'most', issue: Bound): string {
  const number = issue.code === 'too_small' ? issue.minimum : issue.maximum
  if (!isLength(issue)) return `must be at ${which} ${number}`
  return `must have at ${which} ${number} ${issue.origin === 'array' ? 'items' : 'characters'}`
}
