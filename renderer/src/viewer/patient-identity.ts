import type { ViewedInstance } from '#shared/contract/viewed-images.ts'
import { dayText } from '../format/dates.ts'
import { nameText, shownName } from '../format/patient-name.ts'
import { t } from '../i18n/t.ts'
import type { ListState } from './engine/stack.ts'

/** Whom the images of a view are of, as the bar above them says it. */
export interface PatientIdentity {
  readonly name: string
  /** ID, birth date and sex, as far as they are known. */
  readonly details: readonly string[]
}

/**
 * The patient of the view's own study; null while no image has been read. Where its images name
 * several patients, that stands in the place of a name.
 */
export function patientIdentity({ studies }: Pick<ListState, 'studies'>): PatientIdentity | null {
  const own = studies.find(({ study }) => !study.isPrior)
  if (!own) return null
  const { patientName, patientId, patientBirthDate, patientSex } = own.study
  // An image with another accession number is still of this patient.
  const isDifferentPatient = ({ patient }: ViewedInstance) =>
    patient !== null &&
    (patient.patientName !== patientName ||
      patient.patientId !== patientId ||
      patient.patientBirthDate !== patientBirthDate)
  if (own.series.some(({ stack }) => stack.some(({ instance }) => isDifferentPatient(instance))))
    return { name: t('ui.viewer.overlay.severalPatients'), details: [] }
  if (patientName === '' && patientId === '') return null
  return {
    name: nameText(patientName),
    details: [
      patientId && t('ui.viewer.overlay.id', { id: patientId }),
      patientBirthDate && t('ui.viewer.overlay.born', { day: dayText(patientBirthDate) }),
      patientSex,
    ].filter(Boolean),
  }
}

/**
 * Title of the page: initials, modality and day tell tabs and windows apart. The name is not in it,
 * because browsers keep titles in their history and the task bar shows them to whoever passes
 * (decision 0053).
 */
export function pageTitle({ studies }: Pick<ListState, 'studies'>, isAnonymous: boolean): string {
  const own = studies.find(({ study }) => !study.isPrior)
  if (!own || isAnonymous) return t('ui.viewer.landing.title')
  const { family, rest } = shownName(own.study.patientName)
  const initials = [family, rest].map((part) => Array.from(part)[0] ?? '').join('')
  const modalities = [...new Set(own.series.map(({ series }) => series.modality))].join(' ')
  const what = [initials, modalities, dayText(own.study.studyDate)].filter(Boolean)
  return what.length === 0
    ? t('ui.viewer.landing.title')
    : t('ui.viewer.landing.titleOf', { what: what.join(' · ') })
}
