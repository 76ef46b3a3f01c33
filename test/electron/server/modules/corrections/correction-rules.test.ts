import { describe, expect, it } from 'vitest'
import { keywordOf, tagOf } from '#server/dicom/data-set/data-set.ts'
import {
  correctedValues,
  identityOfHeader,
  type Order,
  patientOf,
  type Target,
} from '#server/modules/corrections/correction-rules.ts'
import type { CorrectedPatient, CorrectionKind } from '#shared/contract/corrections.ts'
import { HANDED_OUT, HEADER } from '../images/intake-fixture.ts'

const SAM = identityOfHeader(HEADER)
const OLGA: CorrectedPatient = {
  ...{ patientName: 'Other^Olga', patientId: 'P200', patientBirthDate: '19910102' },
  ...{ patientSex: 'F', accessionNumber: 'A200' },
}
const ORDER: Order = {
  ...{ ...OLGA, orderId: 'o200', studyInstanceUid: '1.2.3.200', requestedProcedureId: 'R200' },
  ...{ requestedProcedureDescription: 'CT chest', scheduledProcedureStepId: 'S200' },
  ...{ scheduledProcedureStepDescription: 'Chest', studyDescription: 'Thorax' },
  ...{ referringPhysicianName: 'Refer^Dora', admissionId: 'ADM9', modality: 'CT' },
  ...{ date: '20260310', time: '090000' },
}
const NOWHERE = {
  ...{ studyInstanceUid: undefined, order: undefined, header: undefined, row: undefined },
}

/** What becomes of the attributes: a value for each tag; null where it is removed. */
function corrected(kind: CorrectionKind, target: Partial<Target>, before = SAM) {
  const all = correctedValues(kind, before, { ...NOWHERE, patient: OLGA, ...target })
  const of = (keyword: string) => {
    const tag = tagOf(keyword)
    return all.findLast((one) => one.tag === tag)
  }
  return {
    all,
    of,
    value: (keyword: string) => of(keyword)?.value,
    request: () => {
      const [item] = (of('RequestAttributesSequence')?.value ?? []) as readonly object[]
      return (
        item &&
        Object.fromEntries(Object.entries(item).map(([tag, value]) => [keywordOf(+tag), value]))
      )
    },
  }
}

describe('the birth date of an image', () => {
  it('is without the full stops of ACR-NEMA, and otherwise as it is', () => {
    const date = (patientBirthDate: string) =>
      identityOfHeader({ ...HEADER, patientBirthDate }).patientBirthDate
    expect(['19800511', '1980.05.11', '1980', ''].map(date)).toEqual([
      ...['19800511', '19800511', '1980', ''],
    ])
  })
})

describe('another patient', () => {
  const isOther = (before: Partial<CorrectedPatient>, after: Partial<CorrectedPatient>) => {
    const patient = { ...SAM, ...after }
    const values = corrected('reassign', { patient }, { ...SAM, ...before })
    expect(values.of('PatientWeight')?.onlyIfPresent ?? true).toBe(true)
    return values.value('PatientWeight') === null
  }

  it('has another number, whatever the name is', () => {
    expect(isOther({ patientId: 'P1' }, { patientId: 'P2' })).toBe(true)
    expect(isOther({ patientId: ' P1' }, { patientId: 'P1 ' })).toBe(false)
    expect(isOther({ patientName: 'A^B' }, { patientName: 'C^D' })).toBe(false)
  })

  it('has another name where one has no number', () => {
    for (const [one, other] of [
      ['', 'P1'],
      ['P1', ''],
      [' ', 'P1'],
      ['P1', ' '],
    ] as const) {
      expect(isOther({ patientId: one }, { patientId: other })).toBe(false)
      const named = { patientName: 'C^D', patientId: other }
      expect(isOther({ patientName: 'A^B', patientId: one }, named)).toBe(true)
    }
  })
})

describe('of a corrected patient', () => {
  const patient = (more: Partial<CorrectedPatient>) =>
    corrected('correct', { patient: { ...SAM, ...more } })

  it('nothing but the five values changes where birth date and accession number stay', () => {
    expect(patient({ patientName: 'Sample^Sue' }).all).toEqual([
      { tag: tagOf('PatientName'), value: 'Sample^Sue' },
      { tag: tagOf('PatientID'), value: 'P100' },
      { tag: tagOf('PatientBirthDate'), value: '19800511' },
      { tag: tagOf('PatientSex'), value: 'M' },
      { tag: tagOf('AccessionNumber'), value: 'A100' },
    ])
  })

  it('the age goes with a birth date that was wrong', () => {
    const { all, of } = patient({ patientBirthDate: '19800512' })
    expect(all).toHaveLength(6)
    expect(of('PatientAge')).toEqual({ tag: tagOf('PatientAge'), value: null, onlyIfPresent: true })
  })

  it('the request that the image has gets the accession number', () => {
    const { all, of } = patient({ accessionNumber: 'A101' })
    expect(all).toHaveLength(6)
    expect(of('RequestAttributesSequence')).toEqual({
      ...{ tag: tagOf('RequestAttributesSequence'), value: [], onlyIfPresent: true },
      inItems: { [tagOf('AccessionNumber') ?? 0]: 'A101' },
    })
  })
})

