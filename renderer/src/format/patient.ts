import type { PriorReport, Reading } from '#shared/contract/reports.ts'
import type { StudyReportMetadata } from '#shared/contract/scribe.ts'
import { t } from '../i18n/t.ts'
import { type SpanUnit, spanText } from './amounts.ts'
import { dayText } from './dates.ts'
import { nameText } from './patient-name.ts'

/**
 * The age as the partner gave it, else in whole years at the scan (months below two years); empty
 * where neither is known.
 * @param today `YYYY-MM-DD` of the clinic, where the day of the scan is not known
 */
export function ageText(
  { age, dateOfBirth, scanDate }: StudyReportMetadata,
  today: string,
): string {
  if (age) return inWords(age)
  if (!dateOfBirth) return ''
  const [bornYear = 0, bornMonth = 0, bornDay = 0] = dateOfBirth.split('-').map(Number)
  const [year = 0, month = 0, day = 0] = (scanDate ?? today).split('-').map(Number)
  const months = (year - bornYear) * 12 + month - bornMonth - (day < bornDay ? 1 : 0)
  if (months < 0) return ''
  return months < 24 ? spanText(months, 'month') : spanText(Math.floor(months / 12), 'year')
}

const AGE_PATTERN = /^(\d{1,3}) (day|week|month|year)s?$/
/**
 * An age that the gateway made of DICOM's is told in the language of the page; what a partner wrote
 * stays.
 */
function inWords(age: string): string {
  const [, count, unit] = AGE_PATTERN.exec(age) ?? []
  return unit === undefined ? age : spanText(Number(count), unit as SpanUnit)
}

export const sexName = (sex: StudyReportMetadata['sex']): string =>
  sex ? t(`ui.reports.banner.sexes.${sex}`) : ''

/** `CT thorax, 12 Mar 2025`. */
export function priorTitle({ modality, studyDescription, studyDate }: PriorReport): string {
  const named = studyDescription.startsWith(modality)
    ? studyDescription
    : `${modality} ${studyDescription}`.trim()
  const title = named || t('ui.reports.priors.untitled')
  return studyDate ? t('ui.reports.priors.ofDay', { title, day: dayText(studyDate) }) : title
}

/**
 * What the variables of templates and macros become for a study; an empty one stays a field to fill
 * in.
 */
export function templateValues(
  reading: Pick<Reading, 'reportMetadata' | 'context' | 'priors'>,
  today: string,
): Record<string, string> {
  const { reportMetadata: metadata, context, priors } = reading
  const newest = priors[0]
  return {
    patientName: metadata.patientName ? nameText(metadata.patientName) : '',
    age: ageText(metadata, today),
    sex: sexName(metadata.sex).toLowerCase(),
    scanDate: metadata.scanDate ? dayText(metadata.scanDate) : '',
    indication: context.clinicalIndication,
    comparison: newest ? priorTitle(newest) : '',
    referringPhysician: metadata.referringPhysicianName ?? '',
  }
}

/** Earlier reports that hold all the words, in any case; the others are left out. */
export function priorsMatching(
  priors: readonly PriorReport[],
  search: string,
): readonly PriorReport[] {
  const wanted = search.toLowerCase().split(/\s+/).filter(Boolean)
  return priors.filter((prior) => {
    const held = `${priorTitle(prior)}\n${prior.text}`.toLowerCase()
    return wanted.every((word) => held.includes(word))
  })
}
