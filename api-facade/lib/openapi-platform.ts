// The paths of the OpenAPI document that no route table has: health, readiness, the instance, the audit log, app links.
import type { z } from 'zod'
import { AUDIT, CheckpointEntries, Checkpoints } from './audit.ts'
import { Instance } from './instance.ts'
import { errorOf, type Path } from './openapi-answers.ts'
import { z as zod } from './schemas.ts'

const malformed = '`request_malformed`: the request line or the headers cannot be read.'

const health = (): Path => ({
  method: 'get',
  path: '/health',
  operationId: 'health',
  tags: ['platform'],
  summary: 'Check whether the process is running',
  description: 'It asks neither the database nor any other service.',
  security: [],
  responses: {
    200: {
      description: 'The process is running.',
      content: {
        'application/json': {
          schema: zod.object({
            status: zod.literal('ok').describe('Always `ok`.'),
            uptime: zod.number().describe('Seconds since the process started.'),
            version: zod.string().describe('The version of the release.'),
          }),
        },
      },
    },
    400: errorOf(400, malformed),
  },
})

const instance = (): Path => ({
  method: 'get',
  path: '/.well-known/kith',
  operationId: 'instance',
  tags: ['platform'],
  summary: 'Get the public data of this instance for other instances',
  description:
    'Contains the domain, the software, and the keys that verify exports of the instance. The answer may be ' +
    'cached for an hour.',
  security: [],
  responses: {
    200: {
      description: 'Its domain and its keys.',
      content: { 'application/json': { schema: Instance } },
    },
    400: errorOf(400, malformed),
  },
})

const audit = (): Path[] => [
  {
    method: 'get',
    path: AUDIT,
    operationId: 'auditCheckpoints',
    tags: ['platform'],
    summary: 'List the signed checkpoints of the audit log',
    description:
      'A worker makes a checkpoint on each day on which staff did something. With the checkpoints anybody can ' +
      'detect that the log was rewritten later. The answer may be cached for five minutes.',
    security: [],
    request: {
      query: zod.object({
        from: zod.int().min(1).optional().describe('The number of the first checkpoint; 1 if absent.'),
      }),
    },
    responses: {
      200: {
        description: 'Up to 100 checkpoints.',
        content: { 'application/json': { schema: Checkpoints } },
      },
      400: errorOf(400, malformed),
      422: errorOf(422, '`validation_failed`: `from` is not a number.'),
    },
  },
  {
    method: 'get',
    path: `${AUDIT}/{number}`,
    operationId: 'auditCheckpoint',
    tags: ['platform'],
    summary: 'Get a checkpoint with the hashes of its entries',
    description:
      'The hashes are those that the entries have now; their Merkle root is in the checkpoint, unless the log was rewritten.',
    security: [],
    request: { params: zod.object({ number: zod.int().min(1).describe('The number of the checkpoint.') }) },
    responses: {
      200: {
        description: 'The checkpoint and the hashes.',
        content: { 'application/json': { schema: CheckpointEntries } },
      },
      400: errorOf(400, malformed),
      404: errorOf(404, '`checkpoint_unknown`: there is no checkpoint of this number.'),
      422: errorOf(422, '`validation_failed`: the `number` in the path is not a number.'),
    },
  },
]

const ready = (): Path => ({
  method: 'get',
  path: '/ready',
  operationId: 'ready',
  tags: ['platform'],
  summary: 'Check whether the instance can take requests',
  description:
    'The instance is ready if within half a second the database answers and accepts writes, each pool has a free ' +
    'connection, and the migrations are those of this release. Unless workers are separate, a worker must also be ' +
    'running somewhere.',
  security: [],
  responses: {
    200: {
      description:
        'The instance can take requests. `warnings` lists migrations that are newer than this code, a separate worker that ' +
        'is missing, and problems of the media storage.',
      content: {
        'application/json': {
          schema: zod.object({
            status: zod.literal('ready').describe('Always `ready`; otherwise the answer is 503.'),
            warnings: zod
              .array(zod.string())
              .optional()
              .describe('Warnings for the operator; absent if there are none.'),
          }),
        },
      },
    },
    400: errorOf(400, malformed),
    503: errorOf(503, '`service_unavailable`; the message says what is missing.'),
  },
})

const AssetLinks = zod.array(
  zod.object({
    relation: zod.array(zod.string()).describe('What the app may do with links of this site.'),
    target: zod
      .object({
        namespace: zod.string().describe('Always `android_app`.'),
        package_name: zod.string().describe('The name of the app, such as `org.example.kith`.'),
        sha256_cert_fingerprints: zod
          .array(zod.string())
          .describe('The fingerprints of the certificates with which the app is signed.'),
      })
      .describe('The app.'),
  }),
)
const AppleLinks = zod.object({
  applinks: zod
    .object({
      details: zod
        .array(
          zod.object({
            appIDs: zod.array(zod.string()).describe('Team and bundle id of each app.'),
            components: zod
              .array(
                zod.object({
                  '/': zod.string().describe('A pattern of paths.'),
                  exclude: zod.boolean().optional().describe('`true` if these paths stay in the browser.'),
                }),
              )
              .describe('The paths that the apps open; the first pattern that matches counts.'),
          }),
        )
        .describe('Which app opens which paths.'),
    })
    .describe('Links that open an app.'),
  webcredentials: zod
    .object({ apps: zod.array(zod.string()).describe('Team and bundle id of each app.') })
    .describe('Apps that may use passwords saved for this site.'),
})

const appFile = (name: string, operationId: string, summary: string, schema: z.ZodType): Path => ({
  method: 'get',
  path: `/.well-known/${name}`,
  operationId,
  tags: ['platform'],
  summary,
  description:
    'The file for app links, which Kith makes from the configuration. If the client is at another host, that host ' +
    'must forward this path to this instance.',
  security: [],
  responses: {
    200: {
      description: 'The file as the platform expects it.',
      content: { 'application/json': { schema } },
    },
    404: errorOf(404, '`route_unknown`: the operator has named no app.'),
  },
})

/** The paths of the platform, in the order of the document. */
export const platformPaths = (): Path[] => [
  health(),
  ready(),
  instance(),
  ...audit(),
  appFile('assetlinks.json', 'assetLinks', 'Get the Android app that opens links of this site', AssetLinks),
  appFile(
    'apple-app-site-association',
    'appleAppSiteAssociation',
    'Get the Apple apps that open links of this site',
    AppleLinks,
  ),
]
