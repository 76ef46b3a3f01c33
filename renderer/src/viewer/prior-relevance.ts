import { regionsOf, wordsOf } from './body-regions.ts'
import type { ListState } from './engine/stack.ts'

/** What decides whether two studies can be compared. */
export interface ComparedStudy {
  readonly modalities: readonly string[]
  /** Descriptions and body parts. */
  readonly text: string
  /** Where the body part is looked for, if not in `text`. */
  readonly regionText?: string
  /** DA; empty where it is not known. */
  readonly studyDate: string
}

/**
 * exam: of the same modality and body part; modality: of the same modality, another or no known
 * body part; other.
 */
export type PriorMatch = 'exam' | 'modality' | 'other'
const RANK: Readonly<Record<PriorMatch, number>> = { exam: 0, modality: 1, other: 2 }

/** Modalities that make the same kind of image; objects that are no images do not count. */
const KINDS: Readonly<Record<string, string>> = { CR: 'DX', RG: 'DX', SR: '', PR: '', KO: '' }
const kindsOf = (modalities: readonly string[]) =>
  new Set(modalities.map((modality) => KINDS[modality] ?? modality).filter(Boolean))

const haveCommonValue = <T>(one: ReadonlySet<T>, other: ReadonlySet<T>) =>
  [...one].some((member) => other.has(member))

export function priorMatch(current: ComparedStudy, prior: ComparedStudy): PriorMatch {
  if (!haveCommonValue(kindsOf(current.modalities), kindsOf(prior.modalities))) return 'other'
  const regions = regionsOf(current.regionText ?? current.text)
  const priorRegions = regionsOf(prior.regionText ?? prior.text)
  if (regions.size > 0 && priorRegions.size > 0)
    return haveCommonValue(regions, priorRegions) ? 'exam' : 'modality'
  // Where a body part is not known, an exam of the same name is the same exam.
  const named = [...wordsOf(current.text)].filter((word) => word.length > 3)
  const priorWords = wordsOf(prior.text)
  return named.some((word) => priorWords.has(word)) ? 'exam' : 'modality'
}

/**
 * Studies that are older than the current one, the most relevant first: of the same modality and
 * body part, then of the same modality, then others; in each group the newest first. A study without
 * a date is the last of its group.
 */
export const rankedPriors = <T>(
  current: ComparedStudy,
  priors: readonly T[],
  studyOf: (prior: T) => ComparedStudy,
): readonly { readonly prior: T; readonly match: PriorMatch }[] =>
  priors
    .filter((prior) => !isLater(studyOf(prior).studyDate, current.studyDate))
    .map((prior) => ({ prior, match: priorMatch(current, studyOf(prior)) }))
    .sort(
      (one, other) =>
        RANK[one.match] - RANK[other.match] ||
        studyOf(other.prior).studyDate.localeCompare(studyOf(one.prior).studyDate),
    )

const isLater = (day: string, than: string) => day !== '' && than !== '' && day > than

/** The view's own study; null while nothing of it is known. */
export function currentStudy({ studies }: Pick<ListState, 'studies'>): ComparedStudy | null {
  const own = studies.find(({ study }) => !study.isPrior)
  if (!own || own.series.length === 0) return null
  const { studyDescription, studyDate } = own.study
  const bodyParts = own.series.map(({ series }) => series.bodyPartExamined).join(' ')
  const names = own.series.map(({ series }) => series.seriesDescription).join(' ')
  // Body Part Examined is often what a device sends for every exam: the description counts first.
  const regionText = [studyDescription, bodyParts].find((text) => regionsOf(text).size > 0)
  return {
    modalities: [...new Set(own.series.map(({ series }) => series.modality))],
    text: [studyDescription, bodyParts, names].join(' '),
    ...(regionText !== undefined && { regionText }),
    studyDate,
  }
}
