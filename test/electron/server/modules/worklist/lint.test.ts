import { describe, expect, it } from 'vitest'
import { worklistDay } from '#electron/simulator/worklist-day.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import type { EncodedIdentifiers } from '#server/dicom/dimse/service.ts'
import { decodeSentRow, sentRows } from '#server/modules/worklist/console-rules.ts'
import { lintRows } from '#server/modules/worklist/lint.ts'
import type { DeviceProfile } from '#shared/contract/devices.ts'
import { englishText } from '#shared/messages/english.ts'
import { textOf } from '../../../../support/saying.ts'
import {
  ask,
  dataSetOf,
  device,
  EXPLICIT,
  identifierOf,
  item,
  type Keys,
  openBench,
} from './worklist-fixture.ts'

const USER = { userId: 'usr_1', firstName: 'Anna', lastName: 'Berg' }

/** An identifier without a fault, of every attribute that a profile speaks of. */
const STEP: Keys = {
  Modality: 'CT',
  ScheduledStationAETitle: 'CT1',
  ScheduledProcedureStepStartDate: '20261120',
  ScheduledProcedureStepStartTime: '101500',
  ScheduledPerformingPhysicianName: '',
  ScheduledProcedureStepDescription: 'Chest',
  ScheduledProcedureStepID: 'S1',
  ScheduledStationName: '',
  ScheduledProcedureStepLocation: '',
}
const ROW: Keys = {
  AccessionNumber: 'A1',
  ReferringPhysicianName: '',
  ReferencedStudySequence: [],
  ReferencedPatientSequence: [],
  PatientName: 'DOE^JANE',
  PatientID: 'P1',
  PatientBirthDate: '19700102',
  PatientSex: 'F',
  PatientWeight: '70',
  MedicalAlerts: '',
  Allergies: '',
  PregnancyStatus: '',
  StudyInstanceUID: '1.2.3',
  RequestingPhysician: '',
  RequestedProcedureDescription: 'CT Chest',
  AdmissionID: '',
  SpecialNeeds: '',
  CurrentPatientLocation: '',
  PatientState: '',
  RequestedProcedureID: 'A1',
  RequestedProcedurePriority: '',
  PatientTransportArrangements: '',
  ConfidentialityConstraintOnPatientDataDescription: '',
  ScheduledProcedureStepSequence: STEP,
}
const without = (keys: Keys, keyword: string): Keys =>
  Object.fromEntries(Object.entries(keys).filter(([name]) => name !== keyword))
const row = (root: Keys = {}, step: Keys = {}): Keys => ({
  ...ROW,
  ...root,
  ScheduledProcedureStepSequence: { ...STEP, ...step },
})

function batchOf(rows: readonly Keys[]): EncodedIdentifiers {
  const encoded = rows.map((keys) => identifierOf(keys))
  let end = 0
  return {
    bytes: Buffer.concat(encoded),
    ends: Uint32Array.from(encoded.map(({ length }) => (end += length))),
  }
}
const lint = (
  rows: readonly Keys[],
  profile: DeviceProfile = 'standard',
  countsBytes = false,
  stepsBefore = new Map<string, Set<string>>(),
) => lintRows([batchOf(rows)], EXPLICIT, { profile, countsBytes }, stepsBefore)
/** Where its rule is published stands at the end of each finding. */
const SOURCE = / \((PS3\.|GE |Philips )[^()]+\)$/
const findingsOf = async (...args: Parameters<typeof lint>) =>
  (await lint(...args)).findings.map(
    ({ severity, keyword, text }) =>
      `${severity} ${keyword} ${englishText(text).replace(SOURCE, '')}`,
  )

