import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { localDay } from '#electron/simulator/partner.ts'
import type { DataSet } from '#server/dicom/data-set/coding.ts'
import { readDataSet, tagOf } from '#server/dicom/data-set/data-set.ts'
import { SOP_CLASS, TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { identifierOf, type Keys } from '../electron/server/modules/worklist/worklist-fixture.ts'
import { type StartedGateway, startGateway } from '../support/gateway.ts'
import { needs } from '../support/needs.ts'
import { type Orthanc, startOrthanc } from '../support/orthanc.ts'
import { associated, ECHO_CONTEXT, type Proposal, WORKLIST_CONTEXT } from '../support/requestor.ts'
import { sameDayClock } from '../support/temp-store.ts'

const { implicitLittleEndian, explicitLittleEndian } = TRANSFER_SYNTAX
/** Of the simulator's day: 24 exams, one of them in two steps; its two bad rows are withheld. */
const STEPS = 25

const clock = sameDayClock()
const TODAY = localDay(clock())
let started: StartedGateway
beforeAll(async () => {
  // The partner is asked at every query, so that two answers have to agree by themselves.
  const devices = ['CT1', 'ORTHANC'].map((aeTitle) => ({ aeTitle }))
  started = await startGateway({ clock, overrides: { 'worklist.freshSeconds': 0 }, devices })
})
afterAll(() => started[Symbol.asyncDispose]())

/**
 * Attributes of type 1 and type 2 as a GE CT demands them (dicom-field §0.1), at the root and in
 * the step.
 */
const TYPE_1 = ['PatientName', 'PatientID', 'StudyInstanceUID', 'RequestedProcedureID']
const STEP_TYPE_1 = [
  ...[
    'ScheduledStationAETitle',
    'ScheduledProcedureStepStartDate',
    'ScheduledProcedureStepStartTime',
    'Modality',
  ],
  'ScheduledProcedureStepID',
]
const TYPE_2 = [
  ...[
    'AccessionNumber',
    'ReferringPhysicianName',
    'PatientBirthDate',
    'PatientSex',
    'PatientWeight',
    'MedicalAlerts',
    'Allergies',
  ],
  ...[
    'PregnancyStatus',
    'RequestingPhysician',
    'AdmissionID',
    'SpecialNeeds',
    'CurrentPatientLocation',
    'PatientState',
  ],
  ...[
    'RequestedProcedurePriority',
    'PatientTransportArrangements',
    'ConfidentialityConstraintOnPatientDataDescription',
  ],
  ...['ReferencedStudySequence', 'ReferencedPatientSequence'],
]
const STEP_TYPE_2 = [
  'ScheduledPerformingPhysicianName',
  'ScheduledStationName',
  'ScheduledProcedureStepLocation',
  'PreMedication',
]
const FORMATS: Readonly<Record<string, RegExp>> = {
  StudyInstanceUID: /^(?=[\d.]{1,64}\0?$)(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*))+\0?$/,
  ScheduledProcedureStepStartDate: /^\d{8}$/,
  ScheduledProcedureStepStartTime: /^([01]\d|2[0-3])[0-5]\d[0-5]\d$/,
  PatientBirthDate: /^(\d{8})?$/,
  PatientSex: /^([MFO] )?$/,
  PatientWeight: /^([\d.+-]{1,16} ?)?$/,
  Modality: /^[A-Z0-9_ ]{2,16}$/,
  AccessionNumber: /^.{0,16}$/s,
  RequestedProcedureID: /^.{1,16}$/s,
  ScheduledProcedureStepID: /^.{1,16}$/s,
  ScheduledStationAETitle: /^[\x20-\x5b\x5d-\x7e]{1,16}$/,
}

const empty = (keywords: readonly string[]): Keys =>
  Object.fromEntries(keywords.map((keyword) => [keyword, keyword.endsWith('Sequence') ? [] : '']))
const STRICT_KEYS: Keys = {
  ...empty([...TYPE_1, ...TYPE_2]),
  ScheduledProcedureStepSequence: empty([
    ...STEP_TYPE_1,
    ...STEP_TYPE_2,
    'ScheduledProcedureStepDescription',
  ]),
}

