import type { Context } from '#server/context.ts'
import type { ImageStudyRecord } from '#server/modules/images/image-study-queries.ts'
import { identityOf, isUnscheduled } from '#server/modules/images/study-identity.ts'
import { addendumNeededSince } from '#server/modules/reports/needed-addendum-queries.ts'
import type { ReportLocks } from '#server/modules/reports/report-locks.ts'
import { personOf } from '#server/modules/reports/report-people.ts'
import { NO_IMAGES } from '#server/modules/reports/template-fit.ts'
import { openReferences, type References } from '#server/modules/studies/reference-queries.ts'
import type { StudyRecord } from '#server/modules/studies/study-queries.ts'
import type { WindowStudy } from '#shared/contract/dashboard-studies.ts'
import { isDa } from '#shared/dicom-values.ts'
import type { StudyId } from '#shared/ids.ts'

/** A study as a row of the window's lists (`shared/contract/dashboard-studies.ts`). */
export function windowStudy(
  store: Context,
  locks: Pick<ReportLocks, 'of'>,
  study: StudyRecord,
  known: References = openReferences(store.database),
): WindowStudy {
  const {
    area,
    studyId,
    studyInstanceUid,
    studyDescription,
    severity,
    status,
    detail,
    assignedTo,
    expressCustomerId,
  } = study
  const { priorStudyIds = [], priorReportTexts = [], priorReports = [] } = detail
  const images = store.imageStudies.get(studyInstanceUid)
  const reports = area === 'scribe' ? store.reports.entriesOf(studyId) : []
  const writing = reports.find((report) => report.status === 'in_progress')
  // Copies of its reports are kept beside the images and counted with them.
  const copies = reports.flatMap(({ reportId }) => store.reportObjects.ofReport(reportId)).length
  const instances = (images?.instances ?? 0) - copies
  const read = area === 'scribe' ? study : store.studies.byUid('scribe', studyInstanceUid)
  return {
    ...{ area, studyId: studyId as StudyId, studyInstanceUid, studyDescription, severity, status },
    isCancelled: study.cancelledAt !== null,
    ...patientOf(study, images),
    modalities: modalitiesOf(study, images),
    assignedTo: assignedTo === null ? null : personOf({ store }, assignedTo),
    expressCustomer: known.expressCustomer(expressCustomerId),
    madeBy: makerOf(store, study, images, known),
    lock: (writing && locks.of(writing.reportId)) ?? null,
    images:
      images && instances > 0
        ? { instances, expected: images.expected, isReceiving: images.state === 'receiving' }
        : null,
    identity: identityOf(images, read).state,
    isUnscheduled: isUnscheduled(images, read),
    isCritical: reports.some(({ isCritical }) => isCritical === true),
    needsAddendumSince: addendumNeededSince(store.database, study.seq),
    priors: priorStudyIds.length + priorReportTexts.length + priorReports.length,
    ...{ createdAt: study.createdAt, updatedAt: study.updatedAt },
  }
}

/** Field by field what the study says, else what its images say. */
function patientOf({ detail }: StudyRecord, images: ImageStudyRecord | undefined) {
  const said = detail.reportMetadata ?? {}
  const header = images?.header
  return {
    patientName: said.patientName || (header?.patientName ?? ''),
    mrn: said.mrn || (header?.patientId ?? ''),
    dateOfBirth: said.dateOfBirth ?? dayOf(header?.patientBirthDate),
    sex: said.sex ?? SEX[header?.patientSex.trim().toUpperCase() ?? ''] ?? '',
    age: said.age || ageOf(header?.patientAge),
    accessionNumber: header?.accessionNumber || (images?.handedOut?.accessionNumber ?? ''),
    scanDate: said.scanDate ?? dayOf(header?.studyDate),
    scanTime: said.scanTime ?? timeOf(header?.studyTime),
    facilityName: said.facilityName || (header?.institutionName ?? ''),
  } as const
}

const SEX: Readonly<Record<string, 'male' | 'female' | 'other'>> = {
  M: 'male',
  F: 'female',
  O: 'other',
}
const AGE_UNITS: Readonly<Record<string, string>> = { Y: 'year', M: 'month', W: 'week', D: 'day' }

// PS3.5 Table 6.2-1: DA, TM and AS.
const dayOf = (text = '') =>
  isDa(text) ? `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}` : ''
const timeOf = (text = '') => /^(\d\d)(\d\d)/.exec(text)?.slice(1, 3).join(':') ?? ''
function ageOf(text = ''): string {
  const [, count, unit = ''] = /^(\d{3})([DWMY])$/.exec(text.trim()) ?? []
  return count === undefined
    ? ''
    : `${Number(count)} ${AGE_UNITS[unit]}${Number(count) === 1 ? '' : 's'}`
}

/**
 * Of the images, without reports about them; before they are here what the partner calls the scan,
 * where that is a modality.
 */
function modalitiesOf({ detail }: StudyRecord, images: ImageStudyRecord | undefined): string[] {
  const scanType = detail.reportMetadata?.scanType?.trim().toUpperCase() ?? ''
  const ofImages = images?.modalities.filter((modality) => !NO_IMAGES.includes(modality)) ?? []
  if (ofImages.length > 0) return ofImages
  return /^[A-Z][A-Z0-9]{1,3}$/.test(scanType) ? [scanType] : []
}

function makerOf(
  store: Context,
  { createdByApiKeyId, createdByUserId }: StudyRecord,
  images: ImageStudyRecord | undefined,
  known: References,
): WindowStudy['madeBy'] {
  if (createdByApiKeyId !== null)
    return { kind: 'partner', name: known.apiKey(createdByApiKeyId)?.description ?? '' }
  if (createdByUserId !== null)
    return { kind: 'person', name: personOf({ store }, createdByUserId).name }
  return { kind: 'images', name: images?.deviceName ?? '' }
}
