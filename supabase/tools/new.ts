// npm run new -- <things>: writes a new feature that passes all tests, with one list, one create, one get and one
// delete, its policies, personal data, erasure and tests. CONTRIBUTING.md, A new feature.
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import pluralize from 'pluralize'
import { root } from './schema.ts'

type Names = Record<string, string>

/** Every spelling of the feature's name that the templates use. @throws Error for a name that is not a plural noun */
export function namesOf(things: string): Names {
  const thing = pluralize.singular(things)
  if (!/^[a-z]+(_[a-z]+)*$/.test(things) || thing === things)
    throw new Error(`${things} must be a plural noun in lower case, such as bookshelves or reading_lists`)
  const pascal = (text: string) => text.replace(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase())
  const words = things.replaceAll('_', ' ')
  const section = pascal(things)
  return {
    things,
    thing,
    Thing: pascal(thing),
    path: things.replaceAll('_', '-'),
    words,
    Words: words.charAt(0).toUpperCase() + words.slice(1),
    word: thing.replaceAll('_', ' '),
    section: section.charAt(0).toLowerCase() + section.slice(1),
    kind: things.replaceAll('_', ''),
  }
}

const filled = (text: string, names: Names): string =>
  text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = names[name]
    if (value === undefined) throw new Error(`a template names ${name}, which does not exist`)
    return value
  })

/** Each template in supabase/tools/feature/, and the file that is made from it. */
const files = {
  'sql/10_things.sql.template': 'sql/{{things}}/10_{{things}}.sql',
  'policies/things.sql.template': 'policies/{{things}}.sql',
  'api-facade/routes.ts.template': 'api-facade/features/{{things}}/routes.ts',
  'api-facade/schemas.ts.template': 'api-facade/features/{{things}}/schemas.ts',
  'test/things.sql.template': 'test/db/{{things}}/{{things}}.sql',
  'test/things.test.ts.template': 'test/api/{{things}}/{{things}}.test.ts',
} as const

/**
 * The additions of a feature to the lists that tests compare with the schema: the file, the text to insert, and the
 * text before which it is inserted.
 */
const additions: readonly { file: string; before: RegExp; text: string }[] = [
  {
    file: 'supabase/config.toml',
    before: /^ {2}"\.\.\/sql\/admin\//m,
    text: '  "../sql/{{things}}/*.sql", "../policies/{{things}}.sql",\n',
  },
  { file: 'api-facade/lib/areas.ts', before: /(?<=contents: \{\n {4}features: \[)/, text: "'{{things}}', " },
  {
    file: 'test/routes.tsv',
    before: /$(?![\s\S])/,
    text: [
      'GET\t/{{path}}\tuser\t{{things}}\t\t200',
      'POST\t/{{path}}\tuser\t{{things}}\t\t201',
      'GET\t/{{path}}/:id\tuser\t{{things}}\t\t200',
      'DELETE\t/{{path}}/:id\tuser\t{{things}}\t\t204',
      '',
    ].join('\n'),
  },
  {
    file: 'docs/limits.md',
    before: /(?<=## Lists\n\n.*\n.*\n)/,
    text: '| `list_{{things}}` | 51 rows | |\n',
  },
  { file: 'docs/limits.md', before: /(?<=## Reads\n\n.*\n.*\n)/, text: '| `get_{{thing}}` | one row | |\n' },
  {
    file: 'docs/limits.md',
    before: /(?<=## Writes\n\n.*\n.*\n)/,
    text: '| `create_{{thing}}`, `delete_{{thing}}` | one row | |\n',
  },
  {
    file: 'test/support/samples.ts',
    before: /^ {2}await run\(statement\('select private\.apply_effects/m,
    text: [
      "  sample('create_{{thing}}', { p_name: 'First' })",
      "  sample('delete_{{thing}}', { p_id: await make(me, 'create_{{thing}}', { p_name: 'Second' }) })",
      '',
      '',
    ].join('\n'),
  },
  { file: 'test/model/writes.test.ts', before: /(?<=made': `\n)/, text: '    delete_{{thing}}\n' },
  {
    file: 'test/model/floods.test.ts',
    before: /(?<='It lists what the caller chose.*\n)/,
    text: "    'list_{{things}}',\n",
  },
  {
    file: 'test/api/base/constraints.test.ts',
    before: /^ {2}interest_depth_out_of_range:/m,
    text: "  {{thing}}_name: ['create_{{thing}}', { p_name: ' ' }],\n",
  },
]

/** Writes the feature into the repository at `folder`. @throws Error if it exists, or an insertion point is missing */
export function addFeature(things: string, folder = root): string[] {
  const names = namesOf(things)
  const created = Object.entries(files).map(([template, target]) => [template, filled(target, names)] as const)
  const existing = created.find(([, target]) => existsSync(join(folder, target)))
  if (existing) throw new Error(`${existing[1]} exists already`)
  const changed = new Map<string, string>()
  for (const { file, before, text } of additions) {
    const old = changed.get(file) ?? readFileSync(join(folder, file), 'utf8')
    const at = old.search(before)
    if (at < 0) throw new Error(`${file} has no insertion point for the feature: it does not contain ${before}`)
    changed.set(file, old.slice(0, at) + filled(text, names) + old.slice(at))
  }
  for (const [template, target] of created) {
    mkdirSync(dirname(join(folder, target)), { recursive: true })
    writeFileSync(
      join(folder, target),
      filled(readFileSync(join(import.meta.dirname, 'feature', template), 'utf8'), names),
    )
  }
  for (const [file, text] of changed) writeFileSync(join(folder, file), text)
  return [...created.map(([, target]) => target), ...changed.keys()]
}

/** Templates from which no file is made. */
export const unusedTemplates = (): string[] =>
  globSync('**/*.template', { cwd: join(import.meta.dirname, 'feature') }).filter((file) => !(file in files))

if (import.meta.main) {
  const [things = ''] = process.argv.slice(2)
  try {
    const written = addFeature(things)
    process.stdout.write(
      `Wrote\n${written.map((file) => `  ${file}\n`).join('')}Next: npm run format && npm run gen -- --name add_${things}\n`,
    )
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exitCode = 1
  }
}
