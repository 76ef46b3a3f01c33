import { describe, expect, it } from 'vitest'
import { writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { rowsOfItem } from '#server/modules/worklist/item.ts'
import type { QueryOrigin } from '#server/modules/worklist/key.ts'
import { readQuery, UnreadableQuery, type WorklistQuery } from '#server/modules/worklist/query.ts'
import type { Device } from '#shared/contract/devices.ts'
import { saying, textOf } from '../../../../support/saying.ts'
import {
  ALL,
  ask,
  dataSetOf,
  device,
  EXPLICIT,
  identifierOf,
  item,
  type Keys,
} from './worklist-fixture.ts'

const context = (changes: Partial<Device> = {}): QueryOrigin => ({
  callingAeTitle: 'CT1',
  device: device(changes),
  today: '2026-11-20',
  daysBack: 1,
  daysForward: 1,
})
const read = (keys: Keys, changes: Partial<Device> = {}): WorklistQuery =>
  readQuery(identifierOf(keys), EXPLICIT, context(changes))
const matches = ({ keys }: WorklistQuery, fields = {}, step = {}): boolean =>
  rowsOfItem(item(1, fields, step), {
    dateStart: '2026-11-20',
    dateEnd: '2026-11-20',
    modality: '',
  }).every((row) => keys.every((key) => key.matches(row)))
const kindOf = ({ received }: WorklistQuery, keyword: string) =>
  received.find((key) => key.keyword === keyword)?.matching
const tagsOf = (keys: readonly { readonly tag: number }[]) => keys.map(({ tag }) => tag)

describe('the keys of a query', () => {
  it('without values match everything and ask for everything they name', () => {
    const query = read(ALL)
    expect(query.keys).toEqual([])
    expect(matches(query)).toBe(true)
    expect(query.step).toHaveLength(7)
    expect(query.root).toHaveLength(11)
    expect(query).toMatchObject({
      modality: '',
      station: 'CT1',
      namesDate: false,
      namesOrder: false,
      remarks: [],
    })
  })

  it.each(['*', '**', ' ', '*\\*'])('are universal as %j', (value) => {
    const query = read(
      ask(
        { PatientName: value, StudyInstanceUID: value, AccessionNumber: value },
        { Modality: value },
      ),
    )
    expect(query.keys).toEqual([])
    expect(kindOf(query, 'PatientName')).toBe('universal')
  })

  it('are named after PS3.4 C.2.2.2, with their sequence', () => {
    const query = read(
      ask(
        { PatientName: 'SMI*', PatientID: 'P001', StudyInstanceUID: '1.2.3\\1.2.4' },
        {
          Modality: 'CT',
          ScheduledProcedureStepStartDate: '20261120-20261121',
          ScheduledProcedureStepStartTime: '',
        },
      ),
    )
    expect(
      [
        'PatientName',
        'PatientID',
        'StudyInstanceUID',
        'Modality',
        'ScheduledProcedureStepStartDate',
        'ScheduledProcedureStepStartTime',
        'ScheduledProcedureStepSequence',
      ].map((keyword) => kindOf(query, keyword)),
    ).toEqual([
      'wildCard',
      'singleValue',
      'listOfUid',
      'singleValue',
      'range',
      'universal',
      'sequence',
    ])
    expect(query.received.find(({ keyword }) => keyword === 'Modality')?.tag).toBe(
      '(0040,0100) > (0008,0060)',
    )
  })

  it('take a modality in small letters, and several as any of them, asking the partner for none', () => {
    expect(read(ask({}, { Modality: 'ct ' }))).toMatchObject({ modality: 'CT' })
    const several = read(ask({}, { Modality: 'MR\\CT' }))
    expect(several.modality).toBe('')
    expect(matches(several)).toBe(true)
    expect(matches(several, {}, { Modality: 'US' })).toBe(false)
    expect(read(ask({}, { Modality: 'C*' })).modality).toBe('')
  })

  it('ask for a month around today where they name an order or a patient', () => {
    const query = read(ask({ AccessionNumber: 'A001' }))
    expect(query.namesOrder).toBe(true)
    expect(query.window).toMatchObject({ dateStart: '2026-10-21', dateEnd: '2026-12-20' })
    expect(read(ask({ AccessionNumber: 'A0*' })).namesOrder).toBe(false)
  })

  it('that the partner’s list cannot answer are passed over when optional, and met by nothing when required', () => {
    const optional = read(ask({ SpecialNeeds: 'X1', PregnancyStatus: Buffer.from([1, 0]) }))
    expect(matches(optional)).toBe(true)
    expect(optional.remarks).toEqual([
      saying(/^PregnancyStatus \(0010,21C0\) was not used for matching/),
      saying(/^SpecialNeeds \(0038,0050\) was not used for matching/),
    ])
    expect(matches(read(ask({}, { ScheduledPerformingPhysicianName: 'HOUSE' })))).toBe(false)
  })

  it('of two days and a night are one interval, and a night without them is refused', () => {
    const night = read(
      ask(
        {},
        {
          ScheduledProcedureStepStartDate: '20261119-20261120',
          ScheduledProcedureStepStartTime: '2200-0700',
        },
      ),
    )
    expect(night.window).toMatchObject({ dateStart: '2026-11-19', dateEnd: '2026-11-20' })
    const at = (date: string, time: string) =>
      matches(
        night,
        {},
        { ScheduledProcedureStepStartDate: date, ScheduledProcedureStepStartTime: time },
      )
    expect([
      at('20261119', '2159'),
      at('20261119', '2200'),
      at('20261120', '0300'),
      at('20261120', '0701'),
    ]).toEqual([false, true, true, false])
    for (const dates of ['', '20261120', '20261120-20261120', '20261120-', '-20261120']) {
      const keys = ask(
        {},
        { ScheduledProcedureStepStartDate: dates, ScheduledProcedureStepStartTime: '2200-0700' },
      )
      expect(() => read(keys)).toThrow(
        'ScheduledProcedureStepStartTime: the range ends before it begins',
      )
    }
  })

  it('of the status of the step are met by SCHEDULED where nothing has begun', () => {
    expect(matches(read(ask({}, { ScheduledProcedureStepStatus: 'ARRIVED\\SCHEDULED' })))).toBe(
      true,
    )
    expect(matches(read(ask({}, { ScheduledProcedureStepStatus: 'ARRIVED' })))).toBe(false)
  })

  it('of private groups, the query level and the character set are shown and never matched or returned', () => {
    const elements = [
      ...dataSetOf({ ...ALL, SpecificCharacterSet: 'ISO_IR 100', QueryRetrieveLevel: 'WORKLIST' }),
      { tag: 0x00091001, vr: 'LO', value: Buffer.from('ours') },
    ].sort((a, b) => a.tag - b.tag)
    const query = readQuery(writeDataSet(elements, EXPLICIT), EXPLICIT, context())
    expect(matches(query)).toBe(true)
    expect(tagsOf(query.root)).not.toContain(0x00080005)
    expect(tagsOf(query.root)).not.toContain(0x00080052)
    expect(tagsOf(query.root)).not.toContain(0x00091001)
    expect(
      query.received.filter(({ matching }) => matching === 'ignored').map(({ tag }) => tag),
    ).toEqual(['(0008,0005)', '(0008,0052)', '(0009,1001)'])
  })
})

describe('the step sequence', () => {
  it.each([
    ['without an item', []],
    ['with an empty item', {}],
  ])('%s asks for all of type 1 and 2 in it', (_, value) => {
    const query = read({ PatientName: '', ScheduledProcedureStepSequence: value as Keys })
    expect(tagsOf(query.step)).toEqual([
      0x00080060, 0x00321070, 0x00400001, 0x00400002, 0x00400003, 0x00400006, 0x00400007,
      0x00400009, 0x00400010, 0x00400011, 0x00400012,
    ])
  })

  it('with two items is refused', () => {
    const keys = {
      PatientName: '',
      ScheduledProcedureStepSequence: [{ Modality: 'CT' }, { Modality: 'MR' }],
    }
    expect(() => read(keys)).toThrow(
      expect.objectContaining({
        result: expect.objectContaining({ status: 0xa900, offendingElements: [0x00400100] }),
      }),
    )
  })

  it('may have its keys beside it, with a remark; a key inside it wins', () => {
    const query = read({
      PatientName: '',
      Modality: 'MR',
      ScheduledProcedureStepStartDate: '20261121',
      ScheduledProcedureStepSequence: { Modality: 'CT' },
    })
    expect(query.modality).toBe('CT')
    expect(query.window).toMatchObject({ dateStart: '2026-11-21', dateEnd: '2026-11-21' })
    expect(tagsOf(query.step)).toEqual([0x00080060, 0x00400002])
    expect(textOf(query.remarks[0])).toMatch(
      /outside ScheduledProcedureStepSequence.*: ScheduledProcedureStepStartDate\.$/,
    )
  })
})

describe('the station asked for', () => {
  const station = (value: string, stationMode: Device['stationMode']) =>
    read(ask({}, { ScheduledStationAETitle: value }), { stationMode })
  it('is given back where it is the caller, in the caller’s spelling of it', () => {
    expect(station('ct1', 'strict')).toMatchObject({ station: 'ct1', keys: [], remarks: [] })
  })
  it('is the caller’s own title where none or a pattern is given', () => {
    expect(station('', 'echo').station).toBe('CT1')
    expect(station('CT*', 'strict')).toMatchObject({ station: 'CT1', keys: [] })
  })
  it('of another name is echoed with a remark, or matches nothing where the device is strict', () => {
    const echoed = station('MR9', 'echo')
    expect(echoed).toMatchObject({ station: 'MR9', keys: [] })
    expect(echoed.remarks).toEqual([
      'The query names the station MR9 instead of CT1; the exams are sent anyway.',
    ])
    expect(matches(station('MR9', 'strict'))).toBe(false)
  })
})

describe('the character set of a query', () => {
  const latin1 = Buffer.from('M\xfcller', 'latin1')
  it('is the one it declares', () => {
    const query = read(ask({ SpecificCharacterSet: 'ISO_IR 100', PatientName: latin1 }))
    expect(query.characterSet).toEqual(['ISO_IR 100'])
    expect(matches(query, { PatientName: 'Müller^Anna' })).toBe(true)
    expect(matches(query, { PatientName: 'Miller^Anna' })).toBe(false)
  })
  it('undeclared is the device’s', () => {
    expect(
      matches(read(ask({ PatientName: latin1 }), { characterSet: 'ISO_IR 100' }), {
        PatientName: 'Müller',
      }),
    ).toBe(true)
  })
  it('unknown lets its bytes match anything, with a remark', () => {
    const query = read(ask({ PatientName: latin1 }))
    expect(matches(query, { PatientName: 'Müller^Anna' })).toBe(true)
    expect(matches(query, { PatientName: 'Meier^Anna' })).toBe(false)
    expect(textOf(query.remarks[0])).toMatch(/^PatientName contains bytes that are not valid/)
  })
})

describe('a query that cannot be answered', () => {
  it.each([
    ['has no identifier', undefined],
    ['has an empty identifier', Buffer.alloc(0)],
    ['has a broken identifier', Buffer.from('not dicom at all')],
  ])('%s', (_, identifier) => {
    expect(() => readQuery(identifier, EXPLICIT, context())).toThrow(UnreadableQuery)
  })
  it.each([
    ['ScheduledProcedureStepStartDate', '2026-11-31', 0x00400002],
    ['ScheduledProcedureStepStartTime', 'noon', 0x00400003],
  ])('names %s with %s', (keyword, value, tag) => {
    let thrown: unknown
    try {
      read(ask({}, { [keyword]: value }))
    } catch (error) {
      thrown = error
    }
    expect(thrown).toMatchObject({ result: { status: 0xa900, offendingElements: [tag] } })
    expect((thrown as UnreadableQuery).result.errorComment?.length).toBeLessThanOrEqual(64)
  })
})

it('reads Implicit VR as it reads Explicit VR', () => {
  const keys = ask({ PatientName: 'SMITH' }, { Modality: 'CT' })
  const implicit = readQuery(
    identifierOf(keys, TRANSFER_SYNTAX.implicitLittleEndian),
    TRANSFER_SYNTAX.implicitLittleEndian,
    context(),
  )
  expect(implicit.received).toEqual(read(keys).received)
  expect(implicit.step).toEqual(read(keys).step)
})

it('bounds what it keeps of a key for the screen', () => {
  const query = read(ask({ PatientID: 'x'.repeat(5000) }))
  expect(query.received.find(({ keyword }) => keyword === 'PatientID')?.value).toHaveLength(256)
})

describe('a key of many values', () => {
  const many = (count: number, of: (n: number) => string) =>
    Array.from({ length: count }, (_, n) => of(n)).join('\\')

  it('is looked up where they are plain, repeated or not', () => {
    const query = read({ PatientID: many(5_000, (n) => `P${String(n % 1_000).padStart(3, '0')}`) })
    expect(matches(query)).toBe(true)
    expect(matches(query, { PatientID: 'P1000' })).toBe(false)
  })

  it('is refused where each row would have to be tried with more than a hundred of them', () => {
    expect(matches(read({ PatientID: many(100, (n) => `*${n + 1}`) }))).toBe(true)
    for (const keys of [
      { PatientID: many(101, (n) => `*${n}`) },
      { PatientName: many(101, (n) => `A${n}`) },
    ])
      expect(() => read(keys)).toThrow(
        expect.objectContaining({ result: expect.objectContaining({ status: 0xa900 }) }),
      )
  })

  it('is refused as a list of character sets longer than there are', () => {
    expect(() => read({ SpecificCharacterSet: many(21, () => 'ISO_IR 100') })).toThrow(
      expect.objectContaining({
        result: expect.objectContaining({ status: 0xa900, offendingElements: [0x00080005] }),
      }),
    )
  })
})
