import { isIP } from 'node:net'
import type { Device } from '#shared/contract/devices.ts'

/** A device as it is called by the network. */
export interface DevicePeer {
  readonly aeTitle: string
  readonly host: string
  readonly port: number
  /** By TLS; `ca` (PEM): the certificate it has to show. */
  readonly tls?: { readonly ca?: string }
}

/** Where a device listens, or one sentence that says what is to be entered first. */
export function devicePeer({
  aeTitle,
  address,
  lastAddress,
  port,
  tls: rule,
  certificate,
}: Device): DevicePeer | string {
  if (port === null) return 'No port is entered for this device: enter the port that it listens at.'
  // A device may be known by a range of addresses, or by none: then it is where it last called
  // from.
  const host = address !== null && isIP(address) !== 0 ? address : lastAddress
  if (host === null)
    return 'The address of this device is not known: enter it, or let the device call once.'
  // What comes by TLS only is called so too.
  const tls = rule === 'optional' ? undefined : certificate === null ? {} : { ca: certificate }
  return { aeTitle, host, port, ...(tls && { tls }) }
}
