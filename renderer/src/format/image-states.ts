import {
  type ENRICHMENT_STATES,
  IDENTITY_FIELDS,
  type IdentityDifference,
  type ImageStudySummary,
} from '#shared/contract/images.ts'
import { QUARANTINE_REASONS } from '#shared/contract/quarantine.ts'
import { t, textGroups, textsOf } from '../i18n/t.ts'
import { numberText } from './amounts.ts'
import { clockText, dayText } from './dates.ts'
import type { Tone } from './tones.ts'

/** How something stands, for a badge. */
export interface StateBadge {
  readonly tone: Tone
  readonly name: string
  readonly meaning: string
}

type ArrivingStudy = Pick<
  ImageStudySummary,
  'state' | 'instances' | 'expected' | 'missing' | 'lastTransfer'
>

/**
 * How a study arrives, in the words of the badge: `Receiving`, `Complete`,
 * `Incomplete: 53 missing, transfer broke off 10:42:07`.
 * @param zone the clinic's time zone, for the clock
 */
export function arrivalOf(study: ArrivingStudy, zone: string | undefined, now: Date): StateBadge {
  const { state, instances, expected, missing, lastTransfer } = study
  const abortedText =
    lastTransfer.how === 'aborted'
      ? t('ui.format.images.brokeOff', { at: clockText(lastTransfer.at, zone, now) })
      : ''
  if (state === 'receiving') {
    const name = [t('ui.format.images.receiving'), abortedText].filter(Boolean).join(', ')
    const meaning = abortedText
      ? `${t('ui.format.images.endedEarly')} ${t('ui.format.images.sendAgain')}`
      : t('ui.format.images.receivingMeaning')
    return { tone: abortedText ? 'warning' : 'info', name, meaning }
  }
  if (state === 'complete' && instances === 0) {
    return {
      tone: 'plain',
      name: t('ui.format.images.noImages'),
      meaning: t('ui.format.images.noImagesMeaning'),
    }
  }
  if (state === 'complete') {
    return {
      tone: 'good',
      name: t('ui.format.images.complete'),
      meaning:
        expected === null
          ? t('ui.format.images.completeUnannounced')
          : t('ui.format.images.completeMeaning'),
    }
  }
  const why = [
    missing > 0 ? t('ui.format.images.missing', { count: numberText(missing) }) : '',
    abortedText,
  ]
    .filter(Boolean)
    .join(', ')
  return {
    tone: 'warning',
    name: why ? t('ui.format.images.incompleteWhy', { why }) : t('ui.format.images.incomplete'),
    meaning: t('ui.format.images.sendAgain'),
  }
}

/** `127 / 180`; `127` where nothing announced a number; `185 (180 announced)` where more came. */
export function imageCountText({
  instances,
  expected,
}: Pick<ArrivingStudy, 'instances' | 'expected'>): string {
  if (expected === null) return numberText(instances)
  if (instances > expected)
    return t('ui.format.images.announced', {
      here: numberText(instances),
      announced: numberText(expected),
    })
  return `${numberText(instances)} / ${numberText(expected)}`
}

/** Share of the announced images that are here, 0 to 100; null where nothing announced a number. */
export function shareOf({
  expected,
  missing,
}: Pick<ArrivingStudy, 'expected' | 'missing'>): number | null {
  if (expected === null || expected === 0) return null
  return Math.floor(((expected - Math.min(missing, expected)) / expected) * 100)
}

/** Enrichment by the partner. */
export const ENRICHMENT_BADGES: Record<(typeof ENRICHMENT_STATES)[number], StateBadge> = {
  'not-asked': { tone: 'plain', ...textsOf('ui.format.enrichments.not-asked', 'name', 'meaning') },
  waiting: { tone: 'info', ...textsOf('ui.format.enrichments.waiting', 'name', 'meaning') },
  done: { tone: 'good', ...textsOf('ui.format.enrichments.done', 'name', 'meaning') },
  empty: { tone: 'plain', ...textsOf('ui.format.enrichments.empty', 'name', 'meaning') },
  'given-up': { tone: 'warning', ...textsOf('ui.format.enrichments.given-up', 'name', 'meaning') },
}

/** Why an instance was set aside, and what a person can do. */
export const QUARANTINE_TEXTS: Record<
  (typeof QUARANTINE_REASONS)[number],
  { name: string; remedy: string }
> = textGroups('ui.format.quarantine', QUARANTINE_REASONS, 'name', 'remedy')

/** Names of the fields that the identity check compares. */
export const IDENTITY_NAMES: Readonly<Record<IdentityDifference['field'], string>> = textsOf(
  'ui.format.mismatches',
  ...IDENTITY_FIELDS,
)

const SEXES: Readonly<Record<string, string>> = textsOf('ui.format.sexes', 'M', 'F', 'O')

/** `male` for M (PS3.3 C.7.1.1); what it cannot name is shown as it is. */
export const sexText = (sex: string): string => SEXES[sex.trim().toUpperCase()] ?? sex

/** `born 3 May 1971 · female`, with what is known of it. */
export const bornText = (birthDate: string, sex: string): string =>
  [birthDate && t('ui.format.born', { day: dayText(birthDate) }), sex && sexText(sex)]
    .filter((part) => part !== '')
    .join(' · ')

/** `CT study, 20 Nov 2026`, without the patient: it stands in the window's title too. */
export function studyTitle({
  modalities,
  studyDate,
}: Pick<ImageStudySummary, 'modalities' | 'studyDate'>): string {
  const kind =
    modalities.length > 0
      ? t('ui.format.images.studyOf', { modalities: modalities.join(', ') })
      : t('ui.format.images.study')
  return studyDate ? t('ui.format.images.ofDay', { study: kind, day: dayText(studyDate) }) : kind
}
