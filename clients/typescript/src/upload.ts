/** Called with the number of bytes sent so far, and the number of all bytes. */
export type Progress = (sent: number, total: number) => void

/** The PUT of a file, with the address and headers that the instance gave. */
type Put = { url: string; headers: Record<string, string>; file: Blob; progress: Progress | undefined }

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
