import type { Context } from '#server/context.ts'
import type { ViewedHeader } from '#server/dicom/pixel-data/viewed-file.ts'
import type { HeaderStudy } from '#server/dicom/pixel-data/viewed-header.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { addendumNeededSince } from '#server/modules/studies/needed-addendum-queries.ts'
import {
  differencesOf,
  type Patient,
  personDifferencesOf,
} from '#server/modules/studies/same-patient.ts'
import { identityOf, studyDifferencesOf } from '#server/modules/studies/study-identity.ts'
import { findStudyByUid } from '#server/modules/studies/study-queries.ts'
import type { IdentityState } from '#shared/contract/images.ts'
import type { ViewedInstance, ViewedStudy } from '#shared/contract/viewed-images.ts'
import { type Message, message } from '#shared/messages/message.ts'
import type { ImageFile } from './image-file.ts'
import type { MediaFiles } from './media.ts'
import type { NewFault, ViewList } from './view-list.ts'

const IDENTITY_LABEL = message('viewer.identity-check')
const REPORT = message('viewer.report')
const FAULTS: Readonly<Partial<Record<IdentityState, Pick<NewFault, 'level' | 'sentence'>>>> = {
  mismatch: {
    level: 'danger',
    sentence: message('viewer.identity-mismatch'),
  },
  overridden: {
    level: 'warning',
    sentence: message('viewer.identity-overridden'),
  },
}
/** Names of fields, by the results of `differencesOf` and the fields of `IdentityDifference`. */
const NAMES: Readonly<Record<string, Message>> = {
  name: message('viewer.patient-name'),
  'patient ID': message('viewer.patient-id'),
  'date of birth': message('viewer.patient-birth-date'),
  patientName: message('viewer.patient-name'),
  patientId: message('viewer.patient-id'),
  patientBirthDate: message('viewer.patient-birth-date'),
  patientSex: message('viewer.patient-sex'),
}

/**
 * The studies of a view according to their files. Checks that each study belongs to one patient.
 */
export class ShownStudies {
  readonly list: ViewList
  readonly media: MediaFiles
  readonly #database: Context['database']
  readonly #priors = new Set<string>()
  /** By study, the patient of its first file. */
  readonly #patients = new Map<string, Patient>()
  readonly #seriesRead = new Set<string>()

  constructor({ database }: Context, list: ViewList, media: MediaFiles) {
    this.#database = database
    this.list = list
    this.media = media
  }

  /** Reports the current identity state of the study. */
  addIdentity(studyInstanceUid: string): void {
    const { faults } = this.list
    const database = this.#database
    const scribe = findStudyByUid(database, 'scribe', studyInstanceUid)
    const { state } = identityOf(findImageStudy(database, studyInstanceUid), scribe)
    faults.drop(IDENTITY_LABEL)
    const fault = FAULTS[state]
    if (fault) faults.add({ ...fault, what: IDENTITY_LABEL, studyInstanceUid })
    faults.drop(REPORT)
    if (scribe && addendumNeededSince(database, scribe.seq) !== null)
      faults.add({
        ...{ level: 'warning', what: REPORT, studyInstanceUid },
        sentence: message('viewer.images-changed-since-signed'),
      })
  }

  /**
   * Lists a study with the data that the gateway has, until its first file is read. Nothing is
   * shown for a study that a partner sent without a request.
   */
  announce(studyInstanceUid: string, isPrior: boolean, isAsked = true): void {
    if (isPrior) this.#priors.add(studyInstanceUid)
    if (this.list.study(studyInstanceUid)) return
    const database = this.#database
    const row = isAsked
      ? (findStudyByUid(database, 'scribe', studyInstanceUid) ??
        findStudyByUid(database, 'viewer', studyInstanceUid))
      : undefined
    const header = isAsked ? findImageStudy(database, studyInstanceUid)?.header : undefined
    this.list.putStudy({
      studyInstanceUid,
      isPrior,
      patientName: header?.patientName ?? '',
      patientId: header?.patientId ?? '',
      patientBirthDate: header?.patientBirthDate ?? '',
      patientSex: header?.patientSex ?? '',
      studyDate: header?.studyDate ?? '',
      studyTime: header?.studyTime ?? '',
      studyDescription: header?.studyDescription || row?.studyDescription || '',
      accessionNumber: header?.accessionNumber ?? '',
    })
  }

