import { describe, expect, it } from 'vitest'
import {
  ANSWER_SOURCES,
  type Inspection,
  PARTNER_FAULTS,
  type ReceivedKey,
  type RowVerdict,
} from '#shared/contract/worklist.ts'
import { verbatim } from '#shared/messages/message.ts'
import { explain, narrowingKeys } from '../../../renderer/src/format/explanation.ts'
import { keywordText } from '../../../renderer/src/i18n/param-text.ts'

const row = (verdict: RowVerdict['verdict'], reason = ''): RowVerdict => ({
  verdict,
  reason: reason === '' ? null : verbatim(reason),
  remarks: [],
  patientName: 'Doe^Jane',
  patientId: 'P1',
  accessionNumber: 'A1',
  modality: 'CT',
  description: 'CT thorax',
  startDate: '20261120',
  startTime: '0900',
  scheduledProcedureStepId: 'S1',
  studyInstanceUid: '1.2.3',
  isClosed: false,
})
const key = (
  keyword: string,
  vr: string,
  value: string,
  matching: ReceivedKey['matching'],
): ReceivedKey => ({
  tag: '(0000,0000)',
  keyword,
  vr,
  value,
  matching,
})

function inspection(change: Partial<Inspection> & { rows?: RowVerdict[] } = {}): Inspection {
  const rows = change.rows ?? []
  const count = (verdict: RowVerdict['verdict']) =>
    rows.filter((one) => one.verdict === verdict).length
  return {
    inspectionId: 7,
    at: '2026-11-20T09:00:00.000Z',
    origin: 'device',
    deviceName: 'CT room 1',
    callingAeTitle: 'CT1',
    calledAeTitle: 'ISTHMUS',
    remoteAddress: '10.0.3.21',
    source: 'live',
    status: '0000',
    errorComment: '',
    fault: null,
    sent: count('sent'),
    filtered: count('filtered'),
    withheld: count('withheld'),
    tookMs: 412,
    partnerMs: 398,
    sentence: verbatim(''),
    repeats: 0,
    lastAt: null,
    transferSyntax: '1.2.840.10008.1.2.1',
    keys: [key('PatientName', 'PN', '', 'universal'), key('Modality', 'CS', 'CT', 'singleValue')],
    question: {
      callingAe: 'CT1',
      clinicId: '00000000-0000-4000-8000-000000000000',
      dateStart: '2026-11-20',
      dateEnd: '2026-11-20',
      sourceIp: '10.0.3.21',
    },
    remarks: [],
    partner: {
      webhookId: 'whe_1',
      httpStatus: 200,
      bytes: 12_412,
      detail: null,
      answeredAt: '2026-11-20T09:00:00.000Z',
    },
    rowsTotal: rows.length,
    ...change,
    rows,
  }
}
const stateOf = (made: Inspection, name: string) =>
  explain(made).stations.find((station) => station.name === name)?.state

