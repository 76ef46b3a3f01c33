import { describe, expect, it } from 'vitest'
import { DimseError } from '#server/dicom/dimse/status.ts'
import { readQuery } from '#server/modules/worklist/query.ts'
import {
  CANCELLED,
  feedLineOf,
  type QueryRun,
  repeatLineOf,
  sentenceOf,
} from '#server/modules/worklist/query-run.ts'
import type { WorklistResult } from '#server/modules/worklist/result.ts'
import { effectOf, type ServedAnswer } from '#server/modules/worklist/worklist-cache.ts'
import { WebhookError } from '#server/webhooks/request.ts'
import type { InspectionSummary } from '#shared/contract/worklist.ts'
import { englishText } from '#shared/messages/english.ts'
import { verbatim } from '#shared/messages/message.ts'
import { inspectionRecord } from '../../../../support/inspection-record.ts'
import { ask, associationOf, EXPLICIT, identifierOf, type Keys } from './worklist-fixture.ts'

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
  [1, { sent: 10 }, 'CT 1 repeated the query once and received the same 10 exams.'],
  [12, { sent: 1 }, 'CT 1 repeated the query 12 times and received the same exam.'],
  [2, { sent: 0, deviceName: '' }, 'CT1 repeated the query 2 times and received no exams again.'],
] as const)('says that the same was asked %i times more', (times, more, text) => {
  expect(repeatLineOf(summary(more), times, 'a1')).toEqual({
    ...feedLineOf(summary(more), 'a1'),
    text,
  })
})

it.each([
  [0, 0, 'No exams were received.'],
  [1, 0, 'One exam was received.'],
  [25, 0, '25 exams were received.'],
  [25, 2, '25 exams were received; 2 cannot be sent to any device.'],
])(
  'says of an answer of %i rows, %i of them withheld, what it led to',
  (rows, withheld, effect) => {
    expect(effectOf(rows, withheld)).toEqual(effect)
  },
)

const AT = Date.parse('2026-11-20T10:42:00.000Z')
const TODAY = ask({}, { Modality: 'CT', ScheduledProcedureStepStartDate: '20261120' })
const queryOf = (keys: Keys) =>
  readQuery(identifierOf(keys), EXPLICIT, {
    callingAeTitle: 'CT1',
    device: undefined,
    today: '2026-11-20',
    daysBack: 1,
    daysForward: 1,
  })

/** A live answer of six exams, and what it was otherwise. */
const answered = (changes: Partial<ServedAnswer> = {}, exams = 6, ageMs = 0): ServedAnswer =>
  ({
    source: 'live',
    answer: { list: { rows: Array.from({ length: exams }) }, receivedAt: AT - ageMs },
    partnerMs: 412.4,
    failure: undefined,
    ...changes,
  }) as ServedAnswer
const cached = (changes: Partial<WorklistResult> = {}, maxRows = 10_000) =>
  ({
    result: {
      ...{ sent: 6, filtered: 0, performed: 0, withheld: 0, unfit: 0, cut: 0 },
      filteredBy: [],
      ...changes,
    },
    maxRows,
  }) as unknown as QueryRun['cached']
const failed = (error: unknown) => ({
  answered: undefined,
  cached: undefined,
  exception: { error, reference: 'abcd1234' },
})

function say(changes: Partial<Record<keyof QueryRun, unknown>> = {}, keys: Keys = TODAY): string {
  const run = {
    at: AT,
    request: { association: associationOf() },
    querySource: { origin: 'device' },
    now: { day: '2026-11-20', time: '104200' },
    query: queryOf(keys),
    answered: answered(),
    cached: cached(),
    final: { status: 0 },
    ...changes,
  }
  return englishText(sentenceOf(run as unknown as QueryRun, 'UTC'))
}

