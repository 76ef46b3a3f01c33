import { expect, it } from 'vitest'
import { writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { buildCaptureObject, type CaptureInput } from '#server/modules/viewer/capture-object.ts'
import { knownInstance } from './known-instance.ts'

const PIXELS = Buffer.alloc(16 * 20 * 3, 7)
const of = (more: Partial<CaptureInput> = {}) =>
  buildCaptureObject({
    ...{
      shown: knownInstance('1.2.3'),
      frame: 2,
      description: 'Window\u0007 40/400',
      sopInstanceUid: '2.25.1',
      seriesInstanceUid: '2.25.2',
    },
    ...{
      image: { rows: 20, columns: 16, pixels: PIXELS },
      instanceNumber: 3,
      madeAt: '2026-11-20T08:45:00.000Z',
      timeZone: 'Europe/Berlin',
    },
    ...{ archivedHeader: undefined, ...more },
  })
const bytesOf = ({ object }: ReturnType<typeof of>) =>
  writeDataSet(object.dataSet, '1.2.840.10008.1.2.1').toString('latin1')

it('is of the patient and study of what was shown, and says which frame of it that was', () => {
  const made = of()
  const { dataSet: _, ...object } = made.object
  expect(object).toMatchObject({
    ...{
      studyInstanceUid: '1.2.3',
      seriesInstanceUid: '2.25.2',
      seriesNumber: '9903',
      seriesDescription: 'Secondary captures',
    },
    ...{
      instanceNumber: '3',
      modality: 'CT',
      image: { rows: 20, columns: 16, bitsAllocated: 8, numberOfFrames: null },
    },
  })
  const bytes = bytesOf(made)
  for (const text of ['NOVAK^ANA', 'P-4711', '1.2.3.1.1', 'Window  40/400', '094500', '+0100'])
    expect(bytes).toContain(text)
  expect(made.header).toMatchObject({
    patientName: 'NOVAK^ANA',
    accessionNumber: 'A-100',
    modality: 'CT',
    requestedProcedureId: '',
  })
  expect('isPrior' in made.header).toBe(false)
})

it('takes from the archive what the list of images does not have', () => {
  const { header } = of()
  const bytes = bytesOf(
    of({
      archivedHeader: {
        ...header,
        studyId: 'ST-7',
        referringPhysicianName: 'OKORO^BEN',
        institutionName: 'Clinic',
      },
    }),
  )
  for (const text of ['ST-7', 'OKORO^BEN', 'Clinic']) expect(bytes).toContain(text)
})
