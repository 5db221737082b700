// Arranges and prints the OpenAPI document. Shared parts are written once, the order is stable and lines are short, so
// that a diff only shows the routes that changed.

type Parameter = {
  'x-component'?: string
  name: string
  in: string
  required?: boolean
  description?: string
  schema: Schema
}
type Schema = { $ref?: string; description?: string; items?: Schema; properties?: Record<string, Schema> }
type Reference = { $ref: string; description?: string }
type Operation = { parameters?: (Parameter | Reference)[]; responses: Record<string, object> }
type Components = Record<'parameters' | 'responses' | 'schemas' | 'headers', Record<string, unknown>>
export type Described = { paths: Record<string, Record<string, Operation>>; components: object }

const methods = ['get', 'put', 'post', 'patch', 'delete']

/** Writes shared parameters and pages once, as components, and sorts paths, methods, answers and components. */
export function arranged<T extends Described>(document: T): T {
  const components = document.components as Components
  const share = sharer(components)
  const pages = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(pages)
    if (typeof node !== 'object' || node === null) return node
    const inner = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, pages(value)]))
    const name = pageName(inner)
    if (!name) return inner
    const { description, ...page } = inner
    return { ...share('schemas', name, page), ...(description !== undefined && { description }) }
  }
  const operation = ({ parameters = [], responses, ...rest }: Operation): Operation => ({
    ...rest,
    ...(parameters.length > 0 && { parameters: parameters.map((one) => parameter(one, share)) }),
    responses: mapped(responses, (one) => one),
  })
  for (const [name, schema] of Object.entries(components.schemas)) {
    const inner = Object.entries(schema as object).map(([key, value]) => [key, pages(value)])
    components.schemas[name] = Object.fromEntries(inner)
  }
  const paths = mapped(pages(document.paths) as T['paths'], (path) =>
    Object.fromEntries(methods.flatMap((method) => (path[method] ? [[method, operation(path[method])]] : []))),
  )
  const sorted = mapped(components, (group) => mapped(group, (one) => one))
  return { ...document, components: sorted, paths }
}

type Share = <T>(group: keyof Components, name: string, one: T) => Reference

/** Makes a component. @throws Error if the name already has other content */
function sharer(components: Components): Share {
  return (group, name, one) => {
    const known = components[group]
    const text = JSON.stringify(one)
    if (JSON.stringify(known[name] ?? one) !== text) throw new Error(`Two ${group} are called ${name}: ${text}`)
    known[name] = one
    return { $ref: `#/components/${group}/${name}` }
  }
}

/** A parameter without default values; a component if its schema says so (`shared` of schemas.ts). */
function parameter(given: Parameter | Reference, share: Share): Parameter | Reference {
  if ('$ref' in given) return given
  const { 'x-component': component, name, in: place, required, description, schema, ...more } = given
  const { description: repeated, ...type } = schema
  const one: Parameter = {
    name,
    in: place,
    ...(required && { required }),
    ...(description && { description }),
    ...more,
    schema: repeated === description ? type : schema,
  }
  return component ? share('parameters', component, one) : one
}

const nameOf = (schema: Schema | undefined): string | undefined => schema?.$ref?.split('/').at(-1)

/** `PostPage` for a page of `Post`; undefined for anything that is not a page of a named schema. */
function pageName(schema: Schema & { required?: string[] }): string | undefined {
  const item = nameOf(schema.properties?.items?.items)
  return item && String(schema.required) === 'items,nextCursor,hasMore' ? `${item}Page` : undefined
}

/** Maps the values, sorted by key. */
const mapped = <T, R>(all: Readonly<Record<string, T>>, change: (one: T) => R): Record<string, R> =>
  Object.fromEntries(
    Object.entries(all)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, one]) => [key, change(one)]),
  )

const WIDTH = 120

/** Prints JSON. Values that fit on a line are on one line. */
export const textOf = (value: unknown): string => `${printed(value, '')}\n`

function printed(value: unknown, indent: string, before = 0): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const isList = Array.isArray(value)
  const [open, close, space] = isList ? ['[', ']', ''] : ['{', '}', ' ']
  const inner = `${indent} `
  const parts = Object.entries(value).map(([key, item]) => {
    const name = isList ? '' : `${JSON.stringify(key)}: `
    return name + printed(item, inner, name.length)
  })
  const line = parts.length === 0 ? open + close : `${open}${space}${parts.join(', ')}${space}${close}`
  if (!line.includes('\n') && indent.length + before + line.length <= WIDTH) return line
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indent}${close}`
}
