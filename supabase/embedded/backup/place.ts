// The place of the backups: a folder, or a bucket of an S3-compatible storage. Files are written whole and never
// changed.
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { AwsClient } from 'aws4fetch'

export interface Place {
  /** The name of the place in messages. */
  name: string
  /** The names of all files that begin with the prefix, sorted. */
  list(prefix?: string): Promise<string[]>
  /** Resolves when the file is durable. Readers never see a part of it. */
  put(name: string, bytes: Buffer): Promise<void>
  get(name: string): Promise<Buffer>
  remove(name: string): Promise<void>
}

export interface S3 {
  url: string
  region: string
  accessKey: string
  secretKey: string
}

/** @param to a folder, or `s3://bucket/prefix` */
export function openPlace(to: string, s3?: S3 | undefined): Place {
  const [, bucket, prefix = ''] = /^s3:\/\/([^/]+)\/?(.*?)\/?$/.exec(to) ?? []
  if (!bucket) return folder(resolve(to))
  if (!s3) throw new Error(`${to} needs the settings of a storage.`)
  return objects(to, `${s3.url}/${bucket}`, prefix && `${prefix}/`, s3)
}

const UNFINISHED = '.unfinished'

function folder(path: string): Place {
  return {
    name: path,
    async list(prefix = '') {
      const top = join(path, dirname(`${prefix}.`)) // reads only folders that can have matching names
      const entries = await readdir(top, { recursive: true, withFileTypes: true }).catch(() => [])
      return entries
        .filter((entry) => entry.isFile() && !entry.name.endsWith(UNFINISHED))
        .map((entry) => relative(path, join(entry.parentPath, entry.name)))
        .filter((name) => name.startsWith(prefix))
        .sort()
    },
    async put(name, bytes) {
      const file = join(path, name)
      await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      await sync(`${file}${UNFINISHED}`, 'w', bytes)
      await rename(`${file}${UNFINISHED}`, file)
      await sync(dirname(file), 'r')
    },
    get: (name) => readFile(join(path, name)),
    remove: (name) => rm(join(path, name), { force: true }),
  }
}

async function sync(path: string, flags: string, bytes?: Buffer): Promise<void> {
  const file = await open(path, flags, 0o600)
  try {
    if (bytes) await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** The longest time of a request with its retries. Milliseconds. */
const PATIENCE = 300_000

function objects(name: string, url: string, prefix: string, s3: S3): Place {
  const { region, accessKey: accessKeyId, secretKey: secretAccessKey } = s3
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 4 })

  async function ask(method: string, path: string, body?: Buffer): Promise<Buffer> {
    const signal = AbortSignal.timeout(PATIENCE)
    const answer = await client.fetch(`${url}${path}`, { method, signal, ...(body && { body: new Uint8Array(body) }) })
    const bytes = Buffer.from(await answer.arrayBuffer())
    if (answer.ok) return bytes
    const [, code = answer.status] = /<Code>(\w{1,40})<\/Code>/.exec(bytes.toString()) ?? []
    throw new Error(`The storage of ${name} answered ${method} with ${code}.`)
  }

  return {
    name,
    async list(wanted = '') {
      const found: string[] = []
      for (let more = ''; ; ) {
        const query = `list-type=2&prefix=${encodeURIComponent(prefix + wanted)}${more}`
        const page = (await ask('GET', `?${query}`)).toString()
        found.push(...[...page.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key.slice(prefix.length)))
        const [, token] = /<NextContinuationToken>([^<]+)</.exec(page) ?? []
        if (!token) return found.sort()
        more = `&continuation-token=${encodeURIComponent(token)}`
      }
    },
    put: async (one, bytes) => {
      await ask('PUT', `/${prefix}${one}`, bytes)
    },
    get: (one) => ask('GET', `/${prefix}${one}`),
    remove: async (one) => {
      await ask('DELETE', `/${prefix}${one}`)
    },
  }
}
