import type { KnownInstance } from '#server/modules/viewer/view-images.ts'

/** An image of an invented patient, as a view knows it. */
export function knownInstance(
  studyInstanceUid: string,
  sopInstanceUid = `${studyInstanceUid}.1.1`,
): KnownInstance {
  const seriesInstanceUid = `${studyInstanceUid}.1`
  return {
    study: {
      ...{
        studyInstanceUid,
        isPrior: false,
        patientName: 'NOVAK^ANA',
        patientId: 'P-4711',
        patientBirthDate: '19800131',
      },
      ...{
        patientSex: 'F',
        studyDate: '20261120',
        studyTime: '093000',
        studyDescription: 'CT Thorax',
        accessionNumber: 'A-100',
      },
    },
    series: {
      ...{
        studyInstanceUid,
        seriesInstanceUid,
        seriesNumber: 2,
        modality: 'CT',
        seriesDescription: 'Thorax 1 mm',
      },
      ...{ bodyPartExamined: 'CHEST', laterality: '' },
    },
    instance: {
      ...{
        studyInstanceUid,
        seriesInstanceUid,
        sopInstanceUid,
        sopClassUid: '1.2.840.10008.5.1.4.1.1.2',
      },
      ...{
        transferSyntaxUid: '1.2.840.10008.1.2.1',
        source: 'partner',
        instanceNumber: 1,
        frames: 2,
        notImage: null,
      },
      image: {
        ...{
          rows: 512,
          columns: 512,
          bitsAllocated: 16,
          bitsStored: 12,
          highBit: 11,
          pixelRepresentation: 0,
          samplesPerPixel: 1,
        },
        ...{
          photometricInterpretation: 'MONOCHROME2',
          planarConfiguration: 0,
          float: '',
          padding: null,
          smallest: null,
          largest: null,
        },
      },
      attributes: {
        ...{
          position: null,
          orientation: null,
          spacing: null,
          spacingFrom: 'none',
          sliceThickness: null,
          sliceLocation: null,
        },
        ...{ slope: null, intercept: null, windowCenter: [], windowWidth: [] },
      },
      ...{
        perFrame: null,
        frameOfReferenceUid: '',
        imageType: [],
        voiLutFunction: '',
        windowExplanation: [],
        rescaleType: '',
      },
      ...{
        frameTime: null,
        acquisitionTime: '',
        contentTime: '',
        viewPosition: '',
        laterality: '',
        patientOrientation: [],
      },
      ...{ patient: null, lossy: null, regions: [] },
      hasExtras: false,
    },
  }
}
