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
 * One connection limit for HTTP, HTTPS, DIMSE and DIMSE over TLS, which gives priority to this PC,
 * known devices, approved workstations and authenticated callers. A device with an address range
 * has priority only at the address of its last association.
 */
export function openAdmittedConnections(context: Context): AdmittedConnections {
  const isApproved = openApprovedHosts(context)
  return new AdmittedConnections((host) => isApproved(host) || isKnownDeviceHost(context, host))
}

/** Addresses of the running gateway; `dimse` is empty in safe mode, `http` in the sandbox. */
export type ListenerAddresses = NonNullable<ReturnType<Listeners['addresses']>>

/** The listeners of the gateway; each is set when it is up. */
export class Listeners {
  /** The listener for this PC. */
  http: HttpServer | undefined
  lan: LanListener | undefined
  /** Not set in safe mode. */
  dicom: Dicom | undefined

  /**
   * Base URL of the window on this PC.
   * @throws ApiError unavailable while the gateway is starting
   */
  windowUrl(): string {
    if (this.http) return this.http.url
    throw notStartedError()
  }

  /**
   * The HTTPS listener for the network.
   * @throws ApiError unavailable while the gateway is starting
   */
  lanListener(): LanListener {
    if (this.lan) return this.lan
    throw notStartedError()
  }

  /** Addresses for devices and the window; `undefined` until every listener is open. */
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
      ...(http?.url
        ? [{ name: 'http', address: http.url, aeTitle: null, isUp: true, detail: null } as const]
        : []),
      ...lanStates(lan),
    ]
  }

  /** Port of the plain DICOM listener; `undefined` while it is down. */
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

const notStartedError = () => new ApiError('unavailable', message('devices.starting'))

/** Empty if the listener is off. */
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
  if (url === undefined || url === '') return []
  const { port, protocol } = new URL(url)
  return [Number(port || (protocol === 'https:' ? 443 : 80))]
}
