import { expect, it } from 'vitest'
import type { DataSet } from '#server/dicom/data-set/coding.ts'
import { TAG, withChanges } from '#server/modules/procedure-steps/performed-data.ts'

const text = (tag: number, vr: string, value: string) => ({ tag, vr, value: Buffer.from(value) })
const created: DataSet = [
  text(TAG.modality, 'CS', ''),
  text(TAG.patientId, 'LO', 'P-1'),
  text(TAG.status, 'CS', 'IN PROGRESS'),
]

it('an N-SET changes the status, and never the patient of the step', () => {
  const changed = withChanges(created, [
    text(TAG.patientId, 'LO', 'P-2'),
    text(TAG.status, 'CS', 'COMPLETED'),
  ])
  expect(changed).toEqual([
    text(TAG.modality, 'CS', ''),
    text(TAG.patientId, 'LO', 'P-1'),
    text(TAG.status, 'CS', 'COMPLETED'),
  ])
})

it('an N-SET adds what the N-CREATE left empty', () => {
  const changed = withChanges(created, [text(TAG.modality, 'CS', 'CT')])
  expect(changed[0]).toEqual(text(TAG.modality, 'CS', 'CT'))
})
