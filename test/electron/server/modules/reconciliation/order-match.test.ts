import { describe, expect, it } from 'vitest'
import {
  type MatchInput,
  matchesOf,
  mostLikelyOrders,
  scoreOf,
} from '#server/modules/reconciliation/order-match.ts'
import type { Match } from '#shared/contract/reconciliation.ts'

const EXAM: MatchInput = {
  ...{
    accessionNumber: '',
    patientId: 'P-7001',
    patientName: 'Sample^Ada',
    patientBirthDate: '19710503',
    patientSex: 'F',
  },
  ...{ modalities: ['CT'], date: '20261120', time: '103000', devices: ['CT2', 'CT, room 2'] },
}
const ORDER: MatchInput = {
  ...EXAM,
  accessionNumber: 'A-7001',
  time: '101500',
  devices: ['CT1', 'CT, room 1'],
}

const resultOf = (
  field: Match['field'],
  order: Partial<MatchInput>,
  exam: Partial<MatchInput> = {},
) =>
  matchesOf({ ...EXAM, ...exam }, { ...ORDER, ...order }).find((match) => match.field === field)
    ?.result

describe('what an order and an exam agree in', () => {
  it('is said of each field, in the order in which a person looks at it', () => {
    expect(matchesOf(EXAM, ORDER).map(({ field, result }) => [field, result])).toEqual([
      ...[
        ['accessionNumber', 'unknown'],
        ['patientId', 'same'],
        ['patientName', 'same'],
        ['patientBirthDate', 'same'],
      ],
      ...[
        ['patientSex', 'same'],
        ['modality', 'same'],
        ['time', 'same'],
        ['device', 'different'],
      ],
    ])
    expect(matchesOf(EXAM, ORDER).find(({ field }) => field === 'time')).toMatchObject({
      order: '20261120 1015',
      exam: '20261120 1030',
    })
  })

  it.each([
    ['patientName', { patientName: 'SAMPLE^ADA=' }, 'same'],
    ['patientName', { patientName: 'Sample^Ada^Maria' }, 'similar'],
    ['patientName', { patientName: 'Sampel^Ada' }, 'similar'],
    ['patientName', { patientName: 'Probe^Ado' }, 'different'],
    ['patientName', { patientName: 'Novak^Jan' }, 'different'],
    ['patientName', { patientName: '' }, 'unknown'],
    ['patientId', { patientId: '00P-7001' }, 'similar'],
    ['patientId', { patientId: 'P-7010' }, 'similar'],
    ['patientId', { patientId: 'P-7999' }, 'different'],
    ['patientBirthDate', { patientBirthDate: '19710305' }, 'similar'],
    ['patientBirthDate', { patientBirthDate: '19710513' }, 'similar'],
    ['patientBirthDate', { patientBirthDate: '19830513' }, 'different'],
    ['patientSex', { patientSex: 'M' }, 'different'],
    ['patientSex', { patientSex: 'O' }, 'unknown'],
    ['modality', { modalities: ['MR'] }, 'different'],
    ['modality', { modalities: [] }, 'unknown'],
    ['time', { time: '140000' }, 'similar'],
    ['time', { time: '200000' }, 'different'],
    ['time', { time: '' }, 'similar'],
    ['time', { date: '20261121', time: '' }, 'different'],
    ['time', { date: '20261121', time: '003000' }, 'different'],
    ['device', { devices: ['MR1', 'CT, ROOM 2'] }, 'same'],
    ['device', { devices: [] }, 'unknown'],
  ] as const)('is of the %s, of an order with %j: %s', (field, order, result) => {
    expect(resultOf(field, order)).toBe(result)
  })

  it('takes no two short numbers that differ in one digit for one that was mistyped', () => {
    expect(resultOf('patientId', { patientId: '124' }, { patientId: '123' })).toBe('different')
  })

  it('measures the time across midnight', () => {
    expect(resultOf('time', { date: '20261121', time: '001000' }, { time: '235000' })).toBe('same')
  })
})

describe('the most probable orders', () => {
  const probable = (exam: Partial<MatchInput>, orders: readonly MatchInput[]) =>
    mostLikelyOrders({ ...EXAM, ...exam }, orders, (order) => order, 2).map(({ order }) => order)

  it('begin with the one that has the accession number, then the patient, then the kind of exam and the time', () => {
    const other = { ...ORDER, patientId: 'P-9', patientName: 'Novak^Jan', accessionNumber: 'A-9' }
    const [later, otherModality] = [
      { ...ORDER, time: '180000' },
      { ...ORDER, modalities: ['MR'] },
    ]
    expect(probable({}, [other, otherModality, later, ORDER])).toEqual([ORDER, later])
    expect(
      probable({ accessionNumber: 'A-9' }, [
        ORDER,
        { ...other, patientId: '', patientName: 'Sample^A' },
      ])[0]?.accessionNumber,
    ).toBe('A-9')
  })

  it('leave out those of other patients at the same device and time', () => {
    const neighbour = {
      ...ORDER,
      patientId: 'P-9',
      patientName: 'Novak^Jan',
      patientBirthDate: '19550101',
      devices: EXAM.devices,
    }
    expect(probable({}, [neighbour])).toEqual([])
    expect(scoreOf(matchesOf(EXAM, neighbour))).toBeLessThan(0)
  })

  it('have a patient whose name was misspelt and whose number was made up', () => {
    expect(
      probable({ patientName: 'Sampel^Ada', patientId: 'TEMP-1', patientBirthDate: '' }, [ORDER]),
    ).toEqual([ORDER])
  })
})
