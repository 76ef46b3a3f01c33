import type { Context } from '#server/context.ts'
import type { AssociationInfo } from '#server/dicom/dimse/service.ts'
import { DimseError } from '#server/dicom/dimse/status.ts'
import type { Peer } from '#server/dicom/upper-layer/connection.ts'
import { devicePeer } from '#server/modules/devices/device-peer.ts'
import { listDevices } from '#server/modules/devices/device-queries.ts'
import { recogniseDevice } from '#server/modules/devices/devices.ts'
import { listDestinations } from '#server/modules/forwarding/destination-queries.ts'
import { peerOf } from '#server/modules/forwarding/destinations.ts'
import { aeTitleKey } from '#shared/dicom-values.ts'
import { message } from '#shared/messages/message.ts'

/**
 * The address of the AE that a C-MOVE names: the caller itself, a destination, or another device
 * with a port. Those that are disabled are not known.
 * @throws DimseError A801 if there is none
 */
export function moveDestination(
  context: Context,
  aeTitle: string,
  { callingAeTitle, remoteAddress }: AssociationInfo,
): Peer {
  const matchesAeTitle = (other: { readonly aeTitle: string; readonly isEnabled: boolean }) =>
    other.isEnabled && aeTitleKey(other.aeTitle) === aeTitleKey(aeTitle)
  const { database } = context
  const caller = recogniseDevice(context, callingAeTitle, remoteAddress)
  const destination = listDestinations(database).find(matchesAeTitle)
  const devices = [...(caller ? [caller] : []), ...listDevices(database)].filter(matchesAeTitle)
  const peers = devices.map(devicePeer).filter((peer) => 'aeTitle' in peer)
  const [ofDevice] = peers
  if (caller && matchesAeTitle(caller) && ofDevice) return ofDevice
  if (destination) return peerOf(destination)
  if (ofDevice) return ofDevice
  throw new DimseError(0xa801, message('query-retrieve.unknown-destination'))
}
