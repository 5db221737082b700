// The lints of the API's description, as their own projects run them. `npm run lint` prints what they find.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'

const config = fileURLToPath(new URL('../redocly.yaml', import.meta.url))
const redocly = fileURLToPath(new URL('../../node_modules/.bin/redocly', import.meta.url))

type Problem = { ruleId: string; message: string; location: { pointer?: string }[] }

/** What Redocly's `recommended-strict` finds in a description in a file: rule, place, message. */
export async function redoclyFindings(path: string): Promise<string[]> {
  const options = ['lint', path, '--config', config, '--format', 'json', '--max-problems', '1000']
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const run = promisify(execFile)(process.execPath, [redocly, ...options], { env, maxBuffer: 1 << 26 })
  // Redocly exits with 1 if it finds anything
  const { stdout } = await run.catch((error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }))
  const { problems } = JSON.parse(stdout.slice(stdout.indexOf('{'))) as { problems: Problem[] }
  return problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`)
}

/** What Spectral's rules find in a description: `oas` in an OpenAPI document, `asyncapi` in an AsyncAPI document. */
export async function spectralFindings(rules: 'oas' | 'asyncapi', text: string): Promise<string[]> {
  const linter = new spectral.Spectral()
  linter.setRuleset({ extends: [rulesets[rules] as RulesetDefinition] })
  const found = await linter.run(JSON.parse(text))
  return found.map(({ code, path, message }) => `${code} ${path.join('/')}: ${message}`)
}