describe('the sentence', () => {
  it.each([
    [{}, 'the partner returned 6 exams in 412 ms; 6 exams sent.'],
    [
      { answered: answered({ source: 'shared' }) },
      'the partner returned 6 exams in 412 ms, to one request for several queries; 6 exams sent.',
    ],
    [
      { answered: answered({ source: 'fresh', partnerMs: null }, 1, 8200) },
      'the partner’s list from 8 s earlier was reused (1 exam); 6 exams sent.',
    ],
    [
      {
        answered: answered(
          {
            source: 'stored',
            failure: new WebhookError('unreachable', verbatim('connection refused')),
          },
          6,
          120_000,
        ),
      },
      'the stored response of 10:40 (2 min old) was used because the partner could not be reached (connection refused); 6 exams sent.',
    ],
    [
      {
        cached: cached({
          ...{ sent: 0, filtered: 4, withheld: 2, unfit: 2 },
          filteredBy: ['Modality', 'PatientName'],
        }),
      },
      'the partner returned 6 exams in 412 ms; 0 exams sent, 4 did not match (Modality, PatientName), 2 withheld; the device was told that the query failed, so that its list does not look empty.',
    ],
    [
      { cached: cached({ sent: 2, filtered: 4, performed: 3, filteredBy: ['Modality'] }) },
      'the partner returned 6 exams in 412 ms; 2 exams sent, 3 done or in progress, 1 did not match (Modality).',
    ],
    [
      { cached: cached({ sent: 5, cut: 1 }, 5) },
      'the partner returned 6 exams in 412 ms; 5 exams sent, 1 left out because more than 5 matched, so the query ended with status A700.',
    ],
    [
      { final: CANCELLED },
      'the partner returned 6 exams in 412 ms; the device cancelled the query while exams were being sent.',
    ],
    [
      failed(new WebhookError('timeout', verbatim('no answer within 8 s'))),
      'the query failed because the partner took too long to respond (no answer within 8 s).',
    ],
    [
      failed(new Error('bug')),
      'the query failed because of an error in the gateway (reference abcd1234).',
    ],
  ])('says what happened: %#', (changes, words) =>
    expect(say(changes)).toBe(`CT1 queried today’s CT worklist; ${words}`),
  )

  it('says that a query was cancelled early, or not understood', () => {
    expect(say({ answered: undefined, cached: undefined })).toBe(
      'CT1 queried today’s CT worklist and cancelled before there was a response.',
    )
    expect(say({ ...failed(new DimseError(0xa900, verbatim('no date'))), query: undefined })).toBe(
      'CT1 sent a worklist query that is not valid: no date.',
    )
  })

  it.each([
    [{}, 'the worklist for 2026-11-19 to 2026-11-21 (the query gave no date)'],
    [{ ScheduledProcedureStepStartDate: '20261121' }, 'tomorrow’s worklist'],
    [{ ScheduledProcedureStepStartDate: '20261119' }, 'yesterday’s worklist'],
    [{ ScheduledProcedureStepStartDate: '20261124' }, 'the worklist for 2026-11-24'],
    [
      { ScheduledProcedureStepStartDate: '20261124-20261125', Modality: 'MR' },
      'the MR worklist for 2026-11-24 to 2026-11-25',
    ],
  ])('names what was asked for: %#', (step, words) =>
    expect(say({}, ask({}, step as Keys))).toContain(`CT1 queried ${words};`),
  )

  it('never says whom a query looked for, nor what it found', () =>
    expect(
      say(
        { cached: cached({ filtered: 1, filteredBy: ['PatientName'] }) },
        ask({ PatientName: 'SECRET*', PatientID: 'P-SECRET' }),
      ),
    ).toBe(
      'CT1 queried the worklist for one order or patient; the partner returned 6 exams in 412 ms; 6 exams sent, 1 did not match (PatientName).',
    ))

  it('names the user who asked in the device’s place', () =>
    expect(say({ querySource: { user: { userId: 'usr_1', name: 'Anna Berg' } } })).toMatch(
      /^CT1 \(test query by Anna Berg\) queried today’s CT worklist;/,
    ))
})
