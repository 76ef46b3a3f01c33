import { derivedUid } from '#server/dicom/data-set/uids.ts'
import {
  basicTextSr,
  encapsulatedPdf,
  REPORT_SOP_CLASS,
  type ReportHeader,
  type TextSection,
  type Verifier,
} from '#server/dicom/objects/report-document.ts'
import type { InstanceRecord } from '#server/modules/images/instance-queries.ts'
import type { OwnInstance } from '#server/modules/images/own-instances.ts'
import { isSameName } from '#server/modules/images/person-name.ts'
import type { ImageHeader, ImageStudyRecord } from '#server/modules/studies/image-study-row.ts'
import { OWN_ADDRESS } from '#server/modules/studies/study-identity.ts'
import { dicomTime, timeZoneOf } from '#server/platform/clinic-day.ts'
import { PATIENT_SEX } from '#shared/dicom-values.ts'
import { sectionsOf } from '#shared/report-text.ts'
import { COMMUNICATION_METHODS } from './report-pdf-layout.ts'
import type { ArchivedReport, ReportPart } from './signed-report.ts'

/**
 * Creates the DICOM objects of a report, and the header for its study if the study has no images.
 * The same report always results in the same objects with the same UIDs.
 * @param images the images of its study, if any
 * @param earlier the structured reports of the preceding parts
 * @param timeZone the value of the setting
 */
export function reportInstances(
  report: ArchivedReport,
  images: ImageStudyRecord | undefined,
  earlier: readonly InstanceRecord[],
  clinicName: string,
  timeZone: string,
): { readonly wanted: readonly OwnInstance[]; readonly header: ImageHeader } {
  const { reportId, studyInstanceUid, parts, pdf } = report
  const patient = patientOf(report, images)
  const zone = timeZoneOf(timeZone)
  const organization = truncateToLo(clinicName)
  const addenda = parts.filter(({ isAddendum }) => isAddendum)
  const seriesDescription =
    addenda.length === 0 ? 'Report' : `Report with addendum ${addenda.length}`
  const signedTime = dicomTime(parts.at(-1)?.signedAt ?? '1970-01-01T00:00:00.000Z', zone)

  const headerOf = (kind: 'pdf' | 'sr'): ReportHeader => ({
    ...patient,
    studyInstanceUid,
    institutionName: organization,
    seriesInstanceUid: uidOf(reportId, `${kind} series`),
    seriesNumber: String(SERIES_NUMBER[kind] + 2 * addenda.length),
    seriesDescription,
    sopInstanceUid: uidOf(reportId, kind),
    signed: signedTime,
  })
  const verifierOf = ({ signer, signedAt }: ReportPart): Verifier => ({
    name: personName(signer.name) || 'Unknown',
    organization: organization || 'Unknown',
    verifiedAt: dicomTime(signedAt, zone),
  })
  const sr = basicTextSr(headerOf('sr'), {
    sections: parts
      .filter(({ isAddendum }) => !isAddendum)
      .flatMap(({ text }) => textSections(text)),
    addenda: addenda.map(({ text }) => ({ sections: textSections(text) })),
    criticalResults: parts.flatMap(criticalText),
    verifiers: parts.map(verifierOf),
    predecessors: earlier.map(({ seriesInstanceUid, sopInstanceUid }) => ({
      seriesInstanceUid,
      sopInstanceUid,
    })),
  })
  const ownInstance = (kind: 'pdf' | 'sr', dataSet: OwnInstance['dataSet']): OwnInstance => {
    const { sopInstanceUid, seriesInstanceUid, seriesNumber } = headerOf(kind)
    const series = { seriesInstanceUid, seriesNumber, seriesDescription, modality: MODALITY[kind] }
    return {
      sopInstanceUid,
      sopClassUid: REPORT_SOP_CLASS[kind],
      studyInstanceUid,
      ...series,
      dataSet,
    }
  }
  return {
    wanted: [ownInstance('pdf', encapsulatedPdf(headerOf('pdf'), pdf)), ownInstance('sr', sr)],
    header: imageHeader(patient, organization),
  }
}

const MODALITY = { pdf: 'DOC', sr: 'SR' } as const
/** Higher than the series numbers of any device. */
const SERIES_NUMBER = { pdf: 9901, sr: 9902 } as const
type PatientAndStudy = Omit<
  ReportHeader,
  | 'studyInstanceUid'
  | 'institutionName'
  | 'seriesInstanceUid'
  | 'seriesNumber'
  | 'seriesDescription'
  | 'sopInstanceUid'
  | 'signed'
