import type { Promised } from '../promise.ts'

/**
 * A notification that comes again is the same one: one event a report, one content an event but for
 * the link, and each call is signed.
 */
export const deliveredTheSame: Promised = {
  name: 'Nothing is delivered twice with different text',
  when: 'step',
  check({ ledger: { arrivals, frozen } }) {
    const byEvent = Map.groupBy(arrivals, ({ eventId }) => eventId)
    const byReport = Map.groupBy(arrivals, ({ reportId }) => reportId)
    return [
      ...[...byEvent]
        .filter(([, of]) => distinct(of.map(({ content }) => content)) > 1)
        .map(([eventId]) => `${eventId} came with two contents`),
      ...[...byReport]
        .filter(([, of]) => distinct(of.map(({ eventId }) => eventId)) > 1)
        .map(([reportId]) => `${reportId} came as two events`),
      ...arrivals
        .filter(({ isSigned }) => !isSigned)
        .map(({ eventId }) => `${eventId} came without a valid signature`),
      ...arrivals
        .filter(({ reportId, text }) => frozen.has(reportId) && frozen.get(reportId)?.text !== text)
        .map(({ reportId }) => `${reportId} came with a text that was not signed`),
    ]
  },
}

const distinct = (texts: readonly string[]) => new Set(texts).size
