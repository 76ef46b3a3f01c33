import type { Manifest, ManifestSop } from '#server/webhooks/manifest.ts'
import type { ViewedInstance, ViewedSeries } from '#shared/contract/viewing.ts'

/** More of them are nobody's. */
const MOST_FRAMES = 100_000

/** Series and images of a manifest as the list has them until their files are read. */
export interface ManifestContent {
  readonly series: readonly ViewedSeries[]
  readonly instances: readonly ViewedInstance[]
}

/** What has no geometry there, such as a structured report, waits for its file. */
export function contentOf({ studyInstanceUID, series }: Manifest): ManifestContent {
  return {
    series: series.map(({ seriesInstanceUID, seriesNumber, modality, seriesDescription }) => {
      const number = Number(seriesNumber)
      return {
        ...{
          studyInstanceUid: studyInstanceUID,
          seriesInstanceUid: seriesInstanceUID,
          modality,
          seriesDescription,
        },
        seriesNumber: seriesNumber !== '' && Number.isSafeInteger(number) ? number : null,
        ...{ bodyPartExamined: '', laterality: '' },
      }
    }),
    instances: series.flatMap(({ seriesInstanceUID, sops }) =>
      sops.flatMap(
        (sop) =>
          instanceOf(sop, {
            studyInstanceUid: studyInstanceUID,
            seriesInstanceUid: seriesInstanceUID,
          }) ?? [],
      ),
    ),
  }
}

const whole = (value: number | undefined, least: number) =>
  value !== undefined && Number.isSafeInteger(value) && value >= least ? value : undefined

function instanceOf(
  sop: ManifestSop,
  of: Pick<ViewedInstance, 'studyInstanceUid' | 'seriesInstanceUid'>,
): ViewedInstance | undefined {
  const [rows, columns, bitsAllocated, samplesPerPixel] = [
    sop.rows,
    sop.columns,
    sop.bitsAllocated,
    sop.samplesPerPixel,
  ].map((value) => whole(value, 1))
  if (!rows || !columns || !bitsAllocated || !samplesPerPixel || !sop.photometricInterpretation)
    return undefined
  const bitsStored = Math.min(bitsAllocated, whole(sop.bitsStored, 1) ?? bitsAllocated)
  return {
    ...of,
    ...{
      sopInstanceUid: sop.sopInstanceUID,
      sopClassUid: sop.sopClassUID,
      transferSyntaxUid: '',
      source: 'manifest',
    },
    instanceNumber: whole(sop.instanceNumber, Number.MIN_SAFE_INTEGER) ?? 0,
    frames: Math.min(MOST_FRAMES, whole(sop.numberOfFrames, 1) ?? 1),
    image: {
      ...{ rows, columns, bitsAllocated, bitsStored, samplesPerPixel },
      highBit: whole(sop.highBit, 0) ?? bitsStored - 1,
      pixelRepresentation: sop.pixelRepresentation === 1 ? 1 : 0,
      photometricInterpretation: sop.photometricInterpretation,
      planarConfiguration: 0,
      float: sop.isDoubleFloatPixelData ? 'double' : sop.isFloatPixelData ? 'float' : '',
      ...{ padding: null, smallest: null, largest: null },
    },
    notImage: '',
    attributes: {
      ...{
        position: null,
        orientation: null,
        spacing: null,
        spacingFrom: 'none',
        sliceThickness: null,
        sliceLocation: null,
      },
      ...{
        slope: sop.rescaleSlope ?? null,
        intercept: sop.rescaleIntercept ?? null,
        windowCenter: [],
        windowWidth: [],
      },
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
  }
}
