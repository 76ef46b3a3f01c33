import type { Manifest, ManifestSop } from '#server/webhooks/manifest.ts'
import type { ViewedInstance, ViewedSeries } from '#shared/contract/viewed-images.ts'

/** No file has more of them. */
const MOST_FRAMES = 100_000

/**
 * Series and images of a manifest as the list has them until their files are read. What has no
 * geometry there, such as a structured report, waits for its file.
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

const whole = (value: number | undefined, least: number) =>
  value !== undefined && Number.isSafeInteger(value) && value >= least ? value : undefined

/** Undefined: it is no image, or the manifest does not say how large it is. */
function imageOf(sop: ManifestSop): ViewedInstance['image'] | undefined {
  const rows = whole(sop.rows, 1)
  const columns = whole(sop.columns, 1)
  const bitsAllocated = whole(sop.bitsAllocated, 1)
  const samplesPerPixel = whole(sop.samplesPerPixel, 1)
  const { photometricInterpretation } = sop
  if (!rows || !columns || !bitsAllocated || !samplesPerPixel || !photometricInterpretation)
    return undefined
  const bitsStored = Math.min(bitsAllocated, whole(sop.bitsStored, 1) ?? bitsAllocated)
  return {
    ...{ rows, columns, bitsAllocated, bitsStored, samplesPerPixel, photometricInterpretation },
    highBit: whole(sop.highBit, 0) ?? bitsStored - 1,
    pixelRepresentation: sop.pixelRepresentation === 1 ? 1 : 0,
    planarConfiguration: 0,
    float: sop.isDoubleFloatPixelData ? 'double' : sop.isFloatPixelData ? 'float' : '',
    padding: null,
    smallest: null,
    largest: null,
  }
}

/** What a manifest says of no instance. */
const UNKNOWN = {
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
  ...UNKNOWN,
  ...of,
  sopInstanceUid: sop.sopInstanceUID,
  sopClassUid: sop.sopClassUID,
  instanceNumber: whole(sop.instanceNumber, Number.MIN_SAFE_INTEGER) ?? 0,
  frames: Math.min(MOST_FRAMES, whole(sop.numberOfFrames, 1) ?? 1),
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
 * Which URL may hold which instance; a guess, which the file's own header decides: a URL is taken
 * for the one of an instance whose UID is a whole part of its path, a file name or a value of its
 * query; else, where there are as many of both, the one at the same place.
 * @param known UIDs that a URL may name besides those of the manifests
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
    /** Index of the URL that may hold the instance. */
    urlOf: (sopInstanceUid: string) => indexes.get(sopInstanceUid),
    /** The instance that the URL names, a UID of `known`. */
    namedBy: (index: number) => named.get(index),
  }
}

/** The last part first: instances are named after their study and series. */
function partsOf(text: string): string[] {
  const url = URL.parse(text)
  if (!url) return []
  const parts = [...url.pathname.split('/').map(decoded), ...url.searchParams.values()].filter(
    (part) => part !== '',
  )
  return parts.reverse().flatMap((part) => [part, part.replace(/\.[A-Za-z]\w*$/, '')])
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
