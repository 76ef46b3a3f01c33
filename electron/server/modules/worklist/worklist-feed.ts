import type { NewFeedLine } from '#server/modules/dashboard/feed.ts'
import type { FeedLine } from '#shared/contract/dashboard.ts'
import type { InspectionSummary } from '#shared/contract/worklist.ts'
import { UNRECORDED } from './worklist.ts'

/** A recorded worklist query as a line of the feed: its sentence, and the way to its inspection. */
export function feedLineOf(summary: InspectionSummary, associationId: string): NewFeedLine {
  const { callingAeTitle: aeTitle, remoteAddress: address, sentence: text } = summary
  const inspectionId = summary.inspectionId === UNRECORDED ? null : summary.inspectionId
  return {
    associationId,
    kind: 'worklist',
    tone: toneOf(summary),
    aeTitle,
    address,
    text,
    inspectionId,
  }
}

/** The same was asked again: what it came to is in the line before. */
export function repeatLineOf(
  summary: InspectionSummary,
  times: number,
  associationId: string,
): NewFeedLine {
  const { deviceName, callingAeTitle, sent } = summary
  const again = times === 1 ? 'once more' : `${times} times more`
  const exams =
    sent === 0 ? 'nothing as before' : sent === 1 ? 'the same exam' : `the same ${sent} exams`
  return {
    ...feedLineOf(summary, associationId),
    text: `${deviceName || callingAeTitle} asked the same ${again} and was given ${exams}.`,
  }
}

function toneOf({ status, sent, withheld, source }: InspectionSummary): FeedLine['tone'] {
  if (status === 'FE00') return 'plain'
  if (status !== '0000') return 'danger'
  if (withheld > 0 || source === 'stored' || source === 'downtime') return 'warning'
  return sent > 0 ? 'good' : 'plain'
}

/**
 * What an answer of the partner led to, for its event; why rows are withheld is said in the query.
 */
export function effectOf(rows: number, withheld: number): string {
  const came = rows === 0 ? 'No exams came' : rows === 1 ? 'One exam came' : `${rows} exams came`
  return withheld === 0 ? `${came}.` : `${came}; ${withheld} cannot be sent to any device.`
}
