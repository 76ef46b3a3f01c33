import type { DimseServer } from '#server/dicom/upper-layer/server.ts'
import type { Message } from '#shared/messages/message.ts'
import { explanationOf } from '#shared/messages/message-error.ts'
import type { Certificates } from './certificates.ts'
import type { HttpServer, ListenerAddress } from './server.ts'
import { listenError } from './start-error.ts'

/** @throws StartError if the port is unavailable */
export const openHttp = (
  place: ListenerAddress,
  open: (place: ListenerAddress) => Promise<HttpServer>,
): Promise<HttpServer> => explainListenError(open(place), 'HTTP', '--http HOST:PORT', place)

/** @throws StartError if the port is unavailable */
export const listenPlain = (server: DimseServer, host: string, port: number): Promise<number> =>
  explainListenError(server.listen(host, port), 'DIMSE', '--dimse HOST:PORT', { host, port })

/**
 * Waits for a listener to open. @throws StartError explaining why the port is unavailable
 * @param option the command line option that changes the port
 */
export async function explainListenError<T>(
  opening: Promise<T>,
  name: string,
  option: string,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<T> {
  return opening.catch(async (error: NodeJS.ErrnoException) => {
    throw await listenError(error, { name, option, host, port })
  })
}

/** The state of an optional listener. */
export interface ListenerState {
  readonly port: number | undefined
  /** Why it is not listening; null if it is. */
  readonly detail: Message | null
}

/**
 * Opens the DICOM TLS listener beside the plain one. An unavailable port is returned rather than
 * thrown, so that devices of the plain listener are still served.
 */
export async function listenWithTls(
  server: DimseServer,
  at: { readonly host: string; readonly port: number; readonly ca: string | null },
  certificates: Certificates,
): Promise<ListenerState> {
  const { host, port, ca } = at
  try {
    const files = certificates.of('dicom-tls')
    const listener = await explainListenError(
      server.listenByTls(host, port, { ...files, ca: ca ?? undefined }),
      'DICOM TLS',
      '--dimse-tls PORT',
      at,
    )
    certificates.use('dicom-tls', files, (next) => listener.setCertificate(next))
    return { port: listener.port, detail: null }
  } catch (error) {
    return { port: undefined, detail: explanationOf(error) }
  }
}