/** What a strict console finds wrong with a row; '' where it takes it. */
function complaintAbout(row: DataSet): string {
  const steps = row.find(({ tag }) => tag === tagOf('ScheduledProcedureStepSequence'))?.value
  if (!Array.isArray(steps) || steps.length !== 1) return 'not exactly one step'
  const lacking = (
    dataSet: DataSet,
    keywords: readonly string[],
    mayBeEmpty: boolean,
  ): string | undefined =>
    keywords.find((keyword) => {
      const element = dataSet.find(({ tag }) => tag === tagOf(keyword))
      if (!element) return true
      if (!Buffer.isBuffer(element.value)) return false
      const text = element.value.toString('latin1')
      return (
        text.length % 2 !== 0 ||
        (!mayBeEmpty && text.trim() === '') ||
        FORMATS[keyword]?.test(text) === false
      )
    })
  const step = steps[0] as DataSet
  return (
    lacking(row, TYPE_1, false) ??
    lacking(step, STEP_TYPE_1, false) ??
    lacking(row, TYPE_2, true) ??
    lacking(step, STEP_TYPE_2, true) ??
    ''
  )
}

/** Reads rows until one of them is wrong; then cancels and aborts, as a GE CT does. */
async function strictly(
  port: number,
): Promise<{ readonly accepted: DataSet[]; readonly complaint: string; readonly status: number }> {
  const contexts = [{ ...WORKLIST_CONTEXT, transferSyntaxes: [implicitLittleEndian] }]
  await using requestor = await associated(port, { contexts, maximumLength: 51_200 })
  requestor.sendFind(identifierOf(STRICT_KEYS, implicitLittleEndian), 9)
  const accepted: DataSet[] = []
  for (;;) {
    const { command, dataSet } = await requestor.message()
    if (command.status !== 0xff00 || !Buffer.isBuffer(dataSet))
      return { accepted, complaint: '', status: command.status ?? -1 }
    const row = readDataSet(dataSet, implicitLittleEndian)
    const complaint = complaintAbout(row)
    if (complaint !== '') {
      requestor.cancel(9)
      requestor.abort()
      return { accepted, complaint, status: -1 }
    }
    accepted.push(row)
  }
}

const textOf = (row: DataSet, keyword: string): string =>
  String(row.find(({ tag }) => tag === tagOf(keyword))?.value ?? '')

