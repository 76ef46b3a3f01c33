import type { Context } from '#server/context.ts'
import type { Database } from '#server/database/database.ts'
import { listImageStudyRecords } from '#server/modules/images/image-study-list-queries.ts'
import { isSameName } from '#server/modules/images/person-name.ts'
import { listReportObjects } from '#server/modules/reports/report-document-queries.ts'
import { listSignedReports } from '#server/modules/reports/report-queries.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import type { ImageStudyRecord } from '#server/modules/studies/image-study-row.ts'
import { OWN_ADDRESS } from '#server/modules/studies/study-identity.ts'
import { findStudyByUid } from '#server/modules/studies/study-queries.ts'
import { searchStudies } from '#server/modules/studies/study-search-queries.ts'
import { addDays, clinicDay, timeZoneOf } from '#server/platform/clinic-day.ts'
import type { CorrectionTarget, TargetChoice } from '#shared/contract/corrections.ts'
import type { StudyReportMetadata } from '#shared/contract/scribe.ts'
import { PATIENT_SEX } from '#shared/dicom-values.ts'
import { identityOfHeader, type Order, patientOf, type Target } from './correction-rules.ts'

/** Access to the orders of the worklist. */
export interface Orders {
  /** Orders of these days (YYYY-MM-DD), without those that must not be sent to devices. */
  onDays(days: readonly string[]): Promise<Order[]>
  get(orderId: string): Promise<Order | undefined>
}

const MAX_TARGETS = 60
/** Modalities of the copies of reports. */
const REPORT_MODALITIES: readonly string[] = ['SR', 'DOC']
const EMPTY_TARGET = {
  studyInstanceUid: undefined,
  order: undefined,
  header: undefined,
  row: undefined,
} as const

/** Resolves a target; `undefined` if it does not exist any more. */
export async function targetOf(
  context: Context,
  orders: Orders,
  target: CorrectionTarget,
): Promise<Target | undefined> {
  const { database } = context
  if (target.to === 'patient') return { ...EMPTY_TARGET, patient: target.patient }
  if (target.to === 'order') {
    const order = await orders.get(target.orderId)
    if (!order) return undefined
    const { studyInstanceUid } = order
    const received = receivedImages(findImageStudy(database, studyInstanceUid))
    return { ...EMPTY_TARGET, ...received, patient: patientOf(order), studyInstanceUid, order }
  }
  const { studyInstanceUid } = target
  const received = receivedImages(findImageStudy(database, studyInstanceUid))
  if (received)
    return {
      ...EMPTY_TARGET,
      ...received,
      patient: identityOfHeader(received.header),
      studyInstanceUid,
    }
  const metadata = findStudyByUid(database, 'scribe', studyInstanceUid)?.detail.reportMetadata
  if (!metadata) return undefined
  const listed = await orders.onDays(daysAround(context, metadata.scanDate))
  const order = listed.find((one) => one.studyInstanceUid === studyInstanceUid)
  const patient = patientOfMetadata(metadata, order?.accessionNumber)
  return { ...EMPTY_TARGET, patient, studyInstanceUid, order }
}

/** Orders and studies to which the images of the study may belong, most similar first. */
export async function searchTargets(
  context: Context,
  orders: Orders,
  study: ImageStudyRecord,
  search: string,
): Promise<TargetChoice[]> {
  const { database } = context
  const own = identityOfHeader(study.header)
  const listed = await orders.onDays(daysAround(context, study.header.studyDate))
  const orderedStudyUids = new Set(listed.map((order) => order.studyInstanceUid))
  const words = folded(search).split(/[\s^]/)
  const isFound = ({ patientName, patientId, accessionNumber, description }: TargetChoice) => {
    const text = folded([patientName, patientId, accessionNumber, description].join(' '))
    return words.every((word) => text.includes(word))
  }
  const similarity = (choice: TargetChoice) =>
    (isSame(choice.accessionNumber, own.accessionNumber) ? 8 : 0) +
    (isSame(choice.patientId, own.patientId) ? 4 : 0) +
    (isSameName(choice.patientName, own.patientName) ? 4 : 0) +
    (study.modalities.includes(choice.modality) ? 2 : 0) +
    (choice.date === study.header.studyDate ? 1 : 0)
  return [
    ...listed.map((order) => choiceOfOrder(database, order)),
    ...studiesWithImages(
      database,
      study,
      search === '' ? [own.patientId, own.patientName] : [search],
    ),
    ...studiesWithoutImages(database, search, orderedStudyUids),
  ]
    .filter(isFound)
    .sort((a, b) => similarity(b) - similarity(a) || a.patientName.localeCompare(b.patientName))
    .slice(0, MAX_TARGETS)
}

