/** How many of how many bytes have been sent. */
export type Progress = (sent: number, total: number) => void

/** A PUT of a file, as the instance asked for it. */
type Put = { url: string; headers: Record<string, string>; file: Blob; progress: Progress | undefined }

/** Puts a file to the storage. @throws Error if the storage refuses it or can't be reached */
export const put = (upload: Put, send: typeof fetch): Promise<void> =>
  typeof XMLHttpRequest === 'undefined' ? putByFetch(upload, send) : putByRequest(upload)

/** Browsers and React Native: fetch there doesn't say how much has been sent. */
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
  all.set('content-length', `${file.size}`) // without it the storage would get chunks, which it refuses
  const init = { method: 'PUT', headers: all, body: counted, duplex: 'half' }
  const response = await send(url, init as RequestInit)
  if (!response.ok) throw refused(response.status)
}

const refused = (status: number) => new Error(`The storage refused the file with the status ${status}.`)
