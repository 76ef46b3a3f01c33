import { isIP } from 'node:net'
import type { Device } from '#shared/contract/devices.ts'
import { type Message, message } from '#shared/messages/message.ts'

/** A device as the peer of an outgoing association. */
export interface DevicePeer {
  readonly aeTitle: string
  readonly host: string
  readonly port: number
  /** TLS parameters; `ca` is the PEM certificate that the device must present. */
  readonly tls?: { readonly ca?: string }
}

/** The address of the device's listener, or a message about the missing setting. */
export function devicePeer({
  aeTitle,
  address,
  lastAddress,
  port,
  tls: rule,
  certificate,
}: Device): DevicePeer | Message {
  if (port === null) return message('devices.no-port')
  // If the device is configured with an address range or without an address, the address of its
  // last association is used.
  const host = address !== null && isIP(address) !== 0 ? address : lastAddress
  if (host === null) return message('devices.no-address')
  // A device that must use TLS is also contacted over TLS.
  const tls = rule === 'optional' ? undefined : certificate === null ? {} : { ca: certificate }
  return { aeTitle, host, port, ...(tls && { tls }) }
}
