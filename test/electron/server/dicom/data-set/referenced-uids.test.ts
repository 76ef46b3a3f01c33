import { expect, test } from 'vitest'
import type { DataSet } from '#server/dicom/data-set/coding.ts'
import { keywordOf } from '#server/dicom/data-set/data-set.ts'
import { withMappedReferences } from '#server/dicom/data-set/referenced-uids.ts'
import { dataSetOf, type Values } from '../../modules/images/intake-fixture.ts'

const UIDS = new Map([
  ['1.1', '2.1'],
  ['1.1.1', '2.1.1'],
  ['1.1.1.1', '2.1.1.1'],
  ['1.1.1.2', '2.1.1.2'],
])

const shown = (dataSet: DataSet): object =>
  Object.fromEntries(
    dataSet.map(({ tag, value }) => [
      keywordOf(tag),
      Buffer.isBuffer(value) ? value.toString().replace(/\0$/, '') : value.map(shown),
    ]),
  )
const mapped = (values: Values) => {
  const found = withMappedReferences(dataSetOf(values), UIDS)
  return found && shown(found)
}
const image = (uid: string) => ({ ReferencedSOPClassUID: '1.2', ReferencedSOPInstanceUID: uid })

test('references to copied images are rewritten at every depth', () => {
  const source = (uid: string) => ({
    SharedFunctionalGroupsSequence: [
      { DerivationImageSequence: [{ SourceImageSequence: [image(uid)] }] },
    ],
  })
  expect(mapped(source('1.1.1.1'))).toEqual(source('2.1.1.1'))
  expect(mapped(source('1.1.1.9'))).toBeUndefined()
})

test('the UIDs at the top of the data set are not references', () => {
  expect(
    mapped({ SOPInstanceUID: '1.1.1.1', StudyInstanceUID: '1.1', FrameOfReferenceUID: '1.1.1' }),
  ).toBeUndefined()
})

test('what attributes were before is kept', () => {
  expect(
    mapped({
      OriginalAttributesSequence: [{ ModifiedAttributesSequence: [{ SOPInstanceUID: '1.1.1.1' }] }],
    }),
  ).toBeUndefined()
})

test('a series of which every referenced image was copied is the copied one', () => {
  const item = (prefix: string) => ({
    ReferencedSeriesSequence: [
      {
        SeriesInstanceUID: `${prefix}.1.1`,
        ReferencedImageSequence: [image(`${prefix}.1.1.1`), image(`${prefix}.1.1.2`)],
      },
    ],
  })
  expect(mapped(item('1'))).toEqual(item('2'))
})

test('study and series are divided where other images of them stay', () => {
  const evidence = (study: string, series: string, uids: readonly string[]) => ({
    StudyInstanceUID: study,
    ReferencedSeriesSequence: [
      { SeriesInstanceUID: series, ReferencedSOPSequence: uids.map(image) },
    ],
  })
  expect(
    mapped({
      CurrentRequestedProcedureEvidenceSequence: [
        evidence('1.1', '1.1.1', ['1.1.1.1', '1.1.1.9', '1.1.1.2']),
        // No image of it was copied: it is the same as before.
        evidence('1.1', '1.1.3', ['1.1.3.1']),
      ],
    }),
  ).toEqual({
    CurrentRequestedProcedureEvidenceSequence: [
      evidence('2.1', '2.1.1', ['2.1.1.1', '2.1.1.2']),
      evidence('1.1', '1.1.1', ['1.1.1.9']),
      evidence('1.1', '1.1.3', ['1.1.3.1']),
    ],
  })
})

test('a UID among several values is replaced alone', () => {
  expect(
    mapped({ ReferencedImageSequence: [{ ReferencedSOPInstanceUID: '1.9\\1.1.1.1' }] }),
  ).toEqual({
    ReferencedImageSequence: [{ ReferencedSOPInstanceUID: '1.9\\2.1.1.1' }],
  })
})
