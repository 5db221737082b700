// Reads an OpenAPI document with its shared parameters and answers written out at each route.
import { readFileSync } from 'node:fs'

type Reference = { $ref: string; description?: string }
type Operation = { parameters?: (object | Reference)[]; responses?: Record<string, object | Reference> }
type Components = { parameters?: Record<string, object>; responses?: Record<string, object> }

/** The document with every reference to a parameter or an answer resolved. A description beside a reference wins. */
export function resolved<T>(document: T): T {
  const { paths, components = {} } = document as {
    paths: Record<string, Record<string, Operation>>
    components?: Components
  }
  const resolve = (group: keyof Components) => (one: object | Reference) => {
    if (!('$ref' in one)) return one
    const { $ref, ...own } = one
    return { ...components[group]?.[$ref.split('/').at(-1) ?? ''], ...own }
  }
  const operation = ({ parameters, responses = {}, ...rest }: Operation): Operation => ({
    ...rest,
    ...(parameters && { parameters: parameters.map(resolve('parameters')) }),
    responses: changed(responses, resolve('responses')),
  })
  return { ...document, paths: changed(paths, (path) => changed(path, operation)) }
}

const changed = <A, B>(all: Record<string, A>, change: (one: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(all).map(([key, one]) => [key, change(one)]))

/** The API's description of this checkout, or of another one. */
export const readOpenApi = <T>(root = `${import.meta.dirname}/../..`): T =>
  resolved(JSON.parse(readFileSync(`${root}/api-facade/openapi.json`, 'utf8')))

/** The codes of an error answer: its description lists them in backticks. */
export const codesOf = ({ description = '' }: { description?: string }): string[] =>
  [...description.matchAll(/`([a-z0-9_]+)`/g)].map(([, code = '']) => code)
