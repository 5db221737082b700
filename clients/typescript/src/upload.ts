import type { components } from './generated/api.ts'
import { sleep, type TransportOptions } from './transport.ts'

/** Called with the number of bytes that were sent so far, the size of the file in bytes, and the id of its asset. */
export type Progress = (sent: number, total: number, assetId: string) => void
type Counted = (sent: number, total: number) => void

export type Parts = components['schemas']['UploadInParts']
type PutParts = {
  parts: Parts
  /** Asks which parts are missing, and for new URLs. */
  again: () => Promise<Parts>
  file: Blob
  progress: Progress | undefined
  uploadTo: (url: string) => string
} & Pick<TransportOptions, 'fetch' | 'retries'>

/** Sends the missing parts, one after the other. @throws Error if a part fails more than `retries` times in a row */
export async function putParts({
  parts: first,
  again,
  file,
  progress,
  uploadTo,
  fetch,
  retries,
}: PutParts): Promise<void> {
  let { parts } = first
  let failures = 0
  for (let next = parts.find(isMissing); next; next = parts.find(isMissing)) {
    const { number, size, uploadUrl, headers } = next
    const before = parts.reduce((sum, part) => (part.arrived ? sum + part.size : sum), 0)
    const from = (number - 1) * first.partSize
    const part = {
      url: uploadTo(uploadUrl ?? ''),
      headers: headers ?? {},
      file: file.slice(from, from + size),
      progress: (sent: number) => progress?.(before + sent, file.size, first.assetId),
    }
    try {
      await put(part, fetch)
      next.arrived = true
      failures = 0
    } catch (error) {
      if (failures++ >= retries) throw error
      await sleep(2 ** failures * 0.25)
      parts = (await again()).parts // the URL may have expired, or only the answer was lost
    }
  }
}

const isMissing = ({ arrived }: Parts['parts'][number]): boolean => !arrived

/** The PUT of a file, with the address and headers that the instance gave. */
type Put = { url: string; headers: Record<string, string>; file: Blob; progress: Counted | undefined }

/** Puts a file to the storage. @throws Error if the storage refuses it or can't be reached */
export const put = (upload: Put, send: typeof fetch): Promise<void> =>
  typeof XMLHttpRequest === 'undefined' ? putByFetch(upload, send) : putByRequest(upload)

/** For browsers and React Native, where fetch doesn't report how much has been sent. */
function putByRequest({ url, headers, file, progress }: Put): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('PUT', url)
    for (const [name, value] of Object.entries(headers)) {
      if (!/^(content-length|host)$/i.test(name)) request.setRequestHeader(name, value)
    }
    request.upload.onprogress = ({ loaded }) => progress?.(loaded, file.size)
    request.onload = () => (request.status < 300 ? resolve() : reject(refused(request.status)))
    request.onerror = () => reject(new Error('The storage could not be reached.'))
    request.send(file)
  })
}

async function putByFetch({ url, headers, file, progress }: Put, send: typeof fetch): Promise<void> {
  let sent = 0
  const counted = file.stream().pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        sent += chunk.length
        progress?.(sent, file.size)
        controller.enqueue(chunk)
      },
    }),
  )
  const all = new Headers(headers)
  all.set('content-length', `${file.size}`) // without it the body is sent in chunks, which the storage refuses
  const init = { method: 'PUT', headers: all, body: counted, duplex: 'half' }
  const response = await send(url, init as RequestInit)
  if (!response.ok) throw refused(response.status)
}

const refused = (status: number) => new Error(`The storage refused the file with the status ${status}.`)