describe('of images that are put elsewhere', () => {
  it('what a console copied of the wrong patient goes, and of the same patient stays', () => {
    const removed = { value: null, onlyIfPresent: true }
    const other = corrected('reassign', {})
    for (const keyword of ['PatientWeight', 'PatientAge', 'OtherPatientIDs', 'PatientComments'])
      expect(other.of(keyword)).toMatchObject(removed)
    const same = corrected('reassign', { patient: SAM })
    for (const keyword of ['PatientWeight', 'PatientAge']) expect(same.of(keyword)).toBeUndefined()
    const born = corrected('reassign', { patient: { ...SAM, patientBirthDate: '19800512' } })
    expect(born.of('PatientAge')).toMatchObject(removed)
    expect(born.of('PatientWeight')).toBeUndefined()
  })

  it('an order gives what it determines', () => {
    const { value, of, request } = corrected('reassign', {
      ...{ order: ORDER, studyInstanceUid: '1.2.3.200', header: HEADER },
    })
    expect([value('ReferringPhysicianName'), value('StudyID')]).toEqual(['Refer^Dora', 'R200'])
    expect([value('StudyDescription'), value('AdmissionID')]).toEqual(['CT chest', 'ADM9'])
    for (const [keyword, text] of [
      ['RequestedProcedureDescription', 'CT chest'],
      ['RequestedProcedureID', 'R200'],
    ] as const)
      expect(of(keyword)).toMatchObject({ value: text, onlyIfPresent: true })
    expect(request()).toEqual({
      ...{ AccessionNumber: 'A200', StudyInstanceUID: '1.2.3.200' },
      ...{ RequestedProcedureDescription: 'CT chest', RequestedProcedureID: 'R200' },
      ...{ ScheduledProcedureStepDescription: 'Chest', ScheduledProcedureStepID: 'S200' },
    })
  })

  it('an order that says little leaves out what is not known, and removes what was of another', () => {
    const order: Order = {
      ...{ ...ORDER, studyInstanceUid: '', accessionNumber: '', requestedProcedureId: '' },
      ...{ requestedProcedureDescription: '', scheduledProcedureStepDescription: '' },
      ...{ admissionId: '', referringPhysicianName: '' },
    }
    const { value, of, request } = corrected('reassign', {
      ...{ order, studyInstanceUid: '1.2.9', patient: patientOf(order) },
    })
    expect(request()).toEqual({ StudyInstanceUID: '1.2.9', ScheduledProcedureStepID: 'S200' })
    expect(value('StudyDescription')).toBe('Thorax')
    for (const keyword of ['AdmissionID', 'RequestedProcedureDescription', 'RequestedProcedureID'])
      expect(of(keyword)).toMatchObject({ value: null, onlyIfPresent: true })
    const nothing = { ...order, scheduledProcedureStepId: '', studyDescription: '' }
    const unknown = corrected('reassign', { order: nothing, patient: patientOf(nothing) })
    expect(unknown.request()).toEqual({})
    expect(unknown.of('StudyDescription')).toBeUndefined()
  })

  it('a study gives its description and its time, and the row that it was made for', () => {
    const row = { ...HANDED_OUT, description: 'Head' }
    const { value, of, request } = corrected('merge', {
      ...{ header: { ...HEADER, studyId: 'ST1' }, row, studyInstanceUid: '1.2.9' },
    })
    expect([value('ReferringPhysicianName'), value('StudyID')]).toEqual(['Refer^Rita', 'ST1'])
    expect(value('StudyDescription')).toBe('CT head')
    expect([value('StudyDate'), value('StudyTime')]).toEqual(['20260310', '084512.5'])
    expect(value('AdmissionID')).toBeNull()
    expect(value('RequestedProcedureDescription')).toBeNull()
    expect(of('RequestedProcedureID')).toMatchObject({ value: 'R100', onlyIfPresent: true })
    expect(request()).toEqual({
      ...{ AccessionNumber: 'A200', StudyInstanceUID: HANDED_OUT.studyInstanceUid },
      ...{ RequestedProcedureID: 'R100', ScheduledProcedureStepID: 'S100' },
      ScheduledProcedureStepDescription: 'Head',
    })
  })

  it('a study that says nothing leaves what was performed, and empties what is of the order', () => {
    const empty = { studyDescription: '', studyDate: '', studyTime: '', referringPhysicianName: '' }
    for (const target of [{ header: { ...HEADER, ...empty } }, {}]) {
      const { value, of } = corrected('merge', target)
      for (const keyword of ['StudyDescription', 'StudyDate', 'StudyTime'])
        expect(of(keyword)).toBeUndefined()
      expect([value('ReferringPhysicianName'), value('StudyID')]).toEqual(['', ''])
      expect(of('RequestAttributesSequence')).toMatchObject({ value: null, onlyIfPresent: true })
    }
  })
})
