import { describe, expect, it } from 'vitest'
import { worklistDay } from '#electron/simulator/worklist-day.ts'
import type { DataSet } from '#server/dicom/data-set/coding.ts'
import { readDataSet, writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { rowEncoder } from '#server/modules/worklist/character-set-fallback.ts'
import { IdentifierEncoder } from '#server/modules/worklist/identifier-encoder.ts'
import { rowsOfItem } from '#server/modules/worklist/item.ts'
import { readQuery } from '#server/modules/worklist/query.ts'
import {
  ALL,
  ask,
  device,
  identifierOf,
  item,
  type Keys,
  openBench,
  text,
} from './worklist-fixture.ts'

const CONTEXT = {
  callingAeTitle: 'CT1',
  device: undefined,
  today: '2026-11-20',
  daysBack: 1,
  daysForward: 1,
}

function encoded(
  keys: Keys,
  given: unknown = item(1),
  transferSyntax: string = TRANSFER_SYNTAX.explicitLittleEndian,
  clinicName = '',
): Buffer {
  const query = readQuery(identifierOf(keys, transferSyntax), transferSyntax, CONTEXT)
  const layout = new IdentifierEncoder(query, transferSyntax, clinicName)
  const [row] = rowsOfItem(given, { dateStart: '2026-11-20', dateEnd: '2026-11-20', modality: '' })
  if (!row) throw new Error('no row')
  const target = Buffer.alloc(layout.maxSize(row), 0xee)
  const end = layout.write(
    target,
    0,
    row,
    rowEncoder(layout.texts, {
      deviceSet: null,
      always: false,
      countsBytes: false,
      declared: [],
    })(row),
  )
  return target.subarray(0, end)
}
const decoded = (...args: Parameters<typeof encoded>): DataSet =>
  readDataSet(encoded(...args), args[2] ?? TRANSFER_SYNTAX.explicitLittleEndian)

const itemsOf = (row: DataSet) =>
  (row.find(({ tag }) => tag === 0x00400100)?.value ?? []) as readonly DataSet[]

describe('an identifier', () => {
  it.each(Object.entries(TRANSFER_SYNTAX))(
    'is in %s what the one writer of data sets writes',
    (_, transferSyntax) => {
      const bytes = encoded(
        ALL,
        item(1, { PatientName: 'Ödman^Åke', PatientID: 'ODD' }),
        transferSyntax,
      )
      expect(bytes.length % 2).toBe(0)
      expect(writeDataSet(readDataSet(bytes, transferSyntax), transferSyntax).equals(bytes)).toBe(
        true,
      )
    },
  )

  it('has what was asked for and nothing else, in the order of tags', () => {
    const row = decoded({ PatientName: '', ScheduledProcedureStepSequence: { Modality: '' } })
    expect(row.map(({ tag }) => tag)).toEqual([0x00100010, 0x00400100])
    expect(itemsOf(row).map((inner) => inner.map(({ tag }) => tag))).toEqual([[0x00080060]])
    expect(decoded({ PatientID: '' }).map(({ tag }) => tag)).toEqual([0x00100020])
  })

  it('has attributes that nobody knows with zero length, of any standard kind', () => {
    const row = decoded(
      ask({
        AdmissionID: '',
        PregnancyStatus: '',
        ReferencedStudySequence: { ReferencedSOPClassUID: '' },
        OtherPatientNames: 'X*',
        ImageType: '',
      }),
    )
    expect(
      ['AdmissionID', 'PregnancyStatus', 'OtherPatientNames', 'ImageType'].map((keyword) =>
        text(row, keyword),
      ),
    ).toEqual(['', '', '', ''])
    expect(text(row, 'ReferencedStudySequence')).toBe('0 items')
  })

  it('leaves out what would be wrong when empty', () => {
    const row = decoded(
      ask(
        { RequestedProcedureCodeSequence: { CodeValue: '' } },
        { ScheduledProtocolCodeSequence: { CodeValue: '' } },
      ),
    )
    expect([
      text(row, 'RequestedProcedureCodeSequence'),
      text(row, 'ScheduledProtocolCodeSequence'),
    ]).toEqual([undefined, undefined])
  })

  it('never has a character set of zero length, nor one that was only asked for', () => {
    expect(text(decoded(ask({ SpecificCharacterSet: '' })), 'SpecificCharacterSet')).toBeUndefined()
    expect(
      text(
        decoded(ask({ SpecificCharacterSet: '' }), item(1, { PatientName: 'Åke' })),
        'SpecificCharacterSet',
      ),
    ).toBe('ISO_IR 100')
  })

  it('derives the age, names the clinic and the status of the step where asked', () => {
    const row = decoded(
      ask({ PatientAge: '', InstitutionName: '' }, { ScheduledProcedureStepStatus: '' }),
      item(1),
      undefined,
      'St. Anna',
    )
    expect(
      ['PatientAge', 'InstitutionName', 'ScheduledProcedureStepStatus'].map((keyword) =>
        text(row, keyword),
      ),
    ).toEqual(['056Y', 'St. Anna', 'SCHEDULED'])
  })

  it('pads text with a space and a UID with NUL', () => {
    const row = decoded(ask(), item(1, { PatientID: 'ODD', StudyInstanceUID: '1.2.3' }))
    expect(row.find(({ tag }) => tag === 0x00100020)?.value).toEqual(Buffer.from('ODD '))
    expect(row.find(({ tag }) => tag === 0x0020000d)?.value).toEqual(Buffer.from('1.2.3\0'))
  })

  it('returns a key of the step at the root too where the console put it there', () => {
    const row = decoded({
      PatientName: '',
      Modality: '',
      ScheduledProcedureStepSequence: { ScheduledProcedureStepID: '' },
    })
    expect(row.map(({ tag }) => tag)).toEqual([0x00080060, 0x00100010, 0x00400100])
    expect(itemsOf(row).map((inner) => inner.map(({ tag }) => tag))).toEqual([
      [0x00080060, 0x00400009],
    ])
  })
})

// GE DOC0500644 p. 84: one row that fails and the console drops the rest of the list.
const ACCEPTED: Readonly<Record<string, RegExp>> = {
  PatientName: /^[^\\]{1,194}$/,
  PatientID: /^[^\\]{1,64}$/,
  StudyInstanceUID: /^(?=.{1,64}$)(0|[1-9]\d*)(\.(0|[1-9]\d*))+$/,
  ScheduledStationAETitle: /^[\x21-\x5b\x5d-\x7e]{1,16}$/,
  ScheduledProcedureStepStartDate: /^\d{8}$/,
  ScheduledProcedureStepStartTime: /^\d{6}$/,
  ScheduledProcedureStepID: /^[^\\]{1,16}$/,
  RequestedProcedureID: /^[^\\]{1,16}$/,
  Modality: /^[A-Z0-9_ ]{1,16}$/,
  AccessionNumber: /^[^\\]{0,16}$/,
  PatientBirthDate: /^(\d{8})?$/,
  PatientSex: /^[MFO]?$/,
  PatientWeight: /^([0-9.]{1,16})?$/,
  ReferringPhysicianName: /^$/,
  ScheduledPerformingPhysicianName: /^$/,
}

describe('every row of a clinic’s day', () => {
  it.each([null, 'ISO_IR 6', 'ISO_IR 100', 'ISO_IR 192', 'ISO 2022 IR 87'] as const)(
    'passes a strict console whose set is %s',
    async (characterSet) => {
      await using bench = await openBench({ items: worklistDay('20261120', { withBadRows: true }) })
      bench.setDevices([device({ characterSet })])
      const { rows, final } = await bench.find(
        ask({}, { ScheduledProcedureStepStartDate: '20261120' }),
      )
      expect(final.status).toBe(0)
      expect(rows.length).toBeGreaterThan(15)
      const faults = rows.flatMap((row) =>
        Object.entries(ACCEPTED).flatMap(([keyword, form]) =>
          form.test(text(row, keyword) ?? 'absent and too long to be any of these')
            ? []
            : [`${keyword}: ${text(row, keyword)}`],
        ),
      )
      expect(faults).toEqual([])
    },
  )

  it('is the same bytes at every query, also after a restart', async () => {
    await using bench = await openBench({ items: worklistDay('20261120') })
    const day = ask({}, { ScheduledProcedureStepStartDate: '20261120' })
    const first = await bench.find(day)
    bench.restart()
    bench.temp.clock.pass(60_000)
    const second = await bench.find(day)
    expect(first.rows.length).toBeGreaterThan(20)
    expect(second.batches[0]?.bytes.equals(first.batches[0]?.bytes ?? Buffer.alloc(0))).toBe(true)
  })
})
