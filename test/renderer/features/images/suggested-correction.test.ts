import { describe, expect, it } from 'vitest'
import type { StudyPatientIdentity } from '../../../../renderer/src/features/images/image-identities.ts'
import { suggestedCorrection } from '../../../../renderer/src/features/images/suggested-correction.ts'
import type { TargetChoice } from '../../../../shared/contract/corrections.ts'
import type { IdentityDifference } from '../../../../shared/contract/images.ts'

const PATIENT = {
  ...{ patientName: 'Dunmore^Petra', patientId: 'P-612', patientBirthDate: '' },
  ...{ patientSex: '' as const, accessionNumber: 'A-611' },
}
const images = (change: Partial<typeof PATIENT> = {}): StudyPatientIdentity => ({
  ...{ ...PATIENT, ...change, seriesInstanceUid: '1.2.3', seriesDescription: '', modality: 'CT' },
  ...{ instanceIds: [1], instanceNumbers: ['1'] },
})
const order = (orderId: string, change: Partial<TargetChoice> = {}): TargetChoice => ({
  ...{ target: { to: 'order', orderId }, ...PATIENT, accessionNumber: 'A-612' },
  ...{ description: '', modality: 'CT', date: '', time: '', instances: 0 },
  ...change,
})
const differs = (
  field: IdentityDifference['field'],
  expected: string,
  from: IdentityDifference['from'] = 'worklist',
): IdentityDifference => ({ from, field, expected, received: '' })
const OTHER_PATIENT = [
  differs('patientId', 'P-611'),
  differs('patientName', 'Amberly^Rosalind'),
] as const

describe('the correction that the worklist suggests', () => {
  it('is the only order of the patient whom the images name', () => {
    const targets = [order('1', { patientId: 'P-611' }), order('2')]
    expect(suggestedCorrection([images()], OTHER_PATIENT, targets)).toMatchObject({
      kind: 'reassign',
      target: { target: { to: 'order', orderId: '2' }, accessionNumber: 'A-612' },
    })
  })

  it.each([
    ['several orders are of the patient', [order('1'), order('2')]],
    ['the order has images', [order('1', { instances: 3 })]],
    ['the name is another', [order('1', { patientName: 'Dunmore^Paul' })]],
    ['it is a study', [order('1', { target: { to: 'study', studyInstanceUid: '1.2' } })]],
    ['there is none', []],
  ])('is none where %s', (_, targets) => {
    expect(suggestedCorrection([images()], OTHER_PATIENT, targets)).toBeNull()
  })

  it('is the details of the order where the images have its patient ID', () => {
    const found = suggestedCorrection(
      [images({ patientName: 'Dunmore^Petr' })],
      [differs('patientName', 'Dunmore^Petra')],
      [order('2')],
    )
    expect(found).toMatchObject({
      kind: 'correct',
      target: { target: { to: 'patient', patient: PATIENT }, exam: null },
    })
  })

  it('is none for another exam, several patients, no patient ID, or what a partner described', () => {
    const name = differs('patientName', 'Dunmore^Petra')
    const accession = differs('accessionNumber', 'A-612')
    const two = [images(), images({ patientId: 'P-613' })]
    expect(suggestedCorrection([images()], [name, accession], [order('2')])).toBeNull()
    expect(suggestedCorrection(two, OTHER_PATIENT, [order('2')])).toBeNull()
    expect(suggestedCorrection([images({ patientId: '' })], [name], [order('2')])).toBeNull()
    const described = differs('patientName', 'Dunmore^Petra', 'study')
    expect(suggestedCorrection([images()], [described], [order('2')])).toBeNull()
  })
})