describe('a console that is', () => {
  it('strict takes every row of the day', async () => {
    const { accepted, complaint, status } = await strictly(started.dimsePort)
    expect({ complaint, status, rows: accepted.length }).toEqual({
      complaint: '',
      status: 0x0000,
      rows: STEPS,
    })
    expect(new Set(accepted.map((row) => textOf(row, 'StudyInstanceUID'))).size).toBe(STEPS - 1)
    expect(accepted.filter((row) => textOf(row, 'AccessionNumber').startsWith('TOO-LONG'))).toEqual(
      [],
    )
  })

  it('strict would notice a row that is wrong', () => {
    const right = {
      ...STRICT_KEYS,
      PatientName: 'A^B',
      PatientID: '1 ',
      StudyInstanceUID: '1.2\0',
      RequestedProcedureID: 'R1',
    }
    const step = {
      ...(STRICT_KEYS.ScheduledProcedureStepSequence as Keys),
      ScheduledStationAETitle: 'CT',
      Modality: 'CT',
    }
    const rowOf = (more: Keys) =>
      readDataSet(
        identifierOf({
          ...right,
          ScheduledProcedureStepSequence: { ...step, ScheduledProcedureStepID: 'S1', ...more },
        }),
        explicitLittleEndian,
      )
    const [date, time] = [
      { ScheduledProcedureStepStartDate: '20261120' },
      { ScheduledProcedureStepStartTime: '101500' },
    ]
    expect(complaintAbout(rowOf({ ...date, ...time }))).toBe('')
    expect(complaintAbout(rowOf({ ...date, ScheduledProcedureStepStartTime: '10:15 ' }))).toBe(
      'ScheduledProcedureStepStartTime',
    )
    expect(complaintAbout(rowOf(time))).toBe('ScheduledProcedureStepStartDate')
  })

  it('like a Philips, which makes its exams anew where a byte differs, sees the same bytes at every poll', async () => {
    const before = started.partner.requests
    const polls: Buffer[] = []
    for (let poll = 0; poll < 3; poll++) {
      await using requestor = await associated(started.dimsePort)
      const { identifiers, final } = await requestor.find(identifierOf(STRICT_KEYS), poll + 1)
      expect([identifiers.length, final.status]).toEqual([STEPS, 0x0000])
      polls.push(Buffer.concat(identifiers))
    }
    expect(started.partner.requests - before).toBe(3)
    expect(polls.map((bytes) => bytes.equals(polls[0] ?? Buffer.alloc(0)))).toEqual([
      true,
      true,
      true,
    ])
  })

  it('like an Agfa cancels what is over, rests, and goes on with the same association', async () => {
    await using requestor = await associated(started.dimsePort)
    const counts: number[] = []
    for (let messageId = 1; messageId <= 5; messageId++) {
      const { identifiers, final } = await requestor.find(identifierOf(STRICT_KEYS), messageId)
      counts.push(final.status === 0x0000 ? identifiers.length : -1)
      requestor.cancel(messageId)
      await sleep(100)
    }
    expect(counts).toEqual([STEPS, STEPS, STEPS, STEPS, STEPS])
    expect(await requestor.echo(99)).toBe(0x0000)
    expect((await requestor.release()).type).toBe('A-RELEASE-RP')
  })

  it('like a Medison speaks Implicit VR only and takes 16000 bytes at a time', async () => {
    const proposal: Proposal = {
      contexts: [ECHO_CONTEXT, { ...WORKLIST_CONTEXT, transferSyntaxes: [implicitLittleEndian] }],
      maximumLength: 16_000,
    }
    await using requestor = await associated(started.dimsePort, proposal)
    const { identifiers, final } = await requestor.find(
      identifierOf(STRICT_KEYS, implicitLittleEndian),
    )
    expect([identifiers.length, final.status]).toEqual([STEPS, 0x0000])
    expect(requestor.longestPData).toBeLessThanOrEqual(16_000)
    expect(
      textOf(readDataSet(identifiers[0] ?? Buffer.alloc(0), implicitLittleEndian), 'PatientID'),
    ).toMatch(/^P\d+ ?$/)
  })

  it('like a Siemens proposes each syntax in a context of its own, and is answered in each', async () => {
    const contexts = [
      implicitLittleEndian,
      explicitLittleEndian,
      TRANSFER_SYNTAX.explicitBigEndian,
    ].map((transferSyntax, number) => ({
      id: WORKLIST_CONTEXT.id + number * 2,
      abstractSyntax: SOP_CLASS.modalityWorklistFind,
      transferSyntaxes: [transferSyntax],
    }))
    await using requestor = await associated(started.dimsePort, { contexts, maximumLength: 28_672 })
    const { identifiers, final } = await requestor.find(
      identifierOf(STRICT_KEYS, implicitLittleEndian),
    )
    expect([identifiers.length, final.status]).toEqual([STEPS, 0x0000])
  })
})

describe('Orthanc', () => {
  it('reads the worklist as an SCU', async (context) => {
    needs(context, 'orthanc')
    await using orthanc = await startOrthanc(started.dimsePort)
    const answer = await askedBy(orthanc, {
      PatientName: '*',
      PatientID: '',
      AccessionNumber: '',
      StudyInstanceUID: '',
      ScheduledProcedureStepSequence: [
        { Modality: '', ScheduledProcedureStepStartDate: TODAY, ScheduledProcedureStepID: '' },
      ],
    })
    expect(answer).toHaveLength(STEPS)
    const names = answer.map(({ PatientName }) => String(PatientName))
    expect(names).toContain('Yamada^Tarou=山田^太郎=やまだ^たろう')
    expect(names).toContain('Schröder^Anneliese')
    expect(names.join('')).not.toMatch(/[?\ufffd]/)
    const [step] = (answer[0]?.ScheduledProcedureStepSequence ?? []) as Record<string, string>[]
    expect(step?.ScheduledProcedureStepStartDate).toBe(TODAY)
  })

  it('finds the exams of one modality', async (context) => {
    needs(context, 'orthanc')
    await using orthanc = await startOrthanc(started.dimsePort)
    const answer = await askedBy(orthanc, {
      PatientID: '',
      ScheduledProcedureStepSequence: [{ Modality: 'US' }],
    })
    const modalities = answer.map(
      (row) => (row.ScheduledProcedureStepSequence as Record<string, string>[])[0]?.Modality,
    )
    expect(new Set(modalities)).toEqual(new Set(['US']))
  })
})

/** Has Orthanc ask us by C-FIND. */
const askedBy = (orthanc: Orthanc, query: object) =>
  orthanc.rest<Record<string, unknown>[]>('/modalities/isthmus/find-worklist', query)
