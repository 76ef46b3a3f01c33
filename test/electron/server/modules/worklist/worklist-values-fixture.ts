import type { DataSet, Element } from '#server/dicom/data-set/coding.ts'
import { tagOf, vrOf, writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import type { Device } from '#shared/contract/devices.ts'
import { knownDevice } from '../../../../support/device.ts'

// Values of queries, items and devices. Apart from `worklist-fixture.ts`, which loads most of the
// gateway.

/** Instant at which the tests' clinic, which keeps UTC, has 09:00 on 2026-11-20. */
export const NOW = '2026-11-20T09:00:00.000Z'
export const EXPLICIT = TRANSFER_SYNTAX.explicitLittleEndian

/**
 * Keys by keyword; a nested object is the one item of a sequence, an empty array a sequence without
 * items.
 */
export interface Keys {
  readonly [keyword: string]: string | Buffer | Keys | readonly Keys[]
}

export function dataSetOf(keys: Keys): DataSet {
  return Object.entries(keys)
    .map(([keyword, value]): Element => {
      const tag = tagOf(keyword)
      if (tag === undefined) throw new Error(`no attribute ${keyword}`)
      if (typeof value === 'string')
        return { tag, vr: vrOf(tag), value: Buffer.from(value, 'latin1') }
      if (Buffer.isBuffer(value)) return { tag, vr: vrOf(tag), value }
      const items = Array.isArray(value) ? (value as readonly Keys[]) : [value as Keys]
      return { tag, vr: 'SQ', value: items.map(dataSetOf) }
    })
    .sort((a, b) => a.tag - b.tag)
}

export const identifierOf = (keys: Keys, transferSyntax: string = EXPLICIT): Buffer =>
  writeDataSet(dataSetOf(keys), transferSyntax)

/** What most consoles ask for; all of it universal. */
export const ALL: Keys = {
  AccessionNumber: '',
  ReferringPhysicianName: '',
  PatientName: '',
  PatientID: '',
  PatientBirthDate: '',
  PatientSex: '',
  PatientWeight: '',
  StudyInstanceUID: '',
  RequestedProcedureDescription: '',
  RequestedProcedureID: '',
  ScheduledProcedureStepSequence: {
    Modality: '',
    ScheduledStationAETitle: '',
    ScheduledProcedureStepStartDate: '',
    ScheduledProcedureStepStartTime: '',
    ScheduledPerformingPhysicianName: '',
    ScheduledProcedureStepDescription: '',
    ScheduledProcedureStepID: '',
  },
}

/** `ALL` with some keys given; those of the step by their own names. */
export function ask(keys: Keys = {}, step: Keys = {}): Keys {
  return {
    ...ALL,
    ...keys,
    ScheduledProcedureStepSequence: { ...(ALL.ScheduledProcedureStepSequence as Keys), ...step },
  }
}

/** One item as a partner writes it; `n` makes it another order. */
export function item(
  n: number,
  fields: Record<string, unknown> = {},
  step: Record<string, unknown> = {},
): Record<string, unknown> {
  const three = String(n).padStart(3, '0')
  return {
    AccessionNumber: `A${three}`,
    Modality: 'CT',
    PatientBirthDate: '19700102',
    PatientID: `P${three}`,
    PatientName: `TESTER^NUMBER${three}`,
    PatientSex: 'F',
    PatientSize: '1.70',
    PatientWeight: '70',
    ProtocolName: 'CHEST',
    RequestedProcedureDescription: 'CT of the chest',
    StudyDescription: 'CT Chest',
    StudyInstanceUID: `2.25.1000${n}`,
    ScheduledProcedureStepSequence: [
      {
        Modality: 'CT',
        ScheduledProcedureStepDescription: 'Chest',
        ScheduledProcedureStepID: `S${three}`,
        ScheduledProcedureStepStartDate: '20261120',
        ScheduledProcedureStepStartTime: `10${String(n % 60).padStart(2, '0')}00`,
        ...step,
      },
    ],
    ...fields,
  }
}

export const device = (changes: Partial<Device> = {}): Device =>
  knownDevice({ createdAt: NOW, updatedAt: NOW, ...changes })
