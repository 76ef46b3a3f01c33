import type { CommitmentRecord } from '#server/modules/commitment/commitment-queries.ts'
import type { PerformedStepRecord } from '#server/modules/procedure-steps/performed-step-queries.ts'
import type { StudyRecord } from '#server/modules/studies/study-queries.ts'
import type {
  Commitment,
  ImageSeries,
  ImageStudy,
  ImageStudySummary,
  ImageVersion,
  PerformedStep,
  QuarantinedInstance,
  QuarantineGroup,
  StudyIdentity,
} from '#shared/contract/images.ts'
import type { StudyId } from '#shared/ids.ts'
import type { ImageSeriesRecord, ImageStudyRecord } from './image-study-queries.ts'
import type { InstanceRecord, QuarantineGroupRecord, QuarantineReason } from './instance-queries.ts'

/**
 * What the window is told of a study with images; `rows` are the studies of the interface that show
 * them.
 */
export function summaryView(
  record: ImageStudyRecord,
  rows: readonly StudyRecord[],
  { identity, isUnscheduled }: Pick<StudyParts, 'identity' | 'isUnscheduled'>,
): ImageStudySummary {
  const { studyInstanceUid, header, transfer, enrichment } = record
  const {
    patientName,
    patientId,
    patientBirthDate,
    patientSex,
    accessionNumber,
    studyDescription,
    studyDate,
    studyTime,
  } = header
  const { series, instances, bytes, expected, missing, quarantined, deviceName, callingAeTitle } =
    record
  return {
    ...{ studyInstanceUid, patientName, patientId, patientBirthDate, patientSex, accessionNumber },
    ...{ studyDescription, studyDate, studyTime, modalities: [...record.modalities] },
    ...{ series, instances, bytes, expected, missing, quarantined },
    state: stateOf(record),
    lastTransfer: transfer,
    ...{
      deviceName,
      callingAeTitle,
      firstInstanceAt: record.createdAt,
      lastInstanceAt: record.lastInstanceAt,
    },
    identity: identity.state,
    isUnscheduled,
    studies: rows.map(({ area, studyId, createdByApiKeyId, createdByUserId }) => ({
      area,
      studyId: studyId as StudyId,
      isSeeded: createdByApiKeyId === null && createdByUserId === null,
    })),
    enrichment,
  }
}

/** As `IMAGE_STATES` says; a transfer that broke off may lack images that nothing has announced. */
function stateOf({
  state,
  missing,
  transfer,
}: Pick<ImageStudyRecord, 'state' | 'missing' | 'transfer'>): ImageStudySummary['state'] {
  if (state === 'receiving') return 'receiving'
  return missing > 0 || transfer.how === 'aborted' ? 'incomplete' : 'complete'
}

export interface StudyParts {
  readonly series: readonly ImageSeriesRecord[]
  readonly expectedBySeries: ReadonlyMap<string, number>
  readonly performedSteps: readonly PerformedStepRecord[]
  readonly commitments: readonly CommitmentRecord[]
  /** Of instances that have several; none is quarantined. */
  readonly versions: readonly InstanceRecord[]
  readonly unreviewedVersions: number
  readonly identity: StudyIdentity
  readonly isUnscheduled: boolean
}

/** The summary of a study with what belongs to it. */
export function studyView(
  record: ImageStudyRecord,
  rows: readonly StudyRecord[],
  parts: StudyParts,
): ImageStudy {
  return {
    ...summaryView(record, rows, parts),
    seriesList: seriesViews(parts),
    identityCheck: parts.identity,
    linkedOrder: linkedOrderOf(record),
    performedSteps: parts.performedSteps.map((step) =>
      performedStepView(step, record.studyInstanceUid),
    ),
    commitments: parts.commitments.map(commitmentView),
    versions: parts.versions.map(versionView),
    unreviewedVersions: parts.unreviewedVersions,
  }
}