describe('why a list is empty', () => {
  it('is that the partner has no exam for these days', () => {
    const explained = explain(inspection())
    expect(explained).toMatchObject({
      tone: 'warning',
      headline: 'Empty, because the partner has no exam for 20 Nov 2026.',
    })
    expect(stateOf(inspection(), 'list')).toBe('stop')
    expect(stateOf(inspection(), 'keys')).toBe('skipped')
  })

  it('is that no exam fits the keys, with the reasons counted, the most frequent first', () => {
    const made = inspection({
      rows: [
        row('filtered', 'other day'),
        row('filtered', 'Modality is MR'),
        row('filtered', 'Modality is MR'),
      ],
    })
    const explained = explain(made)
    expect(explained.headline).toBe(
      'Empty, because none of the partner’s 3 exams matches the device’s query.',
    )
    expect(explained.remedy).toBe('Clear or correct these keys on the device: Modality: CT.')
    expect(stateOf(made, 'keys')).toBe('stop')
    expect(explained.stations.find(({ name }) => name === 'keys')?.details).toEqual([
      '2 exams: Modality is MR',
      '1 exam: other day',
    ])
  })

  it('is that every exam is withheld, before any that do not fit', () => {
    const made = inspection({
      rows: [row('withheld', 'no patient ID'), row('filtered', 'Modality is MR')],
    })
    expect(explain(made)).toMatchObject({
      tone: 'danger',
      headline: 'Empty, because 1 exam cannot be sent safely and 1 exam does not match the query.',
    })
    expect(stateOf(made, 'checks')).toBe('stop')
    expect(stateOf(made, 'keys')).toBe('remark')
  })

  it.each(PARTNER_FAULTS)('names the fault %s and a remedy, and stops at the partner', (fault) => {
    const made = inspection({
      source: 'none',
      status: 'A700',
      fault,
      partner: null,
      partnerMs: null,
    })
    const explained = explain(made)
    expect(explained.tone).toBe('danger')
    expect(explained.headline).toMatch(/^Empty, because .+\.$/)
    expect(explained.remedy.length).toBeGreaterThan(20)
    expect(stateOf(made, 'partner')).toBe('stop')
    expect(stateOf(made, 'list')).toBe('skipped')
  })

  it('is that the query could not be understood, and then nothing else is blamed', () => {
    const made = inspection({
      source: 'none',
      status: 'A900',
      errorComment: 'not a date',
      question: null,
      partner: null,
    })
    expect(explain(made)).toMatchObject({
      tone: 'danger',
      headline: 'The query was not valid, so no list was requested.',
    })
    expect(explain(made).stations.map(({ state }) => state)).toEqual([
      'stop',
      'skipped',
      'skipped',
      'skipped',
      'skipped',
      'skipped',
      'skipped',
    ])
  })

  it('is that the device cancelled', () => {
    expect(explain(inspection({ status: 'FE00', source: 'none' })).headline).toBe(
      'The device cancelled the query after 0 exams.',
    )
  })
})

describe('what was sent', () => {
  it('is said plainly when all is well', () => {
    expect(explain(inspection({ rows: [row('sent'), row('sent')] }))).toMatchObject({
      tone: 'good',
      headline: '2 exams sent.',
      remedy: '',
    })
  })

  it('is a warning when the exams came from a stored answer', () => {
    const explained = explain(
      inspection({ source: 'stored', fault: 'unreachable', rows: [row('sent')] }),
    )
    expect(explained).toMatchObject({
      tone: 'warning',
      headline: '1 exam sent. The partner was unreachable: its last valid response was used.',
    })
  })

  it('is a warning when an exam was withheld beside it', () => {
    const explained = explain(inspection({ rows: [row('sent'), row('withheld', 'no patient ID')] }))
    expect(explained).toMatchObject({
      tone: 'warning',
      headline: '1 exam sent; 1 exam withheld: it cannot be sent safely.',
    })
  })

  it('is a warning when the list was cut', () => {
    const explained = explain(
      inspection({
        status: 'A700',
        errorComment: 'list cut at 1',
        rows: [row('sent'), row('cut')],
      }),
    )
    expect(explained).toMatchObject({
      tone: 'warning',
      headline: '1 exam sent, but the list is not complete: list cut at 1.',
    })
  })

  it.each(ANSWER_SOURCES)('has a conclusion for the source %s', (source) => {
    expect(explain(inspection({ source })).headline).not.toBe('')
  })
})

describe('the keys that narrow a query', () => {
  it('leave out what matches everything, and say dates and times in words', () => {
    expect(
      narrowingKeys([
        key('PatientID', 'LO', '', 'universal'),
        key('ScheduledProcedureStepSequence', 'SQ', '', 'sequence'),
        key('SpecificCharacterSet', 'CS', 'ISO_IR 100', 'ignored'),
        key('PatientName', 'PN', 'MUL*', 'wildCard'),
        key('ScheduledProcedureStepStartDate', 'DA', '20261120-20261120', 'range'),
        key('ScheduledProcedureStepStartDate', 'DA', '20261119-', 'range'),
        key('ScheduledProcedureStepStartTime', 'TM', '-1200', 'range'),
      ]),
    ).toEqual([
      'Patient Name: MUL*',
      'Scheduled Procedure Step Start Date: 20 Nov 2026',
      'Scheduled Procedure Step Start Date: from 19 Nov 2026',
      'Scheduled Procedure Step Start Time: until 12:00',
    ])
  })

  it('are named with their initialisms whole', () => {
    expect([
      keywordText('StudyInstanceUID'),
      keywordText('ScheduledStationAETitle'),
      keywordText('Modality'),
      keywordText('OtherPatientIDs'),
    ]).toEqual([
      'Study Instance UID',
      'Scheduled Station AE Title',
      'Modality',
      'Other Patient IDs',
    ])
  })
})
