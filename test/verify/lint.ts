// npm run lint: prints what the lints find in the API's description, and fails if they find anything.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { redoclyFindings, spectralFindings } from '../support/lints.ts'

const path = fileURLToPath(new URL('../../api-facade/openapi.json', import.meta.url))
const findings = [...(await redoclyFindings(path)), ...(await spectralFindings('oas', readFileSync(path, 'utf8')))]
for (const finding of findings) console.log(finding)
process.exitCode = findings.length > 0 ? 1 : 0