function linkedOrderOf({ handedOut }: ImageStudyRecord): ImageStudy['linkedOrder'] {
  if (handedOut?.linkedBy === undefined) return null
  const { accessionNumber, description, at, linkedBy } = handedOut
  return { accessionNumber, description, at, by: linkedBy }
}

/** Those that are here, then those that were announced and of which nothing has come. */
function seriesViews({ series, expectedBySeries }: StudyParts): ImageSeries[] {
  const here = series.map((one) => ({
    ...one,
    expected: expectedBySeries.get(one.seriesInstanceUid) ?? null,
  }))
  const known = new Set(series.map(({ seriesInstanceUid }) => seriesInstanceUid))
  const awaited = [...expectedBySeries]
    .filter(([seriesInstanceUid]) => !known.has(seriesInstanceUid))
    .map(([seriesInstanceUid, expected]) => ({ seriesInstanceUid, expected, ...NOTHING_HERE }))
  return [...here, ...awaited]
}
const NOTHING_HERE = {
  modality: '',
  seriesNumber: '',
  seriesDescription: '',
  instances: 0,
  bytes: 0,
  lastInstanceAt: null,
} as const

function performedStepView(record: PerformedStepRecord, studyInstanceUid: string): PerformedStep {
  const {
    sopInstanceUid,
    status,
    modality,
    deviceName,
    startedAt,
    endedAt,
    instances,
    discontinuationMeaning,
    items,
  } = record
  // The images may be of another study than the worklist said: then every step it performs is
  // meant.
  const ofThisStudy = items.filter((item) => item.studyInstanceUid === studyInstanceUid)
  const steps = (ofThisStudy.length > 0 ? ofThisStudy : items)
    .map((item) => item.scheduledProcedureStepId)
    .filter((id) => id !== '')
  return {
    ...{ sopInstanceUid, status, scheduledProcedureStepId: [...new Set(steps)].join(', ') },
    ...{
      modality,
      deviceName,
      startedAt,
      endedAt,
      instances,
      discontinuationReason: discontinuationMeaning,
    },
  }
}

function commitmentView(record: CommitmentRecord): Commitment {
  const {
    transactionUid,
    deviceName,
    callingAeTitle,
    requestedAt,
    instances,
    failed,
    state,
    attempts,
    nextAt,
    lastError,
  } = record
  return {
    transactionUid,
    deviceName,
    callingAeTitle,
    requestedAt,
    instances,
    failed,
    state,
    attempts,
    nextAt,
    lastError,
  }
}

function versionView(record: InstanceRecord): ImageVersion {
  const { instanceId, sopInstanceUid, instanceNumber, state, change, changeReviewedAt, bytes } =
    record
  const { deviceName, callingAeTitle, receivedAt } = record
  return {
    ...{
      instanceId,
      sopInstanceUid,
      instanceNumber,
      state: state === 'current' ? 'current' : 'superseded',
    },
    ...{ change, reviewedAt: changeReviewedAt, bytes, deviceName, callingAeTitle, receivedAt },
  }
}

export function quarantinedView(record: InstanceRecord): QuarantinedInstance {
  const {
    instanceId,
    reason,
    detail,
    sopInstanceUid,
    seriesInstanceUid,
    studyInstanceUid,
    patientName,
    modality,
  } = record
  const { deviceName, callingAeTitle, remoteAddress, bytes, receivedAt } = record
  return {
    // Nothing is set aside without a reason.
    ...{
      instanceId,
      reason: reason as QuarantineReason,
      detail,
      sopInstanceUid,
      seriesInstanceUid,
      studyInstanceUid,
    },
    ...{ patientName, modality, deviceName, callingAeTitle, remoteAddress, bytes, receivedAt },
  }
}

export const quarantineGroupView = ({
  because,
  upTo,
  patientNames,
  ...group
}: QuarantineGroupRecord): QuarantineGroup => ({
  ...group,
  reason: because,
  newestInstanceId: upTo,
  patientNames: [...patientNames],
})
