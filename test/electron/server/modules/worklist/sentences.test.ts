import { describe, expect, it } from 'vitest'
import type { QueryContext } from '#server/modules/worklist/key.ts'
import { readQuery } from '#server/modules/worklist/query.ts'
import type { WorklistResult } from '#server/modules/worklist/result.ts'
import { type Outcome, sentenceFor } from '#server/modules/worklist/sentences.ts'
import { WebhookError } from '#server/webhooks/request.ts'
import { ask, EXPLICIT, identifierOf, type Keys } from './worklist-fixture.ts'

const CONTEXT: QueryContext = {
  callingAeTitle: 'CT1',
  device: undefined,
  today: '2026-11-20',
  daysBack: 1,
  daysForward: 1,
}
const queryOf = (keys: Keys) => readQuery(identifierOf(keys), EXPLICIT, CONTEXT)
const TODAY = ask({}, { Modality: 'CT', ScheduledProcedureStepStartDate: '20261120' })

const result = (changes: Partial<WorklistResult> = {}): WorklistResult => ({
  chosen: new Uint32Array(),
  verdicts: { findings: [], runs: [] },
  sent: 6,
  filtered: 0,
  performed: 0,
  withheld: 0,
  unfit: 0,
  cut: 0,
  filteredBy: [],
  remarks: [],
  ...changes,
})
const answered = (
  changes: Partial<Extract<Outcome, { kind: 'answered' | 'cancelled' }>> = {},
): Outcome => ({
  kind: 'answered',
  source: 'live',
  ageMs: 0,
  receivedTime: '10:40',
  partnerMs: 412.4,
  exams: 6,
  failure: undefined,
  result: result(),
  maxRows: 10_000,
  ...changes,
})
const say = (outcome: Outcome, keys: Keys = TODAY, userName = '') =>
  sentenceFor({ who: 'CT1', userName, query: queryOf(keys), today: '2026-11-20', outcome })

describe('the sentence', () => {
  it('tells exams that are over from those that did not match', () => {
    const sentence = say(
      answered({
        result: result({ sent: 2, filtered: 4, performed: 3, filteredBy: ['Modality'] }),
      }),
    )
    expect(sentence).toMatch(/; 2 sent, 3 done or in progress, 1 did not match \(Modality\)\.$/)
  })

  it.each([
    [answered(), 'CT1 asked for today’s CT list; the partner answered 6 exams in 412 ms; 6 sent.'],
    [
      answered({ source: 'fresh', ageMs: 8200, partnerMs: null, exams: 1 }),
      'CT1 asked for today’s CT list; the partner answered 1 exam 8 s ago; 6 sent.',
    ],
    [
      answered({
        source: 'stored',
        ageMs: 120_000,
        failure: new WebhookError('unreachable', 'connection refused'),
      }),
      'CT1 asked for today’s CT list; answer from 10:40 (2 min old) because the partner could not be reached (connection refused); 6 sent.',
    ],
    [
      answered({
        result: result({
          sent: 0,
          filtered: 4,
          withheld: 2,
          unfit: 2,
          filteredBy: ['Modality', 'PatientName'],
        }),
      }),
      'CT1 asked for today’s CT list; the partner answered 6 exams in 412 ms; 0 sent, 4 did not match (Modality, PatientName), 2 withheld, told the device that it failed, so that its list does not look empty.',
    ],
    [
      answered({ result: result({ sent: 5, cut: 1 }), maxRows: 5 }),
      'CT1 asked for today’s CT list; the partner answered 6 exams in 412 ms; 5 sent, 1 cut, as more than 5 matched.',
    ],
    [
      { kind: 'failed', failure: new WebhookError('timeout', 'no answer within 8 s') },
      'CT1 asked for today’s CT list; it failed because the partner took too long (no answer within 8 s).',
    ],
    [
      { kind: 'broken', reference: 'abcd1234' },
      'CT1 asked for today’s CT list; it failed because of an error in the gateway (reference abcd1234).',
    ],
    [
      { kind: 'cancelled early' },
      'CT1 asked for today’s CT list and cancelled before there was an answer.',
    ],
  ] satisfies [Outcome, string][])('says what happened: %#', (outcome, sentence) =>
    expect(say(outcome)).toBe(sentence),
  )

  it.each([
    [{}, 'the list of 2026-11-19 to 2026-11-21 (it named no day)'],
    [{ ScheduledProcedureStepStartDate: '20261121' }, 'tomorrow’s list'],
    [{ ScheduledProcedureStepStartDate: '20261119' }, 'yesterday’s list'],
    [{ ScheduledProcedureStepStartDate: '20261124' }, 'the list of 2026-11-24'],
    [
      { ScheduledProcedureStepStartDate: '20261124-20261125', Modality: 'MR' },
      'the MR list of 2026-11-24 to 2026-11-25',
    ],
  ])('names what was asked for: %#', (step, words) =>
    expect(say(answered(), ask({}, step as Keys))).toContain(`CT1 asked for ${words};`),
  )

  it('never says whom a query looked for, nor what it found', () => {
    const sentence = say(
      answered({ result: result({ filtered: 1, filteredBy: ['PatientName'] }) }),
      ask({ PatientName: 'SECRET*', PatientID: 'P-SECRET' }),
    )
    expect(sentence).toBe(
      'CT1 asked for one order or patient; the partner answered 6 exams in 412 ms; 6 sent, 1 did not match (PatientName).',
    )
  })

  it('names the user who asked in the device’s place', () => {
    expect(say(answered(), TODAY, 'Anna Berg')).toMatch(
      /^CT1 \(asked by Anna Berg from the window\) asked for today’s CT list;/,
    )
  })
})
