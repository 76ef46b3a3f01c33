import { X509Certificate } from 'node:crypto'
import { type Actor, differences, note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/database.ts'
import type { Peer } from '#server/dicom/scu/requestor.ts'
import {
  countHeldOnlyBy,
  requestConfirmations,
  unmarkMoved,
  withdrawConfirmations,
} from '#server/modules/images/instance-copy-queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { DestinationPatch, NewDestination } from '#shared/contract/destinations.ts'
import { aeTitleKey } from '#shared/dicom-values.ts'
import { ApiError } from '#shared/errors.ts'
import { type Message, message } from '#shared/messages/message.ts'
import * as queries from './destination-queries.ts'
import { countForwardsTo } from './forward-queries.ts'

// The DICOM nodes to which images are sent and from which priors are retrieved. Every change is
// audited.

/**
 * Finds a destination.
 * @throws ApiError not-found
 */
export function requireDestination(database: Database, destinationId: string) {
  const destination = queries.findDestination(database, destinationId)
  if (!destination) throw new ApiError('not-found', message('destinations.none-such'))
  return destination
}

/**
 * Adds a destination.
 * @throws ApiError refused if another destination has this name or is the same node; malformed if
 *   the certificate is invalid
 */
export const addDestination = (context: Context, destination: NewDestination, actor: Actor) =>
  context.database.transaction(() => {
    const { database, clock, uuid } = context
    const now = instantOf(clock())
    const added = {
      destinationId: uuid(),
      ...destination,
      ...{ createdAt: now, updatedAt: now, lastError: null, lastSentAt: null },
    }
    check(context, added)
    queries.insertDestination(database, added)
    note(context, actor, 'destination.add', added.destinationId, settingsOf(added))
    return added
  })

/**
 * Updates a destination.
 * @throws ApiError as `addDestination`; not-found
 */
export const updateDestination = (
  context: Context,
  destinationId: string,
  patch: DestinationPatch,
  actor: Actor,
) =>
  context.database.transaction(() => {
    const { database, clock } = context
    const before = requireDestination(database, destinationId)
    const after = { ...before, ...given(patch) }
    check(context, after)
    const detail = differences(settingsOf(before), settingsOf(after))
    if (Object.keys(detail).length === 0) return before
    const changed = { ...after, updatedAt: instantOf(clock()) }
    queries.updateDestination(database, changed)
    // What the earlier node confirmed says nothing about this one.
    const isOtherNode = nodeKeyOf(before) !== nodeKeyOf(changed)
    if (isOtherNode) withdrawConfirmations(database, destinationId, changed.updatedAt)
    if (isConfirmationRequired(changed) && (isOtherNode || !isConfirmationRequired(before)))
      requestConfirmations(database, destinationId, changed.updatedAt)
    note(context, actor, 'destination.update', destinationId, detail)
    return changed
  })

/**
 * Deletes a destination.
 * @throws ApiError not-found; refused if instances are waiting for it or have failed
 */
export const removeDestination = (context: Context, destinationId: string, actor: Actor) =>
  context.database.transaction(() => {
    const { database } = context
    const destination = requireDestination(database, destinationId)
    const { waiting, failed } = countForwardsTo(database, destinationId)
    if (waiting + failed > 0)
      throw new ApiError(
        'refused',
        message('destinations.images-here', { name: destination.name, waiting, failed }),
      )
    const held = countHeldOnlyBy(database, destinationId)
    if (held > 0)
      throw new ApiError(
        'refused',
        message('destinations.holds-images', { name: destination.name, count: held }),
      )
    queries.deleteDestination(database, destinationId)
    unmarkMoved(database, destinationId)
    note(context, actor, 'destination.remove', destinationId, settingsOf(destination))
  })

function check(context: Context, destination: queries.DestinationRecord): void {
  const others = queries
    .listDestinations(context.database)
    .filter((other) => other.destinationId !== destination.destinationId)
  if (others.some((other) => folded(other.name) === folded(destination.name)))
    throw refused(
      'name',
      message('destinations.name-taken', { name: destination.name }),
      message('destinations.must-differ'),
    )
  // A node that is configured twice would receive everything twice.
  const duplicate = others.find((other) => nodeKeyOf(other) === nodeKeyOf(destination))
  if (duplicate)
    throw refused(
      'aeTitle',
      message('destinations.same-node', { name: duplicate.name }),
      message('destinations.must-differ-from', { name: duplicate.name }),
    )
  if (isThisGateway(context, destination))
    throw refused(
      'host',
      message('destinations.is-the-gateway'),
      message('destinations.must-be-another-node'),
    )
  if (destination.certificate !== null && !isCertificate(destination.certificate))
    throw new ApiError('malformed', message('destinations.certificate-unreadable'), {
      errors: [{ path: 'body.certificate', message: message('values.pem') }],
    })
}

/** Whether the gateway requests storage commitment from the destination. */
export const isConfirmationRequired = ({ confirmsStorage, isEnabled }: queries.DestinationRecord) =>
  confirmsStorage && isEnabled

const isThisGateway = ({ settings }: Context, { host, port, aeTitle }: queries.DestinationRecord) =>
  LOOPBACK_HOST.test(host) &&
  port === settings.get('dimse.port') &&
  aeTitleKey(aeTitle) === aeTitleKey(settings.get('dimse.aeTitle'))

const LOOPBACK_HOST = /^(localhost|127(\.\d+){3}|::1)$/i
const folded = (text: string) => text.trim().toUpperCase()
export const nodeKeyOf = ({ aeTitle, host, port }: queries.DestinationRecord) =>
  `${aeTitleKey(aeTitle)} ${folded(host)} ${port}`

const refused = (field: keyof NewDestination, explanation: Message, atField: Message) =>
  new ApiError('refused', explanation, { errors: [{ path: `body.${field}`, message: atField }] })

function isCertificate(pem: string): boolean {
  try {
    new X509Certificate(pem)
    return true
  } catch {
    return false
  }
}

/** The fields of a patch that have a value. */
const given = (patch: DestinationPatch) =>
  Object.fromEntries(
    Object.entries(patch).filter(([, value]) => value !== undefined),
  ) as Partial<NewDestination>

function settingsOf(destination: queries.DestinationRecord): NewDestination {
  const {
    destinationId: _,
    createdAt: __,
    updatedAt: ___,
    lastError: ____,
    lastSentAt: _____,
    ...settings
  } = destination
  return settings
}

/** The network peer of a destination. */
export const peerOf = ({
  host,
  port,
  aeTitle,
  isTls,
  certificate,
}: queries.DestinationRecord): Peer => ({
  host,
  port,
  aeTitle,
  ...(isTls && { tls: certificate === null ? {} : { ca: certificate } }),
})
