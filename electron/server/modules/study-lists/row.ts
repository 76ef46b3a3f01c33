import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/database.ts'
import { listReportEntries } from '#server/modules/reports/report-queries.ts'
import { reportingState } from '#server/modules/reports/report-reading.ts'
import { NON_IMAGE_MODALITIES } from '#server/modules/reports/report-templates.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import type { ImageStudyRecord } from '#server/modules/studies/image-study-row.ts'
import { addendumNeededSince } from '#server/modules/studies/needed-addendum-queries.ts'
import { openReferences, type References } from '#server/modules/studies/reference-queries.ts'
import { identityOf, isUnscheduled } from '#server/modules/studies/study-identity.ts'
import { findStudyByUid, type StudyRecord } from '#server/modules/studies/study-queries.ts'
import { namedUserOf } from '#server/modules/users/queries.ts'
import type { WindowStudy } from '#shared/contract/dashboard-studies.ts'
import { isDa } from '#shared/dicom-values.ts'
import type { StudyId } from '#shared/ids.ts'

/** Converts a study to a row of the window's lists (`shared/contract/dashboard-studies.ts`). */
export function windowStudy(
  context: Context,
  study: StudyRecord,
  references: References = openReferences(context.database),
): WindowStudy {
  const { database } = context
  const { area, studyId, studyInstanceUid, studyDescription, severity, status } = study
  const { priorStudyIds = [], priorReportTexts = [], priorReports = [] } = study.detail
  const stored = findImageStudy(database, studyInstanceUid)
  const reports = area === 'scribe' ? listReportEntries(database, studyId) : []
  const { images, ...reporting } = reportingState(context, reports, stored)
  const scribeStudy =
    area === 'scribe' ? study : findStudyByUid(database, 'scribe', studyInstanceUid)
  return {
    ...{ area, studyId: studyId as StudyId, studyInstanceUid, studyDescription, severity, status },
    ...{ createdAt: study.createdAt, updatedAt: study.updatedAt },
    isCancelled: study.cancelledAt !== null,
    ...patientOf(study, stored),
    modalities: modalitiesOf(study, stored),
    assignedTo: study.assignedTo === null ? null : namedUserOf(database, study.assignedTo),
    expressCustomer: references.expressCustomer(study.expressCustomerId),
    madeBy: creatorOf(database, study, stored, references),
    ...reporting,
    images: images && { ...images, expected: stored?.expected ?? null },
    identity: identityOf(stored, scribeStudy).state,
    isUnscheduled: isUnscheduled(stored, scribeStudy),
    needsAddendumSince: addendumNeededSince(database, study.seq),
    priors: priorStudyIds.length + priorReportTexts.length + priorReports.length,
  }
}

/**
 * The patient's details. Each field is taken from the study, or if it is missing, from the images.
 */
function patientOf({ detail }: StudyRecord, images: ImageStudyRecord | undefined) {
  const given = detail.reportMetadata ?? {}
  const header = images?.header
  return {
    patientName: given.patientName || (header?.patientName ?? ''),
    mrn: given.mrn || (header?.patientId ?? ''),
    dateOfBirth: given.dateOfBirth ?? dayOf(header?.patientBirthDate),
    sex: given.sex ?? SEX[header?.patientSex.trim().toUpperCase() ?? ''] ?? '',
    age: given.age || ageOf(header?.patientAge),
    accessionNumber: header?.accessionNumber || (images?.handedOut?.accessionNumber ?? ''),
    scanDate: given.scanDate ?? dayOf(header?.studyDate),
    scanTime: given.scanTime ?? timeOf(header?.studyTime),
    facilityName: given.facilityName || (header?.institutionName ?? ''),
  } as const
}

const SEX: Readonly<Record<string, 'male' | 'female' | 'other'>> = {
  M: 'male',
  F: 'female',
  O: 'other',
}
const AGE_UNITS: Readonly<Record<string, string>> = { Y: 'year', M: 'month', W: 'week', D: 'day' }

// Formats of DA, TM and AS (PS3.5 Table 6.2-1).
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
 * The modalities of the images, without those of reports. Before images arrive, the partner's scan
 * type if it is a modality.
 */
function modalitiesOf({ detail }: StudyRecord, images: ImageStudyRecord | undefined): string[] {
  const scanType = detail.reportMetadata?.scanType?.trim().toUpperCase() ?? ''
  const imageModalities =
    images?.modalities.filter((modality) => !NON_IMAGE_MODALITIES.includes(modality)) ?? []
  if (imageModalities.length > 0) return imageModalities
  return /^[A-Z][A-Z0-9]{1,3}$/.test(scanType) ? [scanType] : []
}

function creatorOf(
  database: Database,
  { createdByApiKeyId, createdByUserId }: StudyRecord,
  images: ImageStudyRecord | undefined,
  references: References,
): WindowStudy['madeBy'] {
  if (createdByApiKeyId !== null)
    return { kind: 'partner', name: references.apiKey(createdByApiKeyId)?.description ?? '' }
  if (createdByUserId !== null)
    return { kind: 'person', name: namedUserOf(database, createdByUserId).name }
  return { kind: 'images', name: images?.deviceName ?? '' }
}
