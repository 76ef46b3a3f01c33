import { addDays } from '#server/platform/clinic-day.ts'
import type { WebhookError } from '#server/webhooks/request.ts'
import type { AnswerSource } from '#shared/contract/worklist.ts'
import { becauseOf } from './faults.ts'
import type { WorklistQuery } from './query.ts'
import type { WorklistResult } from './result.ts'

/**
 * What happened, in the words of the sentence. No value of a key and no value of a row is ever in
 * it.
 */
export interface Happening {
  /** The device's name or AE title. */
  readonly who: string
  /** Name of the user who asked in its place, '' for the device itself. */
  readonly userName: string
  readonly query: WorklistQuery | undefined
  /** `YYYY-MM-DD` in the clinic. */
  readonly today: string
  readonly outcome: Outcome
}

export type Outcome =
  | {
      readonly kind: 'answered' | 'cancelled'
      readonly source: Exclude<AnswerSource, 'none'>
      /** Age of the answer in ms, its time in the clinic as `HH:MM`, the call's ms. */
      readonly ageMs: number
      readonly receivedTime: string
      readonly partnerMs: number | null
      readonly exams: number
      readonly failure: WebhookError | undefined
      readonly result: WorklistResult | undefined
      readonly maxRows: number
    }
  | { readonly kind: 'failed'; readonly failure: WebhookError }
  | { readonly kind: 'not understood'; readonly comment: string }
  | { readonly kind: 'broken'; readonly reference: string }
  | { readonly kind: 'cancelled early' }

/** One sentence for a technologist: who asked for what, what the partner did, what was sent. */
export function sentenceFor({ who, userName, query, today, outcome }: Happening): string {
  const subject = userName === '' ? who : `${who} (asked by ${userName} from the window)`
  if (outcome.kind === 'not understood')
    return `${subject} asked in a way that could not be understood: ${outcome.comment}.`
  const asked = query
    ? `${subject} asked for ${listWords(query, today)}`
    : `${subject} asked for the worklist`
  if (outcome.kind === 'failed')
    return `${asked}; it failed because ${becauseOf(outcome.failure.fault, outcome.failure.detail)}.`
  if (outcome.kind === 'broken')
    return `${asked}; it failed because of an error in the gateway (reference ${outcome.reference}).`
  if (outcome.kind === 'cancelled early')
    return `${asked} and cancelled before there was an answer.`
  const sent = outcome.result ? sentWords(outcome.result, outcome.maxRows) : 'nothing was sent'
  const end = outcome.kind === 'cancelled' ? 'the device cancelled while rows were sent' : sent
  return `${asked}; ${sourceWords(outcome)}; ${end}.`
}

function listWords(
  { window, namesDate, namesOrder, modality }: WorklistQuery,
  today: string,
): string {
  const list = modality === '' ? 'list' : `${modality} list`
  if (namesOrder) return `one order or patient${modality === '' ? '' : ` in the ${list}`}`
  const { dateStart, dateEnd } = window
  if (dateStart !== dateEnd)
    return `the ${list} of ${dateStart} to ${dateEnd}${namesDate ? '' : ' (it named no day)'}`
  const day = {
    [today]: 'today’s',
    [addDays(today, 1)]: 'tomorrow’s',
    [addDays(today, -1)]: 'yesterday’s',
  }[dateStart]
  return day ? `${day} ${list}` : `the ${list} of ${dateStart}`
}

function sourceWords({
  source,
  exams,
  ageMs,
  receivedTime,
  partnerMs,
  failure,
}: Extract<Outcome, { kind: 'answered' | 'cancelled' }>): string {
  const list = exams === 0 ? 'that nothing is scheduled' : exams === 1 ? '1 exam' : `${exams} exams`
  const answered = `the partner answered ${list}`
  if (source === 'live') return `${answered} in ${Math.round(partnerMs ?? 0)} ms`
  if (source === 'shared')
    return `${answered} in ${Math.round(partnerMs ?? 0)} ms, asked once for several queries`
  if (source === 'fresh') return `${answered} ${Math.round(ageMs / 1000)} s ago`
  const why = failure ? becauseOf(failure.fault, failure.detail) : 'the partner could not be asked'
  return `answer from ${receivedTime} (${ageWords(ageMs)} old${source === 'downtime' ? ', downtime mode' : ''}) because ${why}`
}

function ageWords(ms: number): string {
  const minutes = Math.max(0, Math.round(ms / 60_000))
  return minutes < 1
    ? 'under a minute'
    : minutes < 120
      ? `${minutes} min`
      : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

function sentWords(
  { sent, filtered, performed, withheld, unfit, cut, filteredBy }: WorklistResult,
  maxRows: number,
): string {
  const parts = [`${sent} sent`]
  if (cut > 0) parts.push(`${cut} cut, as more than ${maxRows} matched`)
  const unmatched = filtered - performed
  if (performed > 0) parts.push(`${performed} done or in progress`)
  if (unmatched > 0)
    parts.push(
      `${unmatched} did not match${filteredBy.length > 0 ? ` (${filteredBy.slice(0, 3).join(', ')})` : ''}`,
    )
  if (withheld > 0) parts.push(`${withheld} withheld`)
  if (sent === 0 && unfit > 0)
    parts.push('told the device that it failed, so that its list does not look empty')
  return parts.join(', ')
}
