import { isIP } from 'node:net'
import type { Device } from '#shared/contract/devices.ts'
import { type Message, message } from '#shared/messages/message.ts'

/** A device as it is called by the network. */
export interface DevicePeer {
  readonly aeTitle: string
  readonly host: string
  readonly port: number
  /** By TLS; `ca` (PEM): the certificate it has to show. */
  readonly tls?: { readonly ca?: string }
}

/** Where a device listens, or what is to be entered first. */
export function devicePeer({
  aeTitle,
  address,
  lastAddress,
  port,
  tls: rule,
  certificate,
}: Device): DevicePeer | Message {
  if (port === null) return message('devices.no-port')
  // A device may be known by a range of addresses, or by none: then it is where it last called
  // from.
  const host = address !== null && isIP(address) !== 0 ? address : lastAddress
  if (host === null) return message('devices.no-address')
  // What comes by TLS only is called so too.
  const tls = rule === 'optional' ? undefined : certificate === null ? {} : { ca: certificate }
  return { aeTitle, host, port, ...(tls && { tls }) }
}
