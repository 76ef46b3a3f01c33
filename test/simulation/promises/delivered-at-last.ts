import type { Promised } from '../promise.ts'

/**
 * Once the partner is back it gets every signed report, and only what it took is called delivered.
 */
export const deliveredAtLast: Promised = {
  name: 'Every notification arrives at last',
  when: 'day',
  check({ ledger: { arrivals, frozen }, reader, isEnd }) {
    const accepted = new Set(
      arrivals.filter(({ isAccepted }) => isAccepted).map(({ reportId }) => reportId),
    )
    const rows = reader.select<{ subject: string; state: string }>(
      "select subject, state from outbox where kind = 'report.delivered'",
    )
    const lies = rows.filter(({ subject, state }) => state === 'sent' && !accepted.has(subject))
    const missing = [...frozen.keys()].filter(
      (reportId) => !rows.some(({ subject }) => subject === reportId),
    )
    const late = isEnd ? rows.filter(({ state }) => state !== 'sent') : []
    const unknown = [...accepted].filter((reportId) => !frozen.has(reportId))
    return [
      ...lies.map(({ subject }) => `${subject} is called delivered, and the partner never took it`),
      ...missing.map((reportId) => `${reportId} is signed, and is not on its way`),
      ...late.map(({ subject, state }) => `${subject} is ${state} although the partner is back`),
      ...unknown.map((reportId) => `the partner has ${reportId}, which nobody signed`),
    ]
  },
}
