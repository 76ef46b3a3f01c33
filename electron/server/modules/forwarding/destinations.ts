import { X509Certificate } from 'node:crypto'
import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/database.ts'
import type { Peer } from '#server/dicom/scu/requestor.ts'
import { type Actor, differences, note } from '#server/modules/audit/audit.ts'
import type { Settings } from '#server/modules/settings/settings.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { DestinationPatch, NewDestination } from '#shared/contract/destinations.ts'
import { ApiError } from '#shared/errors.ts'
import * as queries from './destination-queries.ts'
import { countForwardsTo } from './forward-queries.ts'

// The DICOM nodes images are sent to and priors come from. Every change is in the audit trail.

type Setting = Settings['get']

/** @throws ApiError not-found */
export function existingDestination(database: Database, destinationId: string) {
  const destination = queries.findDestination(database, destinationId)
  if (!destination) throw new ApiError('not-found', 'There is no such destination.')
  return destination
}

/**
 * @throws ApiError refused: another one has that name, or is the same node; malformed: no such
 *   certificate
 */
export const addDestination = (
  context: Context,
  setting: Setting,
  destination: NewDestination,
  actor: Actor,
) =>
  context.database.transaction(() => {
    const { database, clock, uuid } = context
    const now = instantOf(clock())
    const added = {
      destinationId: uuid(),
      ...destination,
      ...{ createdAt: now, updatedAt: now, lastError: '', lastSentAt: null },
    }
    check(database, setting, added)
    queries.insertDestination(database, added)
    note(context, actor, 'destination.add', added.destinationId, settingsOf(added))
    return added
  })

/** @throws ApiError not-found, or as `addDestination` */
export const updateDestination = (
  context: Context,
  setting: Setting,
  destinationId: string,
  patch: DestinationPatch,
  actor: Actor,
) =>
  context.database.transaction(() => {
    const { database, clock } = context
    const before = existingDestination(database, destinationId)
    const after = { ...before, ...given(patch) }
    check(database, setting, after)
    const detail = differences(settingsOf(before), settingsOf(after))
    if (Object.keys(detail).length === 0) return before
    const changed = { ...after, updatedAt: instantOf(clock()) }
    queries.updateDestination(database, changed)
    note(context, actor, 'destination.update', destinationId, detail)
    return changed
  })

/** @throws ApiError not-found; refused: something waits for it, or failed */
export const removeDestination = (context: Context, destinationId: string, actor: Actor) =>
  context.database.transaction(() => {
    const { database } = context
    const destination = existingDestination(database, destinationId)
    const { waiting, failed } = countForwardsTo(database, destinationId)
    if (waiting + failed > 0)
      throw new ApiError(
        'refused',
        `Images for ${destination.name} are here still, ${waiting} waiting and ${failed} not taken: send them, or give them up first.`,
      )
    queries.deleteDestination(database, destinationId)
    note(context, actor, 'destination.remove', destinationId, settingsOf(destination))
  })

function check(database: Database, setting: Setting, destination: queries.DestinationRecord): void {
  const others = queries
    .listDestinations(database)
    .filter((other) => other.destinationId !== destination.destinationId)
  if (others.some((other) => folded(other.name) === folded(destination.name)))
    throw refused(
      'name',
      `Another destination is called ${destination.name} already.`,
      'must differ from that of every other destination',
    )
  // The same node twice would be sent everything twice.
  const twin = others.find((other) => nodeOf(other) === nodeOf(destination))
  if (twin)
    throw refused(
      'aeTitle',
      `${twin.name} is this node already.`,
      `must differ from that of ${twin.name}, or have another host or port`,
    )
  if (isOurselves(destination, setting))
    throw refused(
      'host',
      'This is the gateway itself: it cannot send images to itself.',
      'must be that of another node',
    )
  if (destination.certificate !== null && !isCertificate(destination.certificate))
    throw new ApiError('malformed', 'The certificate cannot be read.', {
      errors: [{ path: 'body.certificate', message: 'must be a certificate in PEM form' }],
    })
}

const isOurselves = ({ host, port, aeTitle }: queries.DestinationRecord, setting: Setting) =>
  LOOPBACK.test(host) &&
  port === setting('dimse.port') &&
  folded(aeTitle) === folded(setting('dimse.aeTitle'))

const LOOPBACK = /^(localhost|127(\.\d+){3}|::1)$/i
const folded = (text: string) => text.trim().toUpperCase()
const nodeOf = ({ aeTitle, host, port }: queries.DestinationRecord) =>
  `${folded(aeTitle)} ${folded(host)} ${port}`

const refused = (field: keyof NewDestination, text: string, message: string) =>
  new ApiError('refused', text, { errors: [{ path: `body.${field}`, message }] })

function isCertificate(pem: string): boolean {
  try {
    new X509Certificate(pem)
    return true
  } catch {
    return false
  }
}

/** The fields that a patch has a value for. */
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

/** A destination as the network calls it. */
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
