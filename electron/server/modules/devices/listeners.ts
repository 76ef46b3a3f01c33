import type { Context } from '#server/context.ts'
import type { LanListener } from '#server/http/lan-listener.ts'
import type { HttpServer } from '#server/http/server.ts'
import { openApprovedHosts } from '#server/modules/users/workstations.ts'
import { AdmittedConnections } from '#server/platform/connection-budget.ts'
import type { Status } from '#shared/contract/dashboard.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import { isKnownDeviceHost } from './devices.ts'
import type { Dicom } from './dicom-services.ts'

/**
 * One budget for HTTP, HTTPS, DIMSE and DIMSE by TLS, in which this PC, devices of the list,
 * approved workstations and callers that proved who they are come first. A device that was entered
 * with a range of addresses is expected where it last called from, and not at every address of the
 * range.
 */
export function openAdmittedConnections(context: Context): AdmittedConnections {
  const isApproved = openApprovedHosts(context)
  return new AdmittedConnections((host) => isApproved(host) || isKnownDeviceHost(context, host))
}

/** Where the running gateway listens; `dimse` is empty in safe mode. */
export type ListenerAddresses = NonNullable<ReturnType<Listeners['addresses']>>

/** The gateway's own listeners, each as soon as it is up. */
export class Listeners {
  /** Of this PC. */
  http: HttpServer | undefined
  lan: LanListener | undefined
  /** Never in safe mode. */
  dicom: Dicom | undefined

  /** Base URL of the window on this PC. @throws ApiError unavailable */
  windowUrl(): string {
    if (this.http) return this.http.url
    throw starting()
  }

  /**
   * While the gateway starts, the listener of this PC answers already. @throws ApiError unavailable
   */
  lanListener(): LanListener {
    if (this.lan) return this.lan
    throw starting()
  }

  /** Where devices and the window find it; undefined until every listener was opened. */
  addresses({ isSafe }: Context) {
    const { http, dicom } = this
    return http && (dicom || isSafe)
      ? { http: http.url, dimse: dicom?.address ?? '', dimseTls: dicom?.tlsAddress }
      : undefined
  }

  states(): Status['listeners'] {
    const { http, lan, dicom } = this
    return [
      ...(dicom?.listeners() ?? []),
      ...(http
        ? [{ name: 'http', address: http.url, aeTitle: null, isUp: true, detail: null } as const]
        : []),
      ...lanStates(lan),
    ]
  }

  /** Port of the plain DICOM listener; undefined while it is down. */
  dicomPort(): number | undefined {
    return this.dicom && portOf(`tcp://${this.dicom.address}`)[0]
  }

  ports(): number[] {
    const { http, lan, dicom } = this
    return [
      http?.url,
      dicom && `tcp://${dicom.address}`,
      dicom?.tlsAddress && `tcp://${dicom.tlsAddress}`,
      lan?.url,
    ].flatMap(portOf)
  }
}

const starting = () => new ApiError('unavailable', message('devices.starting'))

/** None where the listener is off. */
function lanStates(lan: LanListener | undefined): Status['listeners'] {
  const state = lan?.state()
  if (!state?.isOn) return []
  return [
    {
      name: 'https',
      address: lan?.url ?? `${state.host}:${state.port}`,
      aeTitle: null,
      isUp: state.isUp,
      detail: state.isUp ? null : state.detail,
    },
  ]
}

function portOf(url: string | undefined): number[] {
  if (url === undefined) return []
  const { port, protocol } = new URL(url)
  return [Number(port || (protocol === 'https:' ? 443 : 80))]
}