>

/**
 * The patient and study attributes. They are taken from the images of the study, so that an archive
 * groups the report with them, unless the images belong to another patient.
 */
function patientOf(
  { metadata, accessionNumber, studyDescription }: ArchivedReport,
  images: ImageStudyRecord | undefined,
): PatientAndStudy {
  const { patientName, mrn, dateOfBirth, sex, scanDate, scanTime, referringPhysicianName } =
    metadata
  const reportAttributes: PatientAndStudy = {
    patientName: personName(patientName ?? ''),
    // An identifier that is too long is omitted: a truncated one might be another patient's.
    patientId: identifier(mrn ?? '', 64),
    patientBirthDate: (dateOfBirth ?? '').replaceAll('-', ''),
    patientSex: sex ? PATIENT_SEX[sex] : '',
    studyDate: (scanDate ?? '').replaceAll('-', ''),
    studyTime: (scanTime ?? '').replace(':', ''),
    studyId: '',
    studyDescription: truncateToLo(studyDescription),
    accessionNumber: identifier(accessionNumber, 64),
    referringPhysicianName: personName(referringPhysicianName ?? ''),
  }
  if (
    !images ||
    images.remoteAddress === OWN_ADDRESS ||
    !isSamePatient(reportAttributes, images.header)
  )
    return reportAttributes
  const { header } = images
  return {
    ...reportAttributes,
    ...{ patientName: header.patientName, patientId: header.patientId },
    patientBirthDate: header.patientBirthDate || reportAttributes.patientBirthDate,
    patientSex: header.patientSex || reportAttributes.patientSex,
    studyDate: header.studyDate || reportAttributes.studyDate,
    studyTime: header.studyTime || reportAttributes.studyTime,
    studyId: header.studyId,
    studyDescription: header.studyDescription || reportAttributes.studyDescription,
    accessionNumber: header.accessionNumber || reportAttributes.accessionNumber,
    referringPhysicianName:
      header.referringPhysicianName || reportAttributes.referringPhysicianName,
  }
}

function isSamePatient(report: PatientAndStudy, images: ImageHeader): boolean {
  const id = images.patientId.trim()
  return report.patientId !== '' && id !== ''
    ? report.patientId === id
    : isSameName(report.patientName, images.patientName)
}

const imageHeader = (patient: PatientAndStudy, institutionName: string): ImageHeader => ({
  ...patient,
  ...{
    patientSize: '',
    patientWeight: '',
    patientAge: '',
    requestedProcedureDescription: '',
    institutionName,
    modality: '',
  },
  ...{
    requestedProcedureId: '',
    scheduledProcedureStepId: '',
    requestStudyInstanceUid: '',
    characterSetRule: '',
  },
})

const textSections = (text: string): TextSection[] =>
  sectionsOf(text).map(({ heading, text: body }) => ({ heading, text: body }))

function criticalText({ isCritical, finding, communication }: ReportPart): string[] {
  if (!isCritical) return []
  if (!communication) return [finding ?? 'Critical result']
  const { communicatedTo, method, communicatedAt, isReadBack, note } = communication
  const communicated = `Communicated to ${communicatedTo} ${COMMUNICATION_METHODS[method]}`.trim()
  return [
    [
      `${finding ?? 'Critical result'}.`,
      `${communicated}${isReadBack ? ', read back' : ''}, ${communicatedAt}.`,
      note,
    ]
      .filter(Boolean)
      .join(' '),
  ]
}

/**
 * Converts a name to a PN (PS3.5 §6.2): a PN is kept, and free text becomes the family name. Each
 * component group is limited to 64 characters.
 */
const personName = (text: string): string =>
  normalizeText(text)
    .split('=', 3)
    .map((group) => [...group].slice(0, 64).join('').trim())
    .join('=')
const truncateToLo = (text: string): string => [...normalizeText(text)].slice(0, 64).join('').trim()
const identifier = (text: string, most: number): string =>
  normalizeText(text).length > most ? '' : normalizeText(text)

/**
 * Replaces backslashes, which delimit values, and control characters, which are not allowed in
 * short text.
 */
const normalizeText = (text: string): string =>
  text
    .normalize('NFC')
    .replaceAll('\\', '/')
    .replace(/\p{Cc}+/gu, ' ')
    .trim()

const uidOf = (reportId: string, what: string): string =>
  derivedUid(`isthmus ${what} of ${reportId}`)