const choiceOfOrder = (database: Database, order: Order): TargetChoice => ({
  target: { to: 'order', orderId: order.orderId },
  ...patientOf(order),
  description:
    order.requestedProcedureDescription ||
    order.scheduledProcedureStepDescription ||
    order.studyDescription,
  modality: order.modality,
  date: order.date,
  time: order.time,
  instances: countImages(database, order.studyInstanceUid),
})

/** Other studies with images that match one of the search texts. */
function studiesWithImages(
  database: Database,
  { studyInstanceUid: own }: ImageStudyRecord,
  searches: readonly string[],
): TargetChoice[] {
  const found = new Map<string, ImageStudyRecord>()
  for (const search of searches)
    if (search !== '')
      for (const study of listImageStudyRecords(
        database,
        { show: 'all', search },
        undefined,
        MAX_TARGETS,
      ).items)
        if (study.studyInstanceUid !== own && study.instances > 0)
          found.set(study.studyInstanceUid, study)
  return [...found.values()].map(({ studyInstanceUid, header, modalities }) => ({
    target: { to: 'study', studyInstanceUid },
    ...identityOfHeader(header),
    description: header.studyDescription,
    modality: modalities.filter((one) => !REPORT_MODALITIES.includes(one)).join(', '),
    date: header.studyDate,
    time: header.studyTime,
    instances: countImages(database, studyInstanceUid),
  }))
}

/** Studies that were created through the API and have no images yet, without those of orders. */
const studiesWithoutImages = (
  database: Database,
  search: string,
  ordered: ReadonlySet<string>,
): TargetChoice[] =>
  searchStudies(
    database,
    { area: 'scribe', search, isCancelled: false },
    'newest',
    undefined,
    MAX_TARGETS,
  )
    .items.filter(
      ({ studyInstanceUid: uid }) => !ordered.has(uid) && !findImageStudy(database, uid)?.instances,
    )
    .map(({ studyInstanceUid, studyDescription, detail: { reportMetadata = {} } }) => ({
      target: { to: 'study', studyInstanceUid },
      ...patientOfMetadata(reportMetadata),
      description: studyDescription,
      modality: '',
      date: (reportMetadata.scanDate ?? '').replaceAll('-', ''),
      time: '',
      instances: 0,
    }))

/** Number of instances without the copies of signed reports. */
function countImages(database: Database, studyInstanceUid: string): number {
  const study = findStudyByUid(database, 'scribe', studyInstanceUid)
  const signedReports = study ? listSignedReports(database, study.studyId) : []
  const copies = signedReports.flatMap(({ reportId }) =>
    listReportObjects(database, reportId),
  ).length
  return Math.max(0, (findImageStudy(database, studyInstanceUid)?.instances ?? 0) - copies)
}

const folded = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
const isSame = (one: string, other: string) => one !== '' && one === other

/** The patient of a study that was created through the API. */
const patientOfMetadata = (
  { patientName, mrn, dateOfBirth, sex }: StudyReportMetadata,
  accessionNumber = '',
) => ({
  patientName: (patientName ?? '').trim(),
  patientId: (mrn ?? '').trim(),
  patientBirthDate: (dateOfBirth ?? '').replaceAll('-', ''),
  patientSex: sex ? PATIENT_SEX[sex] : ('' as const),
  accessionNumber,
})

/**
 * The header and worklist row of a study that has received images. A study that was only announced,
 * or that contains only objects of the gateway, does not identify a patient.
 */
function receivedImages(study: ImageStudyRecord | undefined) {
  if (!study || study.instances === 0 || study.remoteAddress === OWN_ADDRESS) return undefined
  return { header: study.header, row: study.handedOut ?? undefined }
}

/**
 * The days (YYYY-MM-DD) around the study date and around today.
 * @param studyDate YYYYMMDD or YYYY-MM-DD; any other text is ignored
 */
function daysAround({ clock, settings }: Context, studyDate: string | undefined): string[] {
  const today = clinicDay(clock(), timeZoneOf(settings.get('clinic.timeZone')))
  const [, year, month, day] = /^(\d{4})-?(\d\d)-?(\d\d)$/.exec(studyDate ?? '') ?? []
  const days = year ? [`${year}-${month}-${day}`, today] : [today]
  return [...new Set(days.flatMap((one) => [-1, 0, 1].map((offset) => addDays(one, offset))))]
}