  /** Lists an image with the data of its file. */
  show(
    header: ViewedHeader,
    source: Exclude<ViewedInstance['source'], 'manifest'>,
    image: ImageFile,
  ): void {
    const { study, series, instance } = header
    const { studyInstanceUid } = study
    this.media.addObject(header, image)
    const other = this.list.instance(instance.sopInstanceUid)
    if (other && other.source !== 'manifest' && other.studyInstanceUid !== studyInstanceUid) {
      // Frames are identified by their SOP Instance UID only: the pixels of one image would be
      // shown with the geometry and the patient of the other.
      this.#addDanger(studyInstanceUid, message('viewer.same-uid-in-another-study'))
      return
    }
    if (this.#isFirst(study))
      this.list.putStudy({ ...study, isPrior: this.#priors.has(studyInstanceUid) })
    // The data of a manifest is replaced by that of the first file of the series.
    if (!this.#seriesRead.has(series.seriesInstanceUid)) {
      this.#seriesRead.add(series.seriesInstanceUid)
      this.list.putSeries(series)
    }
    const patient = differingPatient(this.list.study(studyInstanceUid), study)
    this.list.putInstance({ ...instance, source, patient })
  }

  /** Whether a file has the patient that its study is listed with. */
  isOfListedPatient(study: HeaderStudy): boolean {
    return differingPatient(this.list.study(study.studyInstanceUid), study) === null
  }

  /** Whether this is the first file of its study. Also compares the patients of the files. */
  #isFirst(study: HeaderStudy): boolean {
    const { studyInstanceUid, patientName, patientId, patientBirthDate } = study
    const patient = this.#patients.get(studyInstanceUid)
    if (patient) {
      if (differencesOf(patient, study).length > 0)
        this.#addDanger(studyInstanceUid, message('viewer.several-patients'))
      return false
    }
    const differingFields = [...this.#patients.values()]
      .map((other) => personDifferencesOf(other, study))
      .find((differences) => differences.length > 0)
    if (differingFields)
      this.#addDanger(
        studyInstanceUid,
        message('viewer.other-patient-beside', {
          fields: differingFields.map((one) => NAMES[one] ?? one),
          count: differingFields.length,
        }),
      )
    this.#patients.set(studyInstanceUid, { patientName, patientId, patientBirthDate })
    this.#compareWithRow(study)
    return true
  }

  #compareWithRow(study: HeaderStudy): void {
    const { studyInstanceUid } = study
    const row = findStudyByUid(this.#database, 'scribe', studyInstanceUid)
    const differing = studyDifferencesOf(study, row?.detail.reportMetadata ?? {})
    if (differing.length === 0) return
    const fields = differing.map(({ field }) => NAMES[field] ?? field)
    const count = differing.length
    this.#addDanger(studyInstanceUid, message('viewer.other-patient-than-study', { fields, count }))
  }

  #addDanger(studyInstanceUid: string, sentence: Message): void {
    const what = message('viewer.patient')
    this.list.faults.add({ level: 'danger', what, sentence, studyInstanceUid })
  }
}

/** The patient of an image, if it differs from the study as listed; otherwise null. */
function differingPatient(listed: ViewedStudy | undefined, header: HeaderStudy) {
  const { patientName, patientId, patientBirthDate, patientSex, accessionNumber } = header
  const own = { patientName, patientId, patientBirthDate, patientSex, accessionNumber }
  const fields = Object.keys(own) as (keyof typeof own)[]
  return listed && fields.every((field) => listed[field] === own[field]) ? null : own
}
