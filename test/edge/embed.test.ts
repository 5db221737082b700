// The function `embed` with a fake of the edge runtime's model, over real HTTP, and without a model, in this process
// and in Deno. These tests do not run the runtime's own model.
import { getRequestListener } from '@hono/node-server'
import { SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../api-facade/lib/config.ts'
import { openFunctions } from '../../api-facade/lib/functions.ts'
import { createLog, openTracing } from '../../api-facade/lib/log.ts'
import { edgeEmbedder } from '../../api-facade/worker/embedders.ts'
import { createEmbed } from '../../edge-functions/embed/handler.ts'
import { listen, runFunction, runtimes } from '../support/functions.ts'

const JWT_SECRET = 'the secret that signs, of the tests of embeddings'
const sign = (role: string) =>
  new SignJWT({ role })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('1h')
    .sign(new TextEncoder().encode(JWT_SECRET))
const token = await sign('service_role')
const post = (body: unknown, as = token) => ({
  method: 'POST',
  headers: { authorization: `Bearer ${as}`, 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

/** The length of the fake model's vectors, the models that were opened, and the options of each run. */
let size = 384
const opened: string[] = []
const told: unknown[] = []
const app = createEmbed({
  jwtSecrets: [JWT_SECRET],
  open(model) {
    opened.push(model)
    return {
      async run(text, options) {
        told.push(options)
        if (text === 'fail') throw new Error('not well')
        return new Float32Array(size).fill(text.length)
      },
    }
  },
})
const url = await listen(getRequestListener(app.fetch))

describe('With the model of the runtime', () => {
  test('it returns a vector for each text, in order, and the model’s name', async () => {
    const answer = await fetch(`${url}/embed`, post({ texts: ['one', 'three'] }))
    const { model, vectors } = (await answer.json()) as { model: string; vectors: number[][] }
    expect([answer.status, model, vectors.map(([x]) => x)]).toEqual([200, 'gte-small', [3, 5]])
    await fetch(`${url}/embed`, post({ texts: ['one'] }))
    expect(opened).toEqual(['gte-small'])
    expect(told).toEqual(Array(3).fill({ mean_pool: true, normalize: true }))
  })

  test.each([
    [{}],
    [{ texts: [] }],
    [{ texts: [''] }],
    [{ texts: ['x'.repeat(2001)] }],
    [{ texts: Array(33).fill('x') }],
  ])('it answers 422 to invalid input: %#', async (body) =>
    expect((await fetch(`${url}/embed`, post(body))).status).toBe(422),
  )

  test('it answers 503 when it fails, and the worker rejects that as well as vectors of another size', async () => {
    expect((await fetch(`${url}/embed`, post({ texts: ['fail'] }))).status).toBe(503)
    const config = readConfig({ LOG_LEVEL: 'silent', FUNCTIONS_URL: url })
    const { embed } = edgeEmbedder(
      openFunctions({
        config,
        jwtSecret: JWT_SECRET,
        log: createLog(config),
        tracing: openTracing(config, createLog(config)),
      }),
    )
    expect((await embed(['one', 'two'])).map(({ length }) => length)).toEqual([384, 384])
    await expect(embed(['fail'])).rejects.toThrow('embed answered 503')
    size = 3
    await expect(embed(['one'])).rejects.toThrow()
  })
})

describe.each(runtimes)('Without a model, %s,', async (runtime) => {
  const ask = await runFunction(runtime, 'embed', { JWT_SECRET })
  test('it answers 503 to the service role and 401 to all others', async () => {
    expect((await ask('embed', post({ texts: ['one'] }))).status).toBe(503)
    expect((await ask('embed', post({ texts: ['one'] }, await sign('authenticated')))).status).toBe(401)
  })
})
