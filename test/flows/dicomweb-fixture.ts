import type { Context } from '#server/context.ts'
import { createApiKey } from '#server/modules/api-keys/api-keys.ts'
import { type StartedGateway, type StartOptions, startGateway } from '../support/gateway.ts'

/** A response whose body is bytes. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
}

/** A gateway with DICOMweb, and a caller that may read and store. */
export interface WebArchive extends AsyncDisposable {
  readonly gateway: StartedGateway
  /** URL of the service. */
  readonly root: string
  readonly key: string
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>
  json(path: string): Promise<readonly JsonItem[]>
  store(files: readonly Buffer[], path?: string): Promise<Answer>
}

/** A data set of the DICOM JSON Model. */
export type JsonItem = Readonly<
  Record<
    string,
    {
      readonly vr: string
      readonly Value?: readonly unknown[]
      readonly InlineBinary?: string
      readonly BulkDataURI?: string
    }
  >
>

/** @param options `key`: of an earlier gateway with the same folder */
export async function openWebArchive(
  options: StartOptions & { readonly key?: string } = {},
): Promise<WebArchive> {
  let key = options.key ?? ''
  const gateway = await startGateway({
    partner: null,
    ...options,
    overrides: { 'dicomweb.isOn': true, ...options.overrides },
    prepare(context: Context) {
      const permissions = { description: 'PACS', isViewerEnabled: false, scope: 'all' } as const
      const rights = { ...permissions, dicomweb: 'read-and-store' } as const
      key = createApiKey(context, rights, 'command-line').key
    },
  })
  const root = `${gateway.http}/dicom-web`
  const authorization = `Bearer ${key}`
  const answered = async (url: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(url, init)
    const { status, headers } = response
    return { status, headers, bytes: Buffer.from(await response.arrayBuffer()) }
  }
  const get: WebArchive['get'] = (path, headers = {}) =>
    answered(path.startsWith('http') ? path : root + path, {
      headers: { authorization, ...headers },
    })
  return {
    ...{ gateway, root, key, get },
    async json(path) {
      const { status, bytes } = await get(path, { accept: 'application/dicom+json' })
      if (status === 204) return []
      if (status !== 200) throw new Error(`${path}: ${status} ${bytes}`)
      return JSON.parse(bytes.toString())
    },
    store: (files, path = '/studies') =>
      answered(root + path, {
        method: 'POST',
        headers: { authorization, 'content-type': UPLOAD_TYPE },
        body: new Uint8Array(uploadOf(files)),
      }),
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  }
}

const BOUNDARY = 'boundary-of-the-test'
export const UPLOAD_TYPE = `multipart/related; type="application/dicom"; boundary=${BOUNDARY}`

/** A body of DICOM files (RFC 2387). */
export const uploadOf = (files: readonly Buffer[]): Buffer =>
  Buffer.concat([
    ...files.flatMap((file) => [
      Buffer.from(`--${BOUNDARY}\r\nContent-Type: application/dicom\r\n\r\n`),
      file,
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${BOUNDARY}--\r\n`),
  ])

export interface Part {
  readonly type: string
  readonly content: Buffer
}

/** The parts of a multipart response (RFC 2046 §5.1). */
export function partsIn({ headers, bytes }: Answer): Part[] {
  const contentType = headers.get('content-type') ?? ''
  const boundary = /boundary=([^;]+)/.exec(contentType)?.[1]
  if (boundary === undefined) throw new Error(`not multipart: ${contentType}`)
  const parts: Part[] = []
  for (let at = bytes.indexOf(`--${boundary}`); ; ) {
    const start = bytes.indexOf('\r\n\r\n', at)
    const end = bytes.indexOf(`\r\n--${boundary}`, at + 1)
    if (start < 0 || end < 0) return parts
    const header = bytes.toString('latin1', at, start)
    const type = /^content-type: *(.*)$/im.exec(header)?.[1] ?? ''
    parts.push({ type: type.trim(), content: bytes.subarray(start + 4, end) })
    at = end + 2
  }
}

/** The data set of a file (PS3.10 §7.1), after its meta information. */
export const dataSetIn = (file: Buffer): Buffer => file.subarray(144 + file.readUInt32LE(140))
