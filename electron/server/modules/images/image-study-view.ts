import type { PerformedStepRecord } from '#server/modules/procedure-steps/performed-step-queries.ts'
import type { ImageStudyRecord } from '#server/modules/studies/image-study-row.ts'
import type { StudyRecord } from '#server/modules/studies/study-queries.ts'
import type {
  Commitment,
  ImageSeries,
  ImageStudy,
  ImageStudySummary,
  ImageVersion,
  PerformedStep,
  StudyIdentity,
} from '#shared/contract/images.ts'
import type { QuarantinedInstance, QuarantineGroup } from '#shared/contract/quarantine.ts'
import type { StudyId } from '#shared/ids.ts'
import type { CommitmentRecord } from './commitment-queries.ts'
import type { ImageSeriesRecord } from './image-study-list-queries.ts'
import type { InstanceRecord, QuarantineReason } from './instance-queries.ts'
import type { QuarantineGroupRecord } from './quarantine-queries.ts'

const pick = <T extends object, K extends keyof T>(record: T, ...keys: readonly K[]): Pick<T, K> =>
  Object.fromEntries(keys.map((key) => [key, record[key]])) as Pick<T, K>

/** The window's view of an image study. `rows` are the API studies with the same UID. */
export const summaryView = (
  record: ImageStudyRecord,
  rows: readonly StudyRecord[],
  identity: StudyIdentity,
  isUnscheduled: boolean,
): ImageStudySummary => ({
  ...pick(record, 'studyInstanceUid', 'series', 'instances', 'bytes', 'expected', 'missing'),
  ...pick(record, 'quarantined', 'deviceName', 'callingAeTitle', 'lastInstanceAt', 'enrichment'),
  ...pick(record.header, 'patientName', 'patientId', 'patientBirthDate', 'patientSex'),
  ...pick(record.header, 'accessionNumber', 'studyDescription', 'studyDate', 'studyTime'),
  modalities: [...record.modalities],
  state: stateOf(record),
  lastTransfer: record.transfer,
  firstInstanceAt: record.createdAt,
  identity: identity.state,
  isUnscheduled,
  studies: rows.map(({ area, studyId, createdByApiKeyId, createdByUserId }) => ({
    area,
    studyId: studyId as StudyId,
    isSeeded: createdByApiKeyId === null && createdByUserId === null,
  })),
})

/**
 * The state as defined by `IMAGE_STATES`. After an aborted transfer, images may be missing that
 * were not announced.
 */
function stateOf({ state, missing, transfer }: ImageStudyRecord): ImageStudySummary['state'] {
  if (state === 'receiving') return 'receiving'
  return missing > 0 || transfer.how === 'aborted' ? 'incomplete' : 'complete'
}

export function linkedOrderOf({ handedOut }: ImageStudyRecord): ImageStudy['linkedOrder'] {
  if (handedOut?.linkedBy === undefined) return null
  const { accessionNumber, description, at, linkedBy } = handedOut
  return { accessionNumber, description, at, by: linkedBy }
}

/** The received series, followed by announced series of which nothing has been received. */
export function seriesViews(
  series: readonly ImageSeriesRecord[],
  expectedBySeries: ReadonlyMap<string, number>,
): ImageSeries[] {
  const storedSeries = series.map((one) => ({
    ...one,
    expected: expectedBySeries.get(one.seriesInstanceUid) ?? null,
  }))
  const known = new Set(series.map(({ seriesInstanceUid }) => seriesInstanceUid))
  const awaitedSeries = [...expectedBySeries]
    .filter(([seriesInstanceUid]) => !known.has(seriesInstanceUid))
    .map(([seriesInstanceUid, expected]) => ({ seriesInstanceUid, expected, ...EMPTY_SERIES }))
  return [...storedSeries, ...awaitedSeries]
}
const EMPTY_SERIES = {
  modality: '',
  seriesNumber: '',
  seriesDescription: '',
  instances: 0,
  bytes: 0,
  lastInstanceAt: null,
} as const

export function performedStepView(
  record: PerformedStepRecord,
  studyInstanceUid: string,
): PerformedStep {
  const { items, discontinuationMeaning } = record
  // The images may have another Study Instance UID than the worklist. In that case, all steps of
  // the performed step are listed.
  const itemsOfStudy = items.filter((item) => item.studyInstanceUid === studyInstanceUid)
  const steps = (itemsOfStudy.length > 0 ? itemsOfStudy : items)
    .map((item) => item.scheduledProcedureStepId)
    .filter((id) => id !== '')
  return {
    ...pick(record, 'sopInstanceUid', 'status', 'modality', 'deviceName'),
    ...pick(record, 'startedAt', 'endedAt', 'instances'),
    scheduledProcedureStepId: [...new Set(steps)].join(', '),
    discontinuationReason: discontinuationMeaning,
  }
}

export const commitmentView = ({
  commitmentId: _,
  remoteAddress: __,
  ...view
}: CommitmentRecord): Commitment => view

export const versionView = (record: InstanceRecord): ImageVersion => ({
  ...pick(record, 'instanceId', 'sopInstanceUid', 'instanceNumber', 'change', 'bytes'),
  ...pick(record, 'deviceName', 'callingAeTitle', 'receivedAt'),
  state: record.state === 'current' ? 'current' : 'superseded',
  reviewedAt: record.changeReviewedAt,
})

export const quarantinedView = (record: InstanceRecord): QuarantinedInstance => ({
  ...pick(record, 'instanceId', 'detail', 'sopInstanceUid', 'seriesInstanceUid'),
  ...pick(record, 'studyInstanceUid', 'patientName', 'modality', 'deviceName', 'callingAeTitle'),
  ...pick(record, 'remoteAddress', 'bytes', 'receivedAt'),
  // A quarantined instance always has a reason.
  reason: record.reason as QuarantineReason,
})

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
