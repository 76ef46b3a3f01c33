import type { Manifest, ManifestSop } from '#server/webhooks/manifest.ts'
import type { ViewedInstance, ViewedSeries } from '#shared/contract/viewed-images.ts'

/** Maximum number of frames of a file. */
const MAX_FRAMES = 100_000

/**
 * The series and images that a manifest lists, for display until their files are read. Instances
 * without dimensions, such as structured reports, are left out.
 */
export function contentOf({ studyInstanceUID: studyInstanceUid, series }: Manifest): {
  readonly series: readonly ViewedSeries[]
  readonly instances: readonly ViewedInstance[]
} {
  return {
    series: series.map(({ seriesInstanceUID, seriesNumber, modality, seriesDescription }) => {
      const number = Number(seriesNumber)
      return {
        studyInstanceUid,
        seriesInstanceUid: seriesInstanceUID,
        modality,
        seriesDescription,
        seriesNumber: seriesNumber !== '' && Number.isSafeInteger(number) ? number : null,
        bodyPartExamined: '',
        laterality: '',
      }
    }),
    instances: series.flatMap(({ seriesInstanceUID: seriesInstanceUid, sops }) =>
      sops.flatMap((sop) => {
        const image = imageOf(sop)
        return image ? [instanceOf(sop, { studyInstanceUid, seriesInstanceUid, image })] : []
      }),
    ),
  }
}

const integerFrom = (value: number | undefined, min: number) =>
  value !== undefined && Number.isSafeInteger(value) && value >= min ? value : undefined

/** Undefined if the instance is not an image or the manifest does not contain its dimensions. */
function imageOf(sop: ManifestSop): ViewedInstance['image'] | undefined {
  const rows = integerFrom(sop.rows, 1)
  const columns = integerFrom(sop.columns, 1)
  const bitsAllocated = integerFrom(sop.bitsAllocated, 1)
  const samplesPerPixel = integerFrom(sop.samplesPerPixel, 1)
  const { photometricInterpretation } = sop
  if (!rows || !columns || !bitsAllocated || !samplesPerPixel || !photometricInterpretation)
    return undefined
  const bitsStored = Math.min(bitsAllocated, integerFrom(sop.bitsStored, 1) ?? bitsAllocated)
  return {
    ...{ rows, columns, bitsAllocated, bitsStored, samplesPerPixel, photometricInterpretation },
    highBit: integerFrom(sop.highBit, 0) ?? bitsStored - 1,
    pixelRepresentation: sop.pixelRepresentation === 1 ? 1 : 0,
    planarConfiguration: 0,
    float: sop.isDoubleFloatPixelData ? 'double' : sop.isFloatPixelData ? 'float' : '',
    padding: null,
    smallest: null,
    largest: null,
  }
}

/** Attributes that manifests do not contain. */
const EMPTY_ATTRIBUTES = {
  transferSyntaxUid: '',
  source: 'manifest',
  notImage: null,
  perFrame: null,
  frameOfReferenceUid: '',
  imageType: [],
  voiLutFunction: '',
  windowExplanation: [],
  rescaleType: '',
  frameTime: null,
  acquisitionTime: '',
  contentTime: '',
  viewPosition: '',
  laterality: '',
  patientOrientation: [],
  patient: null,
  lossy: null,
  regions: [],
  hasExtras: false,
} satisfies Partial<ViewedInstance>

const instanceOf = (
  sop: ManifestSop,
  of: Pick<ViewedInstance, 'studyInstanceUid' | 'seriesInstanceUid' | 'image'>,
): ViewedInstance => ({
  ...EMPTY_ATTRIBUTES,
  ...of,
  sopInstanceUid: sop.sopInstanceUID,
  sopClassUid: sop.sopClassUID,
  instanceNumber: integerFrom(sop.instanceNumber, Number.MIN_SAFE_INTEGER) ?? 0,
  frames: Math.min(MAX_FRAMES, integerFrom(sop.numberOfFrames, 1) ?? 1),
  attributes: {
    position: null,
    orientation: null,
    spacing: null,
    spacingFrom: 'none',
    sliceThickness: null,
    sliceLocation: null,
    slope: sop.rescaleSlope ?? null,
    intercept: sop.rescaleIntercept ?? null,
    windowCenter: [],
    windowWidth: [],
  },
})

/**
 * Guesses which URL contains which instance, until the header of the file is known. A URL is
 * assigned to an instance whose UID is a complete segment of its path, a file name or a query
 * value; otherwise, if there are as many URLs as instances, by position.
 * @param known whether a UID that is not in the manifests may occur in a URL
 */
export function manifestMatch(
  urls: readonly string[],
  manifests: readonly Manifest[],
  known: (uid: string) => boolean,
) {
  const uids = manifests.flatMap(({ series }) =>
    series.flatMap(({ sops }) => sops.map(({ sopInstanceUID }) => sopInstanceUID)),
  )
  const isListed = new Set(uids)
  const indexes = new Map<string, number>()
  const named = new Map<number, string>()
  for (const [index, url] of urls.entries()) {
    const uid = partsOf(url).find((part) => isListed.has(part) || known(part))
    if (uid === undefined || indexes.has(uid)) continue
    indexes.set(uid, index)
    named.set(index, uid)
  }
  if (uids.length === urls.length)
    for (const [index, uid] of uids.entries())
      if (!indexes.has(uid) && !named.has(index)) indexes.set(uid, index)
  return {
    /** Index of the URL that may contain the instance. */
    urlOf: (sopInstanceUid: string) => indexes.get(sopInstanceUid),
    /** The instance whose UID occurs in the URL. */
    namedBy: (index: number) => named.get(index),
  }
}

/**
 * The segments of a URL, last segment first, because instances are listed after their study and
 * series.
 */
function partsOf(text: string): string[] {
  const url = URL.parse(text)
  if (!url) return []
  const parts = [
    ...url.pathname.split('/').map(decodeUriPart),
    ...url.searchParams.values(),
  ].filter((part) => part !== '')
  return parts.reverse().flatMap((part) => [part, part.replace(/\.[A-Za-z]\w*$/, '')])
}

function decodeUriPart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
