import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Parts } from '#server/parts.ts'
import {
  type AdmittedConnections,
  MOST_CONNECTIONS,
  openAdmittedConnections,
} from '#server/platform/connection-budget.ts'
import type { Certificates } from './certificates.ts'
import { type ExpectedHosts, openExpectedHosts } from './expected-hosts.ts'
import { openLanListener } from './lan-listener.ts'
import type { Listening } from './listener-status.ts'
import { type HttpOptions, openHttp, openHttps } from './listeners.ts'

export interface HttpListenersOptions
  extends Pick<
    HttpOptions,
    | 'log'
    | 'pageFolder'
    | 'sessions'
    | 'approvedWorkstation'
    | 'partners'
    | 'views'
    | 'noteAnswer'
    | 'register'
  > {
  /** Where the one for the LAN is, for this run; undefined: as the settings say. */
  readonly https: { readonly host: string; readonly port: number } | undefined
  readonly certificates: Certificates
  readonly admission: Admission
  readonly isSafe: boolean
  readonly onError: (error: unknown) => void
}

/** Whose connections come first, and the connections of all listeners. */
export interface Admission {
  readonly expectedHosts: ExpectedHosts
  readonly admitted: AdmittedConnections
}

/**
 * One budget for HTTP, HTTPS, DIMSE and DIMSE by TLS, in which this PC, devices of the list,
 * approved workstations and callers that proved who they are come first. A device that was entered
 * with a range of addresses is expected where it last called from, and not at every address of the
 * range.
 */
export function openAdmission(parts: Parts, isApprovedHost: (host: string) => boolean): Admission {
  const expectedHosts = openExpectedHosts(isApprovedHost)
  const isExpected = (host: string) =>
    expectedHosts.has(host) || parts.devices.isKnownDeviceHost(host)
  return {
    expectedHosts,
    admitted: openAdmittedConnections({ most: MOST_CONNECTIONS, isExpected }),
  }
}

/**
 * Opens the listener of this PC and the one for the LAN, which serve the same calls, and notes each
 * where it is up.
 * @throws StartError where a port cannot be had
 */
export async function openHttpListeners(
  parts: Parts,
  up: Listening,
  options: HttpListenersOptions,
): Promise<AsyncDisposable> {
  const { https, certificates, admission, isSafe, onError, ...served } = options
  const { settings } = parts
  await using opened = new AsyncDisposableStack()
  const shared: Omit<HttpOptions, 'host' | 'port'> = {
    ...served,
    uuid: randomUUID,
    allowedHosts: () => settings.get('http.allowedHosts'),
    publicUrl: () => settings.get('http.publicUrl'),
    ...admission,
  }
  up.http = opened.use(
    await openHttp({ ...shared, host: settings.get('http.host'), port: settings.get('http.port') }),
  )
  const hosts = () => [...settings.get('http.allowedHosts'), hostname()]
  const hint = https ? undefined : 'https.port (Settings, Access from other PCs)'
  up.lan = opened.use(
    await openLanListener({
      ...{ settings, certificates, override: isSafe ? undefined : https, onError },
      open: (at) => openHttps({ ...shared, ...at, allowedHosts: hosts }, certificates, hint),
    }),
  )
  const { http, lan } = up
  opened.move()
  return {
    // At the same time: each may wait some seconds for calls under way.
    async [Symbol.asyncDispose]() {
      await Promise.all([http[Symbol.asyncDispose](), lan[Symbol.asyncDispose]()])
    },
  }
}
