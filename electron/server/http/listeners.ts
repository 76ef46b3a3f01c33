import { type DimseServer, openDimseServer } from '#server/dicom/upper-layer/server.ts'
import type { Certificates } from './certificates.ts'
import { type HttpServer, openHttpServer } from './server.ts'
import { listenError } from './start-error.ts'

export type HttpOptions = Parameters<typeof openHttpServer>[0]
type DimseOptions = Parameters<typeof openDimseServer>[0]

/** @throws StartError where the port cannot be had */
export const openHttp = (options: HttpOptions): Promise<HttpServer> =>
  worded(openHttpServer(options), 'HTTP', '--http HOST:PORT', options)

/**
 * The same calls by TLS, under the gateway's own certificate. @throws StartError also where the
 * certificate cannot be read
 */
export async function openHttps(
  options: HttpOptions,
  certificates: Pick<Certificates, 'of' | 'use'>,
  option = '--https HOST:PORT',
): Promise<HttpServer> {
  const tls = certificates.of('https')
  const server = await worded(openHttpServer({ ...options, tls }), 'HTTPS', option, options)
  certificates.use('https', tls, (files) => server.setCertificate(files))
  return server
}

/** @throws StartError where the port cannot be had */
export const openDimse = (options: DimseOptions): Promise<DimseServer> =>
  worded(openDimseServer(options), 'DIMSE', '--dimse HOST:PORT', options)

async function worded<T>(
  opening: Promise<T>,
  name: string,
  option: string,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<T> {
  return opening.catch(async (error: NodeJS.ErrnoException) => {
    throw await listenError(error, { name, option, host, port })
  })
}

/** The state of a listener that the gateway can do without. */
export interface ListenerState {
  readonly port: number | undefined
  /** Why it is down; empty where it is up. */
  readonly detail: string
}

/**
 * DICOM by TLS beside the plain listener. A port that cannot be had keeps no device of the plain
 * one from its work: it is told, not thrown.
 */
export async function listenByTls(
  server: DimseServer,
  at: { readonly host: string; readonly port: number; readonly ca: string | null },
  certificates: Certificates,
): Promise<ListenerState> {
  const { host, port, ca } = at
  try {
    const files = certificates.of('dicom-tls')
    const listener = await worded(
      server.listenByTls({ host, port, ...files, ...(ca !== null && { ca }) }),
      'DICOM TLS',
      '--dimse-tls PORT',
      at,
    )
    certificates.use('dicom-tls', files, (next) => listener.setCertificate(next))
    return { port: listener.port, detail: '' }
  } catch (error) {
    return { port: undefined, detail: (error as Error).message }
  }
}
