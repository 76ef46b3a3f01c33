import { expect, it } from 'vitest'
import { effectOf, feedLineOf, repeatLineOf } from '#server/modules/worklist/worklist-feed.ts'
import type { InspectionSummary } from '#shared/contract/worklist.ts'
import { inspectionRecord } from '../../../../support/inspection-record.ts'

const summary = (more: Partial<InspectionSummary>): InspectionSummary => {
  const {
    transferSyntax: _,
    detail: __,
    answerHash: ___,
    verdictHash: ____,
    ...rest
  } = inspectionRecord('2026-11-20T09:00:00.000Z')
  return { ...rest, inspectionId: 7, repeats: 0, lastAt: null, ...more }
}

it('carries the sentence of the query and the way to its inspection', () => {
  expect(feedLineOf(summary({}), 'a1')).toEqual({
    associationId: 'a1',
    kind: 'worklist',
    tone: 'good',
    aeTitle: 'CT1',
    address: '10.0.3.7',
    text: "CT1 asked for today's CT list; 1 sent.",
    inspectionId: 7,
  })
})

it.each([
  ['rows that were sent', {}, 'good'],
  ['an empty list', { sent: 0 }, 'plain'],
  ['a cancel', { status: 'FE00', sent: 0 }, 'plain'],
  ['a row that was withheld', { withheld: 1 }, 'warning'],
  ['a stored answer', { source: 'stored' }, 'warning'],
  ['downtime mode', { source: 'downtime' }, 'warning'],
  ['a failure', { status: 'A700', sent: 0 }, 'danger'],
  ['a refusal', { status: 'C001', sent: 0 }, 'danger'],
] as const)('gives %s its tone', (_, more, tone) => {
  expect(feedLineOf(summary(more), 'a1').tone).toBe(tone)
})

it.each([
  [1, { sent: 10 }, 'CT 1 asked the same once more and was given the same 10 exams.'],
  [12, { sent: 1 }, 'CT 1 asked the same 12 times more and was given the same exam.'],
  [
    2,
    { sent: 0, deviceName: '' },
    'CT1 asked the same 2 times more and was given nothing as before.',
  ],
] as const)('says that the same was asked %i times more', (times, more, text) => {
  expect(repeatLineOf(summary(more), times, 'a1')).toEqual({
    ...feedLineOf(summary(more), 'a1'),
    text,
  })
})

it.each([
  [0, 0, 'No exams came.'],
  [1, 0, 'One exam came.'],
  [25, 0, '25 exams came.'],
  [25, 2, '25 exams came; 2 cannot be sent to any device.'],
])(
  'says of an answer of %i rows, %i of them withheld, what it led to',
  (rows, withheld, effect) => {
    expect(effectOf(rows, withheld)).toBe(effect)
  },
)
