import type { CommandContext } from '#server/modules/control/command.ts'
import type { Dicom } from '#server/modules/devices/dicom-services.ts'
import type { Status } from '#shared/contract/dashboard.ts'
import { ApiError } from '#shared/errors.ts'
import type { LanListener } from './lan-listener.ts'
import type { HttpServer } from './server.ts'

/** The gateway's own listeners, each as soon as it is up. */
export interface Listening {
  /** Of this PC. */
  http?: HttpServer
  lan?: LanListener
  /** Never in safe mode. */
  dicom?: Dicom
}

/** Base URL of the window on this PC. @throws ApiError unavailable */
export function windowUrl({ http }: Listening): string {
  if (http) return http.url
  throw starting()
}

/**
 * While the gateway starts, the listener of this PC answers already. @throws ApiError unavailable
 */
export function lanOf({ lan }: Listening): LanListener {
  if (lan) return lan
  throw starting()
}

const starting = () =>
  new ApiError('unavailable', 'The gateway is starting: try again in a moment.')

/** Where devices and the window find it; undefined until every listener was opened. */
export const addressesOf = (
  { http, dicom }: Listening,
  isSafe: boolean,
): CommandContext['listening'] =>
  http && (dicom || isSafe)
    ? { http: http.url, dimse: dicom?.address ?? '', dimseTls: dicom?.tlsAddress }
    : undefined

export const listenersOf = ({ http, lan, dicom }: Listening): Status['listeners'] => [
  ...(dicom?.listeners() ?? []),
  ...(http
    ? [{ name: 'http', address: http.url, aeTitle: null, isUp: true, detail: '' } as const]
    : []),
  ...lanListeners(lan),
]

/** Told of where it is on. */
function lanListeners(lan: LanListener | undefined): Status['listeners'] {
  const state = lan?.state()
  if (!state?.isOn) return []
  return [
    {
      name: 'https',
      address: lan?.url ?? `${state.host}:${state.port}`,
      aeTitle: null,
      isUp: state.isUp,
      detail: state.isUp ? '' : state.detail,
    },
  ]
}

export const portsOf = ({ http, lan, dicom }: Listening): number[] =>
  [
    http?.url,
    dicom && `tcp://${dicom.address}`,
    dicom?.tlsAddress && `tcp://${dicom.tlsAddress}`,
    lan?.url,
  ].flatMap(portOf)

function portOf(url: string | undefined): number[] {
  if (url === undefined) return []
  const { port, protocol } = new URL(url)
  return [Number(port || (protocol === 'https:' ? 443 : 80))]
}
