import { describe, expect, it } from 'vitest'
import { secondaryCapture } from '#server/dicom/objects/secondary-capture.ts'
import { framesOf, headerOf } from '../pixel-data/viewed-file-fixture.ts'
import { CAPTURE, captureFile } from './capture-fixture.ts'

describe('a secondary capture', () => {
  it('is an image of what was shown, in the study that was shown', () => {
    const pixels = Buffer.from(
      Array.from({ length: 17 * 19 * 3 }, (_, index) => (index * 5) & 0xff),
    )
    const bytes = captureFile(CAPTURE, { rows: 17, columns: 19, pixels })
    const { study, series, instance } = headerOf(bytes)
    expect(study).toMatchObject({
      patientName: CAPTURE.patientName,
      patientId: CAPTURE.patientId,
      studyInstanceUid: CAPTURE.studyInstanceUid,
    })
    expect(series).toMatchObject({
      seriesNumber: 9001,
      modality: 'MR',
      seriesDescription: 'Captures',
    })
    expect(instance).toMatchObject({
      sopClassUid: '1.2.840.10008.5.1.4.1.1.7',
      imageType: ['DERIVED', 'SECONDARY'],
      image: {
        rows: 17,
        columns: 19,
        samplesPerPixel: 3,
        photometricInterpretation: 'RGB',
        planarConfiguration: 0,
      },
    })
    expect(framesOf(bytes)).toEqual([pixels])
  })

  it('has as many bytes as it has pixels', () => {
    expect(() =>
      secondaryCapture(CAPTURE, { rows: 2, columns: 2, pixels: Buffer.alloc(11) }),
    ).toThrow(RangeError)
  })
})
