// The lints find what is wrong with a description. `npm run lint` runs them on api-facade/openapi.json.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { redoclyFindings, spectralFindings } from './support/lints.ts'

const folder = mkdtempSync(join(tmpdir(), 'kith-lint-'))
afterAll(() => rmSync(folder, { recursive: true }))

const fine = {
  openapi: '3.1.0',
  info: {
    ...{ title: 'Bread', version: '1.0.0', description: 'About bread.' },
    ...{ contact: { name: 'Ada' }, license: { name: 'MIT', identifier: 'MIT' } },
  },
  servers: [{ url: '/' }],
  tags: [{ name: 'bread', description: 'All about bread.' }],
  paths: {
    '/bread': {
      get: {
        ...{ operationId: 'getBread', tags: ['bread'], summary: 'Get bread', description: 'Fresh.', security: [] },
        responses: { 200: { description: 'Bread.' }, 404: { description: 'None is left.' } },
      },
    },
  },
}
const faulty = { ...fine, tags: [{ name: 'bread' }], info: { ...fine.info, contact: undefined } }

test('Redocly finds a tag without a description', async () => {
  const linted = (document: object) => {
    const path = join(folder, 'openapi.json')
    writeFileSync(path, JSON.stringify(document))
    return redoclyFindings(path)
  }
  expect(await linted(fine)).toEqual([])
  expect(await linted(faulty)).toEqual([expect.stringMatching(/^tag-description #\/tags\/0/)])
})

test('Spectral finds a description without a contact', async () => {
  expect(await spectralFindings('oas', JSON.stringify(fine))).toEqual([])
  expect(await spectralFindings('oas', JSON.stringify(faulty))).toEqual([expect.stringMatching(/^info-contact info/)])
})
