import { CANARY } from '../exams.ts'
import type { Promised } from '../promise.ts'

/**
 * Nothing about a patient in a log, or in what an outbox row says of its last attempt; no errors of
 * ours where the disk was well.
 */
export const logSilent: Promised = {
  name: 'Nothing about a patient in a log',
  when: 'step',
  check({ ledger, reader }) {
    const lines = ledger.log.splice(0)
    const faults = reader.select<{ lastError: string }>(
      'select lastError from outbox where lastError is not null',
    )
    return [
      ...lines
        .filter((line) => CANARY.test(line))
        .map((line) => `a line names a patient: ${line.slice(0, 300)}`),
      ...faults
        .filter(({ lastError }) => CANARY.test(lastError))
        .map(() => 'an attempt of the outbox names a patient'),
      ...(ledger.faultsMet > 0
        ? []
        : lines
            .filter((line) => line.includes('internal error'))
            .map((line) => `an error of ours: ${line.slice(0, 1500)}`)),
    ]
  },
}