describe('the rules of every profile', () => {
  it.each(['standard', 'ge', 'philips'] as const)(
    'find nothing in a row that is as %s wants it',
    async (profile) => {
      expect(await lint([row()], profile)).toMatchObject({
        profile,
        rows: 1,
        refused: 0,
        findings: [],
      })
    },
  )

  it.each([
    [
      'PatientName',
      row({ PatientName: '' }),
      /^refused PatientName is empty and must have a value/,
    ],
    ['PatientID', without(row(), 'PatientID'), /^refused PatientID is empty and must have a value/],
    [
      'ScheduledProcedureStepID',
      row({}, { ScheduledProcedureStepID: '' }),
      /^refused ScheduledProcedureStepID is empty/,
    ],
    [
      'AdmissionID',
      without(row(), 'AdmissionID'),
      /^refused AdmissionID is missing; it must be present/,
    ],
    [
      'a description',
      row({ RequestedProcedureDescription: '' }),
      /^refused RequestedProcedureDescription is empty, and there is no code/,
    ],
    ['a UID', row({ StudyInstanceUID: '1.02.3' }), /^refused StudyInstanceUID is not a valid UID/],
    [
      'a date',
      row({ PatientBirthDate: '19700230' }),
      /^refused PatientBirthDate is not a valid date/,
    ],
    [
      'a time',
      row({}, { ScheduledProcedureStepStartTime: '10:15' }),
      /^refused ScheduledProcedureStepStartTime is not a valid time/,
    ],
    ['a code', row({ PatientSex: 'f' }), /^refused PatientSex is not a valid code/],
    ['a number', row({ PatientWeight: '70,5' }), /^refused PatientWeight is not a decimal number/],
    [
      'a backslash',
      row({ AccessionNumber: 'A\\1' }),
      /^refused AccessionNumber contains a control character or a backslash/,
    ],
    ['a name', row({ PatientName: 'A=B=C=D' }), /^refused PatientName is not a valid name/],
    [
      'a length',
      row({ AccessionNumber: 'A'.repeat(17) }),
      /^refused AccessionNumber has 17 characters; at most 16 are allowed$/,
    ],
    [
      'undeclared bytes',
      row({ PatientName: 'M\xfcller' }),
      /^refused PatientName contains bytes that are not valid/,
    ],
    [
      'an empty character set',
      row({ SpecificCharacterSet: '' }),
      /^refused SpecificCharacterSet is empty; it must have a value or be absent/,
    ],
  ])('find a fault in %s', async (_, keys, finding) => {
    const findings = await findingsOf([keys])
    expect(findings[0]).toMatch(finding)
    expect((await lint([keys])).refused).toBe(1)
  })

  it('find more than one step item in a row', async () => {
    const two = { ...ROW, ScheduledProcedureStepSequence: [STEP, STEP] }
    expect(await findingsOf([two])).toEqual([
      'refused ScheduledProcedureStepSequence has 2 items; it must have exactly one',
    ])
  })

  it('count bytes for a device that does', async () => {
    const keys = row({
      SpecificCharacterSet: 'ISO_IR 192',
      PatientName: Buffer.from('ä'.repeat(33)),
    })
    expect(await findingsOf([keys])).toEqual([])
    expect(await findingsOf([keys], 'standard', true)).toEqual([
      'altered PatientName takes 66 bytes; the console accepts at most 64',
    ])
  })

  it('name the patient, the step and the tag, and put what is refused first', async () => {
    const long = row({ PatientName: 'A'.repeat(33) })
    const { findings } = await lint(
      [long, row({ PatientSex: 'x' }, { ScheduledProcedureStepID: 'S2' })],
      'ge',
    )
    expect(findings.map(({ severity }) => severity)).toEqual(['refused', 'altered'])
    expect(findings[0]).toMatchObject({
      patientName: 'DOE^JANE',
      scheduledProcedureStepId: 'S2',
      tag: '(0010,0040)',
      keyword: 'PatientSex',
    })
  })
})

describe('the rules of GE', () => {
  it('want date and time exactly, and lose the rest of the list with the first row that fails', async () => {
    const rows = [row(), row({}, { ScheduledProcedureStepStartTime: '1015' }), row(), row()]
    expect(await lint(rows, 'ge')).toMatchObject({
      rows: 4,
      refused: 3,
      source: expect.stringContaining('DOC0500644'),
    })
    expect(await findingsOf(rows, 'ge')).toEqual([
      'refused ScheduledProcedureStepStartTime is not exactly HHMMSS; the console stops reading the list at this exam',
    ])
    expect(await lint(rows, 'standard')).toMatchObject({ refused: 0, findings: [] })
  })

  it('tell what the console shows of a long name and holds of a long id', async () => {
    expect(
      await findingsOf([row({ PatientName: 'A'.repeat(32), PatientID: '1'.repeat(16) })], 'ge'),
    ).toEqual([])
    expect(
      await findingsOf([row({ PatientName: 'A'.repeat(33), PatientID: '1'.repeat(17) })], 'ge'),
    ).toEqual([
      'altered PatientName has 33 characters; the console shows the first 32',
      'altered PatientID has 17 characters; the console holds 16, unless it is configured for 64',
    ])
  })
})

