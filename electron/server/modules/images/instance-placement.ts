import type { Database } from '#server/database/database.ts'
import type { Structure } from '#server/dicom/data-set/structure.ts'
import type { AssociationInfo } from '#server/dicom/dimse/service.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { type InstanceHeader, uidFault } from './header.ts'
import { findCurrentVersion } from './image-version-queries.ts'
import {
  type ContentChange,
  findCurrentInstance,
  findWithdrawnInstance,
  type InstanceRecord,
  type InstanceState,
  listInstanceVersions,
  type QuarantineReason,
} from './instance-queries.ts'
import type { WrongSteps } from './wrong-steps.ts'

/** The source of an instance. */
export interface Source {
  readonly association: AssociationInfo
  readonly deviceName: string
  /** Whether it is the result of a C-MOVE to this gateway: a prior, which is not to be read. */
  readonly isFetched: boolean
}

/** An instance whose file is complete, but that has no row yet. */
export interface Arrival extends Source {
  readonly header: InstanceHeader
  readonly structure: Structure
  /**
   * How it differs from the current instance with its UID; `undefined` if there is none or they
   * were not compared.
   */
  readonly change?: ContentChange | undefined
  /** SOP Instance UIDs of the images of which it is a corrected copy (`originalsIn`). */
  readonly originals: readonly string[]
  readonly transferSyntaxUid: string
  readonly file: string
  readonly dataSetOffset: number
  readonly bytes: number
  readonly crc32: number
}

/** What happens to a received instance: whether it becomes current or is quarantined. */
export interface Placement {
  readonly state: InstanceState
  readonly reason: QuarantineReason | null
  readonly detail: Message | null
  /** The current instance that it replaces. */
  readonly replaces: InstanceRecord | undefined
}

type PlacedArrival = Pick<Arrival, 'header' | 'structure' | 'association' | 'originals'>

export function placementOf(
  database: Database,
  wrongSteps: WrongSteps,
  { header, structure, association, originals }: PlacedArrival,
): Placement {
  const fault = uidFault(header)
  if (!structure.isComplete) return quarantined('incomplete', structure.detail)
  if (fault) return quarantined('invalid-uid', fault)
  if (header.isCut) return quarantined('long-header', message('images.long-header'))
  const { studyInstanceUid, sopInstanceUid, performedStepUid, study } = header
  const stepFault = wrongSteps.faultOf(
    studyInstanceUid,
    study.scheduledProcedureStepId,
    performedStepUid,
  )
  if (stepFault) return quarantined('wrong-step', stepFault)
  const current = findCurrentInstance(database, sopInstanceUid)
  if (!current && findWithdrawnInstance(database, sopInstanceUid))
    return quarantined('different-content', message('images.corrected-here'))
  if (!current && findCurrentVersion(database, sopInstanceUid, originals))
    return quarantined('different-content', message('images.unrecorded-correction'))
  const other = current && replacementFault(current, header, association)
  if (other) return quarantined('different-content', other)
  return { state: 'current', reason: null, detail: structure.detail, replaces: current }
}

const quarantined = (reason: QuarantineReason, detail: Message | null): Placement => ({
  state: 'quarantined',
  reason,
  detail,
  replaces: undefined,
})

export const isInOtherSeries = (current: InstanceRecord, header: InstanceHeader): boolean =>
  current.studyInstanceUid !== header.studyInstanceUid ||
  current.seriesInstanceUid !== header.seriesInstanceUid

/**
 * Why different content must not replace the current instance: its source, study or series differs.
 * Null if it may.
 */
function replacementFault(
  current: InstanceRecord,
  header: InstanceHeader,
  { callingAeTitle }: AssociationInfo,
): Message | null {
  if (current.studyInstanceUid !== header.studyInstanceUid) return message('images.other-study')
  if (current.seriesInstanceUid !== header.seriesInstanceUid) return message('images.other-series')
  if (current.callingAeTitle.toUpperCase() === callingAeTitle.toUpperCase()) return null
  return message('images.other-source', { aeTitle: current.callingAeTitle })
}

/**
 * Current and quarantined instances of the UID whose data set has the same length and CRC-32, and
 * may therefore be identical.
 */
export function listIdenticalInstances(
  database: Database,
  sopInstanceUid: string,
  dataSetBytes: number,
  crc32: number,
): InstanceRecord[] {
  const versions = listInstanceVersions(database, sopInstanceUid)
  if (versions.length === 0) return []
  const withdrawnId = findWithdrawnInstance(database, sopInstanceUid)?.instanceId
  return versions.filter(
    (version) =>
      (version.state !== 'superseded' || version.instanceId === withdrawnId) &&
      version.bytes - version.dataSetOffset === dataSetBytes &&
      version.crc32 === crc32,
  )
}

/**
 * The current instance whose file was removed from this PC, if the arrival was retrieved to replace
 * that file. An archive may return it in another transfer syntax.
 */
export function findRemovedInstance(
  database: Database,
  { header, structure, isFetched }: Arrival,
): InstanceRecord | undefined {
  if (!isFetched || !structure.isComplete) return undefined
  const current = findCurrentInstance(database, header.sopInstanceUid)
  if (!current || current.localRemovedAt === null || isInOtherSeries(current, header))
    return undefined
  return current
}
