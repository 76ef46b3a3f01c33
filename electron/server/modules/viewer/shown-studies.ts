import type { Context } from '#server/context.ts'
import type { ViewedHeader } from '#server/dicom/pixel-data/viewed-file.ts'
import type { HeaderStudy } from '#server/dicom/pixel-data/viewed-header.ts'
import {
  differencesOf,
  type Patient,
  personDifferencesOf,
} from '#server/modules/images/same-patient.ts'
import { identityOf, studyDifferencesOf } from '#server/modules/images/study-identity.ts'
import { addendumNeededSince } from '#server/modules/reports/needed-addendum-queries.ts'
import type { IdentityDifference, IdentityState } from '#shared/contract/images.ts'
import type { ImagePatient, ViewedInstance, ViewedStudy } from '#shared/contract/viewing.ts'
import type { NewFault, ViewList } from './list.ts'

const IDENTITY = 'The identity check'
const REPORT = 'The report'
const SIGNED_BEFORE =
  'Images were corrected, added or removed after the report was signed. It needs an addendum.'
const FAULTS: Readonly<Partial<Record<IdentityState, Pick<NewFault, 'level' | 'sentence'>>>> = {
  mismatch: {
    level: 'danger',
    sentence: 'The images differ from the worklist or the study in the patient or the exam.',
  },
  overridden: {
    level: 'warning',
    sentence:
      'The images differ from the worklist or the study, and the identity check was overridden.',
  },
}
const NAMES: Readonly<Partial<Record<IdentityDifference['field'], string>>> = {
  ...{
    patientName: 'name',
    patientId: 'patient ID',
    patientBirthDate: 'date of birth',
    patientSex: 'sex',
  },
}

/** The patient of an image, where its file says something else than the study as it is listed. */
function patientBeside(listed: ViewedStudy | undefined, header: HeaderStudy): ImagePatient | null {
  const { patientName, patientId, patientBirthDate, patientSex, accessionNumber } = header
  const own = { patientName, patientId, patientBirthDate, patientSex, accessionNumber }
  return listed && FIELDS.every((field) => listed[field] === own[field]) ? null : own
}
const FIELDS = [
  'patientName',
  'patientId',
  'patientBirthDate',
  'patientSex',
  'accessionNumber',
] as const

export type ShownStudies = ReturnType<typeof shownStudies>

/** The studies of a view as their files say them, and whether they are of one patient each. */
export function shownStudies(context: Context, list: ViewList) {
  const { studies, imageStudies } = context
  const priors = new Set<string>()
  /** By study, the patient of its first file. */
  const patients = new Map<string, Patient>()
  const seriesRead = new Set<string>()

  const danger = (studyInstanceUid: string, sentence: string) =>
    list.faults.add({ level: 'danger', what: 'The patient', sentence, studyInstanceUid })

  function compareWithRow(studyInstanceUid: string, patient: HeaderStudy): void {
    const metadata = studies.byUid('scribe', studyInstanceUid)?.detail.reportMetadata
    if (!metadata) return
    const differing = studyDifferencesOf(patient, metadata).map(({ field }) => NAMES[field])
    if (differing.length === 0) return
    danger(
      studyInstanceUid,
      `The images may be of another patient than the study: the ${differing.join(' and the ')} in them is another one.`,
    )
  }

  function isFirst(header: ViewedHeader): boolean {
    const { studyInstanceUid } = header.study
    const patient = patients.get(studyInstanceUid)
    if (patient) {
      if (differencesOf(patient, header.study).length > 0)
        danger(studyInstanceUid, 'Images of more than one patient are in this study.')
      return false
    }
    const { patientName, patientId, patientBirthDate } = header.study
    for (const other of patients.values()) {
      const differing = personDifferencesOf(other, header.study)
      if (differing.length === 0) continue
      danger(
        studyInstanceUid,
        `It may be of another patient than another study beside it: the ${differing.join(' and the ')} differ.`,
      )
      break
    }
    patients.set(studyInstanceUid, { patientName, patientId, patientBirthDate })
    compareWithRow(studyInstanceUid, header.study)
    return true
  }

  return {
    /** Lists what the identity of the study is, as its images in the archive have it now. */
    tellIdentity(studyInstanceUid: string): void {
      const identity = identityOf(
        imageStudies.get(studyInstanceUid),
        studies.byUid('scribe', studyInstanceUid),
      )
      list.faults.drop(IDENTITY)
      const fault = FAULTS[identity.state]
      if (fault) list.faults.add({ ...fault, what: IDENTITY, studyInstanceUid })
      list.faults.drop(REPORT)
      const scribe = studies.byUid('scribe', studyInstanceUid)
      if (scribe && addendumNeededSince(context.database, scribe.seq) !== null)
        list.faults.add({
          level: 'warning',
          what: REPORT,
          sentence: SIGNED_BEFORE,
          studyInstanceUid,
        })
    },
    /**
     * Until its first file is read, a study is what the gateway knows of it. Not where a partner
     * named it unasked: then nothing of it is told.
     */
    announce(studyInstanceUid: string, isPrior: boolean, isAsked = true): void {
      if (isPrior) priors.add(studyInstanceUid)
      if (list.study(studyInstanceUid)) return
      const row = isAsked
        ? (studies.byUid('scribe', studyInstanceUid) ?? studies.byUid('viewer', studyInstanceUid))
        : undefined
      const header = isAsked ? imageStudies.get(studyInstanceUid)?.header : undefined
      list.putStudy({
        ...{ studyInstanceUid, isPrior },
        ...{ patientName: header?.patientName ?? '', patientId: header?.patientId ?? '' },
        ...{
          patientBirthDate: header?.patientBirthDate ?? '',
          patientSex: header?.patientSex ?? '',
        },
        ...{ studyDate: header?.studyDate ?? '', studyTime: header?.studyTime ?? '' },
        studyDescription: header?.studyDescription || row?.studyDescription || '',
        accessionNumber: header?.accessionNumber ?? '',
      })
    },
    /** Lists what the file says. */
    show(
      { study, series, instance }: ViewedHeader,
      source: Exclude<ViewedInstance['source'], 'manifest'>,
    ): void {
      const { studyInstanceUid } = study
      const other = list.instance(instance.sopInstanceUid)
      if (other && other.source !== 'manifest' && other.studyInstanceUid !== studyInstanceUid) {
        // Frames go by the UID alone: the pixels of one would be shown with the geometry and the
        // name of the other.
        danger(
          studyInstanceUid,
          'An image of another study in this view has the same UID as one of this study, which is not shown.',
        )
        return
      }
      if (isFirst({ study, series, instance }))
        list.putStudy({ ...study, isPrior: priors.has(studyInstanceUid) })
      // A manifest's own words stand until the first file of the series.
      if (!seriesRead.has(series.seriesInstanceUid)) {
        seriesRead.add(series.seriesInstanceUid)
        list.putSeries(series)
      }
      list.putInstance({
        ...instance,
        source,
        patient: patientBeside(list.study(studyInstanceUid), study),
      })
    },
  }
}
