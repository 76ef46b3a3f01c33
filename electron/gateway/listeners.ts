import { isIP } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'
import { type DimseServer, openDimseServer } from './dimse/server.ts'
import { ownCertificate } from './http/certificate.ts'
import { type HttpServer, openHttpServer } from './http/server.ts'
import { listenError, StartError } from './start-error.ts'

export type HttpOptions = Parameters<typeof openHttpServer>[0]
type DimseOptions = Parameters<typeof openDimseServer>[0]

/** @throws StartError where the port cannot be had */
export const openHttp = (options: HttpOptions): Promise<HttpServer> => worded(openHttpServer(options), 'HTTP', '--http HOST:PORT', options)

/** The same calls by TLS, under the gateway's own certificate in the data folder. @throws StartError also where the certificate cannot be read */
export function openHttps({
  folder,
  nowMs,
  ...options
}: HttpOptions & { readonly folder: string; readonly nowMs: number }): Promise<HttpServer> {
  return worded(openHttpServer({ ...options, tls: certificateFor(folder, nowMs, namesOf(options)) }), 'HTTPS', '--https HOST:PORT', options)
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

/** All that this PC is reached by: a name that is set later is in the certificate of the next start. */
function namesOf({ publicUrl, allowedHosts }: Pick<HttpOptions, 'publicUrl' | 'allowedHosts'>): readonly string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((entries) =>
    (entries ?? []).map(({ address }) => address.replace(/%.*$/, '')),
  )
  const url = publicUrl()
  const given = [...(url === null ? [] : [new URL(url).hostname]), ...allowedHosts()].map((name) => name.replace(/^\[(.*)\]$/, '$1'))
  // What no certificate can hold would have a new one made at each start.
  const names = given.filter((name) => isIP(name) || /^\w[\w.-]*$/.test(name))
  return [...new Set(['localhost', hostname(), ...addresses, ...names])]
}

function certificateFor(folder: string, nowMs: number, names: readonly string[]): { readonly key: string; readonly cert: string } {
  try {
    return ownCertificate({ folder, names, nowMs })
  } catch (error) {
    throw new StartError(
      `The certificate in ${folder}/tls cannot be used (${(error as Error).message}). Move the files key.pem and cert.pem away to have new ones made.`,
      { cause: error },
    )
  }
}