describe('the rules of Philips', () => {
  it('want a step id in one study only', async () => {
    const rows = [
      row(),
      row({ StudyInstanceUID: '1.2.4' }),
      row({ StudyInstanceUID: '1.2.5' }, { ScheduledProcedureStepID: 'S2' }),
    ]
    const { refused, findings } = await lint(rows, 'philips')
    expect([refused, findings.length]).toEqual([2, 2])
    expect(textOf(findings[0]?.text)).toMatch(/^is also used in another study of the list/)
    expect((await lint(rows, 'standard')).refused).toBe(0)
  })

  it('want the step id to stay, and allow a step more', async () => {
    const earlier = (...ids: string[]) => new Map([['1.2.3', new Set(ids)]])
    expect((await findingsOf([row()], 'philips', false, earlier('S9')))[0]).toMatch(
      /^altered ScheduledProcedureStepID differs from/,
    )
    expect(await findingsOf([row()], 'philips', false, earlier('S1'))).toEqual([])
    expect(
      await findingsOf(
        [row(), row({}, { ScheduledProcedureStepID: 'S2' })],
        'philips',
        false,
        earlier('S1'),
      ),
    ).toEqual([])
  })
})

describe('checking a device from the window', () => {
  it('asks for today as the device would, and is recorded', async () => {
    await using bench = await openBench({
      items: [item(1), item(2, { PatientName: `${'N'.repeat(40)}^ANNA` })],
    })
    const lint = await bench.worklist.lint(device({ profile: 'ge' }), USER)
    expect(lint).toMatchObject({
      profile: 'ge',
      rows: 2,
      refused: 0,
      inspectionId: bench.inspected[0]?.inspectionId,
    })
    expect(lint.findings.map(({ keyword, severity }) => [keyword, severity])).toEqual([
      ['PatientName', 'altered'],
    ])
    expect(bench.partner.questions[0]).toMatchObject({
      dateStart: '2026-11-20',
      dateEnd: '2026-11-20',
      callingAe: 'CT1',
    })
    expect(bench.inspected[0]).toMatchObject({ origin: 'window', sent: 2 })
  })

  it.each(['standard', 'ge', 'philips'] as const)(
    'finds nothing that %s would refuse in a day of the simulator',
    async (profile) => {
      await using bench = await openBench({ items: worklistDay('20261120', { withBadRows: true }) })
      const lint = await bench.worklist.lint(device({ profile }), USER)
      expect(lint.rows).toBeGreaterThan(10)
      expect(lint.findings.filter(({ severity }) => severity === 'refused')).toEqual([])
    },
  )

  it('finds a step id that is another than the device was sent before', async () => {
    await using bench = await openBench({ items: [item(1)] })
    await bench.find(ask({}, { ScheduledProcedureStepStartDate: '20261120' }))
    bench.temp.clock.pass(60_000)
    bench.partner.now({ items: [item(1, {}, { ScheduledProcedureStepID: 'NEW' })] })
    const lint = await bench.worklist.lint(device({ profile: 'philips' }), USER)
    expect(
      lint.findings.map(({ severity, scheduledProcedureStepId }) => [
        severity,
        scheduledProcedureStepId,
      ]),
    ).toEqual([['altered', 'NEW']])
  })

  it('does not call a list good that could not be had', async () => {
    await using bench = await openBench({ status: 503 })
    await expect(bench.worklist.lint(device(), USER)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('the partner responded with an error'),
    })
    expect(bench.inspected).toHaveLength(1)
  })

  it('finds nothing in a list that is empty', async () => {
    await using bench = await openBench({ items: [] })
    expect(await bench.worklist.lint(device(), USER)).toMatchObject({
      rows: 0,
      refused: 0,
      findings: [],
    })
  })
})

const NAME = 0x00100010

it('reads back what is sent in each transfer syntax, values of the step among them', async () => {
  await using bench = await openBench({ items: [item(1, { PatientName: 'Ödman^Åke' }), item(2)] })
  for (const transferSyntax of Object.values(TRANSFER_SYNTAX)) {
    const { batches } = await bench.find(ask(), { transferSyntax })
    const rows = batches.flatMap((batch) => [...sentRows(batch, transferSyntax)])
    expect(
      rows.map(({ values, steps, terms }) => [
        values.get(NAME)?.text,
        values.get(0x00400009)?.text,
        steps,
        terms,
      ]),
    ).toEqual([
      ['Ödman^Åke', 'S001', 1, ['ISO_IR 100']],
      ['TESTER^NUMBER002', 'S002', 1, []],
    ])
    expect(rows[0]?.values.get(0x0020000d)).toEqual({
      tag: 0x0020000d,
      vr: 'UI',
      text: '2.25.10001',
      isExact: true,
    })
  }
})

it('tells bytes without a meaning, and a row without a step', () => {
  const { values, steps } = decodeSentRow(dataSetOf({ PatientName: 'M\xfcller' }))
  expect([values.get(NAME)?.isExact, steps]).toEqual([false, 0])
})
