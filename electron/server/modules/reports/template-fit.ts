import type { DomainDeps } from '#server/modules/audit/audit.ts'
import type { StudyRecord } from '#server/modules/studies/study-queries.ts'
import type { ReportTemplateRecord } from './report-template-queries.ts'

/**
 * Modalities of what is about images (PS3.3 C.7.3.1.1.1): reports, presentation states, key
 * objects.
 */
export const NO_IMAGES: readonly string[] = ['SR', 'DOC', 'OT', 'PR', 'KO']

/** What the scope of a template is held against; what is not known is undefined or empty. */
export interface TemplateSubject {
  readonly modalities: readonly string[]
  readonly sex: string | undefined
  /** Whole years at the scan. */
  readonly age: number | undefined
  readonly description: string
}

/** Modalities are those of the images, else what the scan type names. */
export function subjectOf(
  { store }: Pick<DomainDeps, 'store'>,
  { studyInstanceUid, studyDescription, createdAt, detail }: StudyRecord,
): TemplateSubject {
  const { scanType = '', sex, age, dateOfBirth, scanDate } = detail.reportMetadata ?? {}
  const received = (store.imageStudies.get(studyInstanceUid)?.modalities ?? []).filter(
    (modality) => !NO_IMAGES.includes(modality),
  )
  const named = scanType.toUpperCase().match(/[A-Z0-9_]+/g) ?? []
  return {
    modalities: received.length > 0 ? received : named,
    sex,
    age:
      yearsOf(age) ??
      (dateOfBirth === undefined
        ? undefined
        : yearsBetween(dateOfBirth, scanDate ?? createdAt.slice(0, 10))),
    description: folded(studyDescription),
  }
}

/**
 * How many parts of the scope the study is known to fit; undefined where one does not. What is not
 * known about the study fits: a template is offered rather than hidden.
 */
export function fitOf(
  template: ReportTemplateRecord,
  { modalities, sex, age, description }: TemplateSubject,
): number | undefined {
  const { modalities: scoped, sex: ofSex, ageFrom, ageTo, keywords } = template
  const tests = [
    {
      isGiven: scoped.length > 0,
      isKnown: modalities.length > 0,
      fits: scoped.some((one) => modalities.includes(one)),
    },
    { isGiven: ofSex !== null, isKnown: sex !== undefined, fits: ofSex === sex },
    {
      isGiven: ageFrom !== null,
      isKnown: age !== undefined,
      fits: age !== undefined && age >= (ageFrom ?? 0),
    },
    {
      isGiven: ageTo !== null,
      isKnown: age !== undefined,
      fits: age !== undefined && age <= (ageTo ?? 0),
    },
    {
      isGiven: keywords.length > 0,
      isKnown: true,
      fits: keywords.some((word) => description.includes(folded(word))),
    },
  ].filter(({ isGiven, isKnown }) => isGiven && isKnown)
  return tests.every(({ fits }) => fits) ? tests.length : undefined
}

const folded = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()

/** Free text such as `45`, `45 y`, `045Y` (PS3.5 AS) or `6 months`. */
function yearsOf(age: string | undefined): number | undefined {
  const [, count, unit = ''] = /^\s*(\d{1,3})\s*([a-z]*)/i.exec(age ?? '') ?? []
  if (count === undefined) return undefined
  return /^(m|w|d)/i.test(unit)
    ? Math.floor(Number(count) / PER_YEAR[unit[0]?.toLowerCase() as keyof typeof PER_YEAR])
    : Number(count)
}
const PER_YEAR = { m: 12, w: 52, d: 365 }

/** Between two days, `YYYY-MM-DD`. */
function yearsBetween(birth: string, day: string): number {
  return (
    Number(day.slice(0, 4)) - Number(birth.slice(0, 4)) - (day.slice(5) < birth.slice(5) ? 1 : 0)
  )
}
